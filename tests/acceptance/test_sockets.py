"""Sockets of pages, as an attacker uses them: with another's token, without a cookie, with messages of no page."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from leaf.services import accounts
from tests.acceptance import people
from tests.acceptance.stack import Stack
from tests.acceptance.web import Web

STATES = "reflex___state____state.leaf___state___"
HYDRATE = "reflex___state____state.hydrate"
MOST = 12
PRIVATE = "the salary of Otto"
NAME = "Ada Lindqvist"


class Page:
    """A socket as a page opens it."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.heard: list[str] = []
        self.address = "/dashboard"

    async def send(self, name: Any, **payload: Any) -> None:
        """Sends an event."""
        router = {"pathname": self.address.partition("?")[0], "asPath": self.address}
        event = {"name": name, "payload": payload, "router_data": router}
        await self.socket.send("42/_event," + json.dumps(["event", event]))

    async def until(self, words: str, *, seconds: float = 20) -> str:
        """Everything that came until these words did."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while words not in "".join(self.heard):
                    await self._hear()
        return "".join(self.heard)

    async def _hear(self) -> None:
        message = str(await self.socket.recv())
        if message == "2":
            await self.socket.send("3")
        self.heard.append(message)

    async def answer(self) -> str:
        """Everything that comes until the server has dealt with all that was sent."""
        self.heard.clear()
        await self.socket.send('42/_event,["ping"]')
        return await self.until("pong")


@asynccontextmanager
async def opened(web: Web, token: str, cookie: str = "") -> AsyncGenerator[Page]:
    """A page's socket, connected to Reflex's namespace."""
    address = f"{web.url.replace('http', 'ws')}/_event/?token={token}&EIO=4&transport=websocket"
    headers = {"cookie": cookie} if cookie else {}
    async with connect(address, additional_headers=headers, ping_interval=None, max_size=None, proxy=None) as socket:
        page = Page(socket)
        await socket.send("40/_event,")
        assert "40/_event," in await page.until("40/_event,")
        yield page


async def snapshot(page: Page) -> str:
    """The reply to an event that hydrates the page."""
    page.heard.clear()
    await page.send(HYDRATE)
    return await page.until("is_hydrated")


@pytest_asyncio.fixture(scope="module")
async def running_web(running_stack: Stack) -> AsyncIterator[Web]:
    """A web process of this file's own, with a small share of sockets for each address."""
    web = Web(running_stack, 9, {"LEAF_SOCKETS_PER_ADDRESS": str(MOST), "LEAF_UPLOAD_MB_PER_ADDRESS": "3"})
    web.start()
    try:
        await web.ready()
        yield web
    finally:
        web.kill()


@pytest.fixture
def web(stack: Stack, running_web: Web) -> Web:
    """The web process, with all services running."""
    return running_web


@asynccontextmanager
async def left_behind(web: Web, cookie: str) -> AsyncGenerator[str]:
    """The token of a tab that has shown its member's data and was closed."""
    token = str(uuid4())
    async with opened(web, token, cookie) as page:
        await page.send("reflex___state____state.leaf___state___presence____presence_state.attend")
        assert NAME in await page.until(NAME)
    yield token


async def test_a_token_without_its_cookie_is_worth_nothing(web: Web) -> None:
    """Nor with another session of the same member, another member's, or one that has ended. # 000-05, 000-40"""
    _, cookie = await people.sign_in_with_cookie("ada", connect=False)
    _, other = await people.sign_in_with_cookie("ada", connect=False)
    _, ben = await people.sign_in_with_cookie("ben", connect=False)
    async with left_behind(web, cookie) as token:
        async with opened(web, token, cookie) as page:
            assert NAME in await snapshot(page), "the same reader finds the tab as it was"
        for stranger in ("", other, ben, "a=b", cookie.replace("=leaf_session_", "=leaf_session_x")):
            async with opened(web, token, stranger) as page:
                assert NAME not in await snapshot(page), stranger
        await accounts.sign_out(cookie)
        async with opened(web, token, cookie) as page:
            assert NAME not in await snapshot(page)


async def test_an_open_socket_says_nothing_more_when_its_session_has_ended(web: Web) -> None:
    """Whatever event it sends; the page is led to the sign-in, and back to its whole address afterwards. # 000-05"""
    _, cookie = await people.sign_in_with_cookie("ada", connect=False)
    async with left_behind(web, cookie) as token, opened(web, token, cookie) as page:
        assert NAME in await snapshot(page)
        await accounts.sign_out(cookie)
        page.address, sign_in = "/settings/integrations?x=1#y", '"/?next=/settings/integrations%3Fx%3D1"'
        for name in (HYDRATE, "reflex___state____state.leaf___state___sidebar____sidebar_state.look"):
            page.heard.clear()
            await page.send(name)
            told = await page.until(sign_in)
            assert sign_in in told
            assert NAME not in told


async def test_the_log_repeats_nothing_that_a_page_sends(web: Web) -> None:
    """Names alone, cut, and few lines for an address; with a megabyte in each message the log hardly grows. # 004-26"""
    before = len(web.log.read_text(errors="replace"))
    cookie = f"other={PRIVATE.replace(' ', '-')}"
    async with opened(web, str(uuid4()), cookie) as page:
        for payload in ({"text": PRIVATE * 20_000}, {PRIVATE * 20_000: 1}, [PRIVATE], PRIVATE):
            event = {"name": "no.such.handler" + PRIVATE * 10_000, "payload": payload, "router_data": {}}
            await page.socket.send("42/_event," + json.dumps(["event", event]))
            await page.socket.send("42/_event," + json.dumps(["event", {**event, "name": HYDRATE}]))
        for message in ("event", "client_error", PRIVATE * 20_000, "event_processor", "emit"):
            await page.socket.send("42/_event," + json.dumps([message, {"message": PRIVATE * 1000}, PRIVATE]))
            await page.socket.send("42/_event," + json.dumps([message, PRIVATE]))
            await page.socket.send("42/_event," + json.dumps([message]))
        report = "reflex___state____state.reflex___state____frontend_event_exception_state.handle_frontend_exception"
        await page.send(report, info=PRIVATE * 20_000, component_stack=PRIVATE)
        for name in (
            "reflex___state____state.setvar",
            "reflex___state____state.leaf___state___presence____presence_state.setvar",
        ):
            await page.send(name, var_name=PRIVATE * 1000, value=PRIVATE)
        for name, argument in (("files____files_state.restore", "number"), ("account____account_state.rename", "form")):
            for value in (PRIVATE, [PRIVATE], None, 7.5):
                await page.send(f"reflex___state____state.leaf___state___{name}", **{argument: value})
        assert "pong" in await page.answer(), "the socket is still served"
    for beginning in ("42/_event,{", "4x", "", "45/_event,", "42/_event,[", "9" * 2000):
        with suppress(ConnectionClosed, AssertionError):
            async with opened(web, str(uuid4()), cookie) as page:
                await page.socket.send(beginning + PRIVATE)
                await page.until("never", seconds=0.2)
    with pytest.raises(InvalidStatus):
        async with connect(web.url.replace("http", "ws") + "/_event/?EIO=3&token=" + PRIVATE.replace(" ", "-")):
            pass
    written = web.log.read_text(errors="replace")[before:]
    assert written.count(PRIVATE) <= written.count("no.such.handler") * 14 + 28, written[:3000]
    assert "unknown event: no.such.handler" in written
    assert "salary-of" not in written
    assert max(map(len, written.splitlines())) < 1000
    assert "Traceback" not in written, written[:3000]
    assert len(written) < 40_000


async def test_an_address_has_its_share_of_sockets(web: Web) -> None:
    """A further socket is refused before it is accepted, and taken once another has gone. # 004-25"""
    pages = [connect(f"{web.url.replace('http', 'ws')}/_event/?EIO=4&transport=websocket") for _ in range(MOST)]
    sockets = [await page for page in pages]
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"{web.url.replace('http', 'ws')}/_event/?EIO=4&transport=websocket")
    assert refused.value.response.status_code == 403
    await sockets.pop().close()
    async with opened(web, str(uuid4())):
        pass
    for socket in sockets:
        await socket.close()


async def test_events_with_text_that_cannot_be_stored_are_handled(web: Web) -> None:
    """U+0000 and halves of characters are replaced, and values too deep in each other are refused. # 002-01"""
    before = len(web.log.read_text(errors="replace"))
    _, cookie = await people.sign_in_with_cookie("ada", connect=False)
    async with opened(web, str(uuid4()), cookie) as page:
        for word in ("half\0first", "half\ud800second"):
            await page.send(f"{STATES}search____search_state.search", query=word)
            assert f"half\ufffd{word[5:]}" in await page.until(f"half\ufffd{word[5:]}")
        deep: dict[str, Any] = {}
        for _ in range(600):
            deep = {"x": deep}
        await page.send(f"{STATES}account____account_state.rename", form=deep)
        assert "pong" in await page.answer(), "the socket is still served"
    written = web.log.read_text(errors="replace")[before:]
    assert "Traceback" not in written
