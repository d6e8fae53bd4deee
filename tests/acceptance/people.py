"""People who sign in and connect their Drive as a browser would: over HTTP, through the sandbox's consent page."""

import html
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import httpx

from leaf import api
from leaf.db import Actor
from leaf.services import accounts

_FORM = re.compile(r'<form method="post" action="(?P<action>.*?)">(?P<fields>.*?)</form>', re.DOTALL)
_HIDDEN = re.compile(r'type="hidden" name="(.*?)" value="(.*?)"')
_CHECKBOX = re.compile(r'type="checkbox" name="(.*?)" value="(.*?)"')


@asynccontextmanager
async def _browser() -> AsyncIterator[httpx.AsyncClient]:
    """Reaches Leaf's routes in this process, and the sandbox over loopback."""
    leaf = httpx.ASGITransport(api.application(pages_port=None))
    async with httpx.AsyncClient(
        base_url="http://localhost:3000", mounts={"all://localhost": leaf}, trust_env=False
    ) as browser:
        yield browser


async def _consent(browser: httpx.AsyncClient, begun: httpx.Response, account: str) -> httpx.Response:
    """Allows everything on the consent page, as this account, and goes back to Leaf."""
    page = await browser.get(begun.headers["location"])
    form = _FORM.search(page.text)
    assert form is not None, page.text
    fields = [*_HIDDEN.findall(form["fields"]), *_CHECKBOX.findall(form["fields"])]
    body = [(html.unescape(name), html.unescape(value)) for name, value in fields]
    body += [("account", account), ("decision", "allow")]
    allowed = await browser.post(
        str(page.url.join(html.unescape(form["action"]))),
        content=urlencode(body),
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    return await browser.get(allowed.headers["location"])


async def sign_in(account: str, *, connect: bool = True) -> Actor:
    """Signs an account of the sandbox in and, if wanted, connects its Drive."""
    return (await sign_in_with_cookie(account, connect=connect))[0]


async def sign_in_with_cookie(account: str, *, connect: bool = True) -> tuple[Actor, str]:
    """The same; the second value is what the browser sends as its Cookie header from then on."""
    async with _browser() as browser:
        await _consent(browser, await browser.get("/auth/google/start?next=/dashboard"), account)
        if connect:
            back = await _consent(browser, await browser.get("/auth/integrations/google-drive"), account)
            assert "connected=google_drive" in back.headers["location"], back.headers["location"]
        cookie = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies.jar)
        session = await accounts.session(cookie)
    assert session is not None
    return session.actor, cookie
