"""A website for tests: pages of another origin under a strict policy, and the site in Leaf that allows them.

`python -m tests.browser.site` makes a site in the Leaf of LEAF_DATA_DIR for each line of its input, by the services
that the pages of sites use; a line holds origins as JSON.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.browser.product import ROOT, Product, free_port

AGENT: dict[str, Any] = {
    "welcome": "Hello! Ask me about anything.",
    "suggestions": ["Where is my parcel?", "How can I send something back?"],
    "look": {"accent": "#ffd166", "launcher": "Chat with us", "position": "right"},
    "identity": "any",
}


@dataclass(frozen=True)
class Site:
    """A site that serves one page. `url` is its origin."""

    leaf: Product
    url: str
    key: str
    secret: str

    def page(self, *, lang: str = "en", dir: str = "ltr", **data: str) -> str:  # noqa: A002
        """The address of its page with the widget, whose script tag has these `data-…`."""
        named = {name.replace("_", "-"): value for name, value in data.items()}
        return f"{self.url}/?{urlencode({'lang': lang, 'dir': dir, 'api-key': self.key, **named})}"


class Shopkeeper:
    """A process that makes sites in a running Leaf: one for all of them, since it imports for seconds."""

    def __init__(self, leaf: Product) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.site"],
            cwd=ROOT, env=leaf.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def site(self, *origins: str) -> dict[str, str]:
        """Makes a site whose agent may be used on these origins; its key and secret."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(origins) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


@asynccontextmanager
async def open_site(leaf: Product, shopkeeper: Shopkeeper) -> AsyncIterator[Site]:
    """A site, served for the length of a block; what it may do is what its policy names, and that is little."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    made = await asyncio.to_thread(shopkeeper.site, url, leaf.url)
    policy = (
        f"default-src 'none'; script-src {leaf.url}; connect-src {leaf.url}; base-uri 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readline()).decode()
        while (await reader.readline()).strip():
            pass
        body = _page(leaf.url, line.split(" ")[1]).encode()
        head = (
            "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\nconnection: close\r\n"
            f"content-security-policy: {policy}\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port)
    async with server:
        yield Site(leaf, url, **made)


def _page(leaf: str, target: str) -> str:
    """A page in the style of many: loud rules of its own, which are none of the widget's business."""
    asked = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
    lang, direction = asked.pop("lang", "en"), asked.pop("dir", "ltr")
    data = " ".join(f'data-{name}="{escape(value)}"' for name, value in asked.items())
    tag = f'<script src="{leaf}/widget.js" {data} async></script>' if "api-key" in asked else ""
    return (
        f'<!doctype html><html lang="{escape(lang)}" dir="{escape(direction)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>Shop</title></head>'
        f"<body><main><h1>Shop</h1><p><button>Buy</button></p></main>{tag}</body></html>"
    )


async def _make(origins: list[str], settings: Mapping[str, Any]) -> dict[str, str]:
    from leaf import redis
    from leaf.db import session
    from leaf.services import sites
    from tests.integration.people import person

    owner = await person("shopkeeper")
    site = await sites.create(owner, "Shop")
    agent = await sites.create_agent(owner, site, "Shop help")
    await sites.change_agent(owner, agent, {"origins": origins, **settings})
    key = await sites.create_key(owner, agent, "Pages")
    _, secret = await sites.rotate_secret(owner, site, overlap_hours=0)
    await session.dispose()
    await redis.close()
    return {"key": key.key, "secret": secret}


def main() -> None:
    """Joins the running Leaf, and prints a key and a secret for each line."""
    from leaf import config
    from leaf.config import embedded

    services = embedded.start(config.load(), "worker", migrate=lambda _url: None)
    try:
        for line in sys.stdin:
            sys.stdout.write(json.dumps(asyncio.run(_make(json.loads(line), AGENT))) + "\n")
            sys.stdout.flush()
    finally:
        services.stop()


if __name__ == "__main__":
    main()
