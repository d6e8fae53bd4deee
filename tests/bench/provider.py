"""`python -m tests.bench.provider PORT`: a provider that speaks OpenAI's chat completions at a set pace.

The model's name says how: `paced-500-20` is 500 tokens, 20 ms apart; `paced-8000-0` as fast as they can be read;
`paced-50-0-9000` the same after a silence of 9 s. Token number n holds the word `wn`, so that whoever sees a text knows
how far it has come. `GET /log/{key}` tells when a question that holds `key=...` came and when each of its tokens was
sent (Unix times in seconds).

It is written on bare asyncio streams, so that hundreds of answers at once leave the processors to Leaf.
"""

import asyncio
import json
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_EVENT = '{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"paced","choices":['
_AT_ONCE = 64
"""Tokens in one write of a model that takes no time."""


@dataclass
class Asked:
    """One request: when it came, and when each token was sent."""

    received_at: float
    sent: list[float] = field(default_factory=list[float])


def token(number: int) -> str:
    """The text of a token: paragraphs, headings, lists and bold words, as answers have them."""
    if number and number % 240 == 0:
        return f"\n\n## w{number} "
    if number % 240 == 6 or (number and number % 60 == 0):
        return f"\n\nw{number} "
    if number % 240 >= 200 and number % 10 == 0:
        return f"\n- w{number} "
    return f"**w{number}** " if number % 17 == 0 else f"w{number} "


def _frame(delta: str, reason: str = "null") -> bytes:
    body = f'data: {_EVENT}{{"index":0,"delta":{delta},"finish_reason":{reason}}}]}}\n\n'.encode()
    return b"%x\r\n%s\r\n" % (len(body), body)


async def _stream(writer: asyncio.StreamWriter, asked: Asked, count: int, gap_seconds: float) -> None:
    writer.write(_HEAD + _frame('{"role":"assistant","content":""}'))
    frames = [_frame(json.dumps({"content": token(number)})) for number in range(count)]
    begun = time.time()
    if gap_seconds == 0:
        for start in range(0, count, _AT_ONCE):
            batch = frames[start : start + _AT_ONCE]
            asked.sent += [time.time()] * len(batch)
            writer.write(b"".join(batch))
            await writer.drain()
    else:
        for number, frame in enumerate(frames):
            await asyncio.sleep(max(0.0, begun + number * gap_seconds - time.time()))
            asked.sent.append(time.time())
            writer.write(frame)
    usage = (
        f'data: {_EVENT}],"usage":{{"prompt_tokens":1,"completion_tokens":{count},"total_tokens":{count + 1}}}}}\n\n'
    )
    writer.write(_frame("{}", '"stop"') + b"%x\r\n%s\r\n" % (len(usage), usage.encode()))
    writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
    await writer.drain()


class Provider:
    """A server that answers, and knows what it was asked.

    Args:
        on_request: Called with each question that comes.
    """

    def __init__(self, on_request: Callable[[], None] = lambda: None) -> None:
        self._log: dict[str, Asked] = {}
        self._on_request = on_request

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers the requests of one connection."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode()
                length = re.search(rb"content-length: *(\d+)", head.lower())
                body = await reader.readexactly(int(length[1])) if length else b""
                await self._answer(writer, path, body)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, path: str, body: bytes) -> None:
        if path.startswith("/log/"):
            asked = self._log.get(path.removeprefix("/log/"))
            said = json.dumps(None if asked is None else {"received_at": asked.received_at, "sent": asked.sent})
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(said), said.encode()))
            await writer.drain()
            return
        asked = Asked(time.time())
        self._on_request()
        request = json.loads(body)
        key = re.findall(r"key=(\S+)", json.dumps(request["messages"][-1]["content"]))
        self._log[key[-1].strip('"\\') if key else "other"] = asked
        _, count, gap_ms, *silence_ms = request["model"].split("-")
        await asyncio.sleep(sum(map(float, silence_ms)) / 1000)
        await _stream(writer, asked, int(count), float(gap_ms) / 1000)


async def main(port: int) -> None:
    """Serves until it is ended."""
    server = await asyncio.start_server(Provider().serve, "127.0.0.1", port, limit=2**24, backlog=1000)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
