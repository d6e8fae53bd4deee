"""Tabs without a browser: websockets that say to Leaf's web process what a page says, and note what comes."""

import asyncio
import base64
import json
import os
import re
import time
from typing import Any, cast
from uuid import UUID, uuid4

from playwright.async_api import WebSocket

from tests.bench.system import System

_WORD = re.compile(rb"w(\d+)")
_SAID = b'["live",'
_BOOT = "40/_event,"
_EVENT = "42/_event,"


class Boot:
    """The first messages of a page of a chat, recorded from a real one."""

    def __init__(self, auth: dict[str, Any], chat: str) -> None:
        self._auth, self._chat = json.dumps(auth), chat

    @classmethod
    async def record(cls, system: System, chat: UUID) -> "Boot":
        """Opens a chat in the browser and listens."""
        sent: list[str] = []

        def on_socket(socket: WebSocket) -> None:
            socket.on("framesent", lambda payload: sent.append(str(payload)))

        page = await system.ada.context.new_page()
        page.on("websocket", on_socket)
        await page.goto(f"{system.leaf.url}/chat/{chat}")
        await page.get_by_role("textbox").wait_for()
        while not any(frame.startswith(_BOOT) for frame in sent):
            await page.wait_for_timeout(50)
        await page.close()
        boot = next(frame for frame in sent if frame.startswith(_BOOT))
        return cls(json.loads(boot.removeprefix(_BOOT)), str(chat))

    def of(self, chat: UUID) -> str:
        """The same for another chat."""
        return _BOOT + self._auth.replace(self._chat, str(chat))


class Tab(asyncio.Protocol):
    """One websocket that shows a chat.

    Attributes:
        seen: For each message, its time (Unix seconds) and the number of the last word of the answer in it.
    """

    def __init__(self, system: System, cookie: str, boot: str) -> None:
        self._system, self._cookie, self._boot = system, cookie, boot
        self._buffer = b""
        self._upgraded = False
        self._transport: asyncio.Transport
        self.ready, self.ended = asyncio.Event(), asyncio.Event()
        self.seen: list[tuple[float, int]] = []
        self.bytes = 0

    @classmethod
    async def open(cls, system: System, boot: Boot, chat: UUID, cookie: str = "") -> "Tab":
        """Opens a tab that shows a chat and waits for its page. Without a cookie it is Ada's tab."""
        if not cookie:
            cookies = await system.ada.context.cookies()
            cookie = "; ".join(f"{one.get('name')}={one.get('value')}" for one in cookies)
        tab = cls(system, cookie, boot.of(chat))
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: tab, "localhost", system.leaf.port)
        async with asyncio.timeout(60):
            await tab.ready.wait()
        return tab

    def close(self) -> None:
        """Goes away."""
        self._transport.close()

    def ask(self, chat: UUID, text: str) -> None:
        """Sends a question, as the composer does."""
        name = "reflex___state____state.leaf___state___chat____chat_state.send"
        path = f"/chat/{chat}"
        router = {"pathname": path, "asPath": path, "query": {"chat": str(chat)}}
        event = {"name": name, "payload": {"chat": str(chat), "text": text}, "router_data": router}
        self._say(_EVENT + json.dumps(["event", event]))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports do not inherit from asyncio.Transport.
        self._transport = cast("asyncio.Transport", transport)
        key = base64.b64encode(os.urandom(16)).decode()
        port = self._system.leaf.port
        lines = [
            f"GET /_event/?token={uuid4()}&EIO=4&transport=websocket HTTP/1.1",
            f"Host: localhost:{port}",
            f"Origin: http://localhost:{port}",
            f"Cookie: {self._cookie}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        ]
        self._transport.write("\r\n".join([*lines, "", ""]).encode())

    def data_received(self, data: bytes) -> None:
        now = time.time()
        self._buffer += data
        if not self._upgraded:
            head, end, rest = self._buffer.partition(b"\r\n\r\n")
            if not end:
                return
            assert b" 101 " in head.split(b"\r\n")[0], head
            self._upgraded, self._buffer = True, rest
        while (message := self._next()) is not None:
            self._hear(message, now)

    def _next(self) -> bytes | None:
        """The next message. Servers send messages unmasked, and Leaf sends each one in one frame."""
        if len(self._buffer) < 2:
            return None
        length, start = self._buffer[1], 2
        if length == 126:
            length, start = int.from_bytes(self._buffer[2:4]), 4
        elif length == 127:
            length, start = int.from_bytes(self._buffer[2:10]), 10
        if len(self._buffer) < start + length:
            return None
        message, self._buffer = self._buffer[start : start + length], self._buffer[start + length :]
        return message

    def _hear(self, message: bytes, now: float) -> None:
        self.bytes += len(message)
        if message == b"2":
            self._say("3")
        elif message.startswith(b"0{"):
            self._say(self._boot)
        elif _SAID in message:
            words = _WORD.findall(message)
            if words:
                self.seen.append((now, int(words[-1])))
        elif b'"phase_rx_state_":"ready"' in message:
            self.ready.set()
        if b'"status_rx_state_":"completed"' in message and self.seen:
            self.ended.set()

    def _say(self, text: str) -> None:
        if self._transport.is_closing():
            return
        body = text.encode()
        head = b"\x81"
        if len(body) < 126:
            head += bytes([0x80 | len(body)])
        else:
            head += b"\xfe" + len(body).to_bytes(2)
        self._transport.write(head + b"\0\0\0\0" + body)


def lags(tab: Tab, sent: list[float]) -> list[float]:
    """For each token, the milliseconds from its being sent to its coming to the tab."""
    found: list[float] = []
    for at, word in tab.seen:
        found += [(at - sent[number]) * 1000 for number in range(len(found), word + 1)]
    return found
