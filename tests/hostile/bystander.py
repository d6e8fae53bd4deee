"""`python -m tests.hostile.bystander URL`: the other member, who lists chats, types and follows an answer meanwhile.

A process of its own, so that no work of the bench is taken for a wait. It reads the Cookie header and a chat from its
input, and writes one line of JSON for each wait: the kind, when it began (Unix seconds), and its milliseconds.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from uuid import uuid4

import httpx
from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests.hostile.provider import PACE_SECONDS

PAUSE_SECONDS = 0.02
WORDS = 1200
"""The words of one answer that is followed."""
_EVENT = "42/_event,"
_STATE = "reflex___state____state"


def note(kind: str, begun: float, seconds: float) -> None:
    """Writes a wait down."""
    sys.stdout.write(json.dumps([kind, begun, round(seconds * 1000, 1)]) + "\n")
    sys.stdout.flush()


async def lists(http: httpx.AsyncClient) -> None:
    """Lists the chats."""
    (await http.get("/api/chats")).raise_for_status()


async def follows(http: httpx.AsyncClient, chat: str) -> None:
    """Asks and follows one answer: a wait is what comes later than the pace of the provider."""
    body = {"chatId": chat, "message": json.dumps({"pace": WORDS})}
    async with http.stream("POST", "/api/chat", json=body, timeout=None) as answer:
        answer.raise_for_status()
        last = 0.0
        async for line in answer.aiter_lines():
            if '"text-delta"' in line:
                now = time.time()
                if last:
                    note("follow", last, max(0.0, now - last - PACE_SECONDS))
                last = now


async def types(url: str, cookie: str) -> None:
    """Searches while typing, as the palette does: an event of the page's state, and its answer."""
    address = f"{url.replace('http', 'ws', 1)}/_event/?token={uuid4()}&EIO=4&transport=websocket"
    headers = {"Cookie": cookie}
    async with connect(address, origin=Origin(url), additional_headers=headers, max_size=None) as socket:
        router = {"pathname": "/dashboard", "asPath": "/dashboard", "query": {}}
        boot = {"name": f"{_STATE}.hydrate", "payload": {}, "router_data": router}
        number, begun = 0, 0.0
        async for message in socket:
            text = message if isinstance(message, str) else message.decode()
            if text == "2":
                await socket.send("3")
            elif text.startswith("0{"):
                await socket.send("40/_event," + json.dumps({"event": boot}))
            elif text.startswith("40/_event") or f'"typed {number}"' in text:
                if begun:
                    note("type", begun, time.time() - begun)
                await asyncio.sleep(PAUSE_SECONDS)
                number += 1
                name = f"{_STATE}.leaf___state___search____search_state.search"
                event = {"name": name, "payload": {"query": f"typed {number}"}, "router_data": router}
                begun = time.time()
                await socket.send(_EVENT + json.dumps(["event", event]))


async def _again(kind: str, work: Callable[[], Awaitable[None]]) -> None:
    while True:
        begun = time.time()
        await work()
        if kind:
            note(kind, begun, time.time() - begun)
            await asyncio.sleep(PAUSE_SECONDS)


async def main(url: str) -> None:
    """Goes on until it is ended."""
    cookie, chat = json.loads(sys.stdin.readline())
    async with httpx.AsyncClient(base_url=url, headers={"cookie": cookie}, trust_env=False, timeout=120) as http:
        await asyncio.gather(
            _again("list", lambda: lists(http)),
            _again("", lambda: follows(http, chat)),
            _again("", lambda: types(url, cookie)),
        )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
