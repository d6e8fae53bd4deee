"""`python -m tests.hostile.provider PORT`: a provider that speaks OpenAI's chat completions and does as it is asked.

The last question holds the order as JSON: `{"pace": 600}` for so many words 50 ms apart, `{"write": "links",
"characters": 200000}` for a hostile text, `{"think": …}` for the same as reasoning, `{"call": "tool", "arguments":
{…}}` for a call, after whose result it ends. Strings of the form `hostile:NAME:CHARACTERS` in arguments become texts.
"""

import asyncio
import json
import re
import sys
import time
from collections.abc import AsyncGenerator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tests.hostile import text_of

PACE_SECONDS = 0.05
DELTA_CHARACTERS = 4000
_ORDER = re.compile(r"\{\"(?:pace|write|think|call)\".*\}", re.DOTALL)
_NAMED = re.compile(r"hostile:([^:]+):(\d+)")


async def complete(request: Request) -> Response:
    """`POST /v1/chat/completions`, streamed or whole."""
    body = await request.json()
    messages: list[dict[str, Any]] = body["messages"]
    asked = max(index for index, message in enumerate(messages) if message["role"] == "user")
    order = _order(messages[asked]["content"])
    if any(message["role"] == "tool" for message in messages[asked:]):
        order = {}
    if not body.get("stream"):
        message = {"role": "assistant", "content": "Done."}
        whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "hostile", "usage": _USAGE}
        return Response(json.dumps({**whole, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}))
    return StreamingResponse(_stream(order), media_type="text/event-stream")


_USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


def _order(content: Any) -> dict[str, Any]:
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    found = _ORDER.search(text)
    try:
        return json.loads(found.group()) if found else {}
    except ValueError:
        return {}


def _filled(value: Any) -> Any:
    if isinstance(value, str) and (named := _NAMED.fullmatch(value)):
        return text_of(named[1], int(named[2]))
    return {name: _filled(one) for name, one in value.items()} if isinstance(value, dict) else value


async def _stream(order: dict[str, Any]) -> AsyncGenerator[bytes]:
    chunk = {"id": "chatcmpl-x", "object": "chat.completion.chunk", "created": 1, "model": "hostile"}

    def event(delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return b"data: " + json.dumps({**chunk, "choices": [choice]}).encode() + b"\n\n"

    yield event({"role": "assistant", "content": ""})
    begun = time.monotonic()
    for number in range(order.get("pace", 0)):
        yield event({"content": f"w{number} "})
        await asyncio.sleep(max(0.0, begun + (number + 1) * PACE_SECONDS - time.monotonic()))
    for name, field in (("think", "reasoning_content"), ("write", "content")):
        if name in order:
            text = text_of(order[name], order["characters"])
            for at in range(0, len(text), DELTA_CHARACTERS):
                yield event({field: text[at : at + DELTA_CHARACTERS]})
                await asyncio.sleep(0)
    if "call" in order:
        arguments = json.dumps(_filled(order["arguments"]))
        call = {"id": "call_1", "type": "function", "function": {"name": order["call"], "arguments": ""}}
        yield event({"tool_calls": [{"index": 0, **call}]})
        for at in range(0, len(arguments), DELTA_CHARACTERS):
            piece = {"arguments": arguments[at : at + DELTA_CHARACTERS]}
            yield event({"tool_calls": [{"index": 0, "function": piece}]})
            await asyncio.sleep(0)
    elif not order.get("pace") and "write" not in order:
        yield event({"content": "Done."})
    yield event({}, "tool_calls" if "call" in order else "stop")
    yield b"data: " + json.dumps({**chunk, "choices": [], "usage": _USAGE}).encode() + b"\n\ndata: [DONE]\n\n"


app = Starlette(
    routes=[
        Route("/v1/chat/completions", complete, methods=["POST"]),
        Route("/health", lambda _: Response("ok")),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical", timeout_keep_alive=60)
