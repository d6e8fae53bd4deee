"""`python -m tests.chaos.model PORT`: a provider that speaks OpenAI's chat completions, with faults on demand.

The question names the fault (`provider=<fault> at=<step>`), which occurs once in each conversation.
"""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from sandbox.providers.behaviours import CUT_OFF, last_words
from tests.chaos.script import Script, Step

WORD_SECONDS = 0.006
THINK_SECONDS = 0.25
_struck: set[str] = set()
_log: dict[str, list[dict[str, Any]]] = {}


async def complete(request: Request) -> Response:
    """`POST /v1/chat/completions`, streamed."""
    body = await request.json()
    messages, shown = _with_whole_replies(body["messages"])
    asked = max(index for index, message in enumerate(messages) if message["role"] == "user")
    script = Script.of(_text(messages[asked]["content"]))
    assert script is not None
    number = sum(message["role"] == "assistant" for message in messages[asked:])
    entry: dict[str, Any] = {"step": number, "at": time.time(), "ended": "open", "sent": []}
    _log.setdefault(script.key, []).append(entry)
    fault = _fault(script, number)
    if fault in {"429", "503"}:
        entry["ended"] = fault
        headers = {"retry-after": "1"} if fault == "429" else {}
        return JSONResponse({"error": {"message": "A fault on demand.", "type": "server_error"}}, int(fault), headers)
    step = script.steps()[number]
    step = replace(step, text=step.text[last_words(shown) :])
    gap_seconds = float(script.options.get("gap", WORD_SECONDS * 1000)) / 1000
    return StreamingResponse(_stream(request, entry, step, fault, gap_seconds), media_type="text/event-stream")


def _with_whole_replies(messages: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
    """The messages without replies that broke off and the requests for their rest.

    Returns:
        The messages, and the text of the reply whose rest is asked for at their end; empty if there is none.
    """
    kept: list[dict[str, Any]] = []
    shown = ""
    for message in messages:
        shown = ""
        if message["role"] == "user" and CUT_OFF in _text(message["content"]):
            shown = _text(kept.pop()["content"])
        else:
            kept.append(message)
    return kept, shown


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _fault(script: Script, number: int) -> str | None:
    fault = script.options.get("provider")
    if fault is None or int(script.options.get("at", "0")) != number or script.key in _struck:
        return None
    _struck.add(script.key)
    return fault


async def _stream(
    request: Request, entry: dict[str, Any], step: Step, fault: str | None, gap_seconds: float
) -> AsyncIterator[bytes]:
    chunk = {"id": f"chatcmpl-{uuid4().hex}", "object": "chat.completion.chunk", "created": 1, "model": "chaos"}

    def event(delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return b"data: " + json.dumps({**chunk, "choices": [choice]}).encode() + b"\n\n"

    try:
        if fault == "hang":
            await asyncio.sleep(3600)
        await asyncio.sleep(THINK_SECONDS)
        if fault == "reset":
            _abort(request)
        yield event({"role": "assistant", "content": ""})
        words = step.text.split(" ")
        for place, word in enumerate(words):
            if place == len(words) // 2 and fault == "cut":
                _abort(request)
            if place == len(words) // 2 and fault == "malformed":
                yield b'data: {"id": "chatcmpl", "choices": [{"delta": {"content": "br\n\n'
                return
            if place == len(words) // 2 and fault == "stall":
                await asyncio.sleep(3600)
            entry["sent"].append(time.time())
            yield event({"content": word if place == 0 else " " + word})
            await asyncio.sleep(gap_seconds)
        for index, call in enumerate(step.calls):
            named = {"name": call.name, "arguments": ""}
            yield event(
                {"tool_calls": [{"index": index, "id": f"call_{uuid4().hex}", "type": "function", "function": named}]}
            )
            yield event({"tool_calls": [{"index": index, "function": {"arguments": json.dumps(call.arguments)}}]})
        yield event({}, "tool_calls" if step.calls else "stop")
        usage = {"prompt_tokens": 10, "completion_tokens": len(words), "total_tokens": 10 + len(words)}
        yield b"data: " + json.dumps({**chunk, "choices": [], "usage": usage}).encode() + b"\n\ndata: [DONE]\n\n"
        entry["ended"] = "whole"
    finally:
        if entry["ended"] == "open":
            entry["ended"] = "disconnected"
        entry["ended_at"] = time.time()


def _abort(request: Request) -> None:
    """Closes the connection without a response."""
    raise ConnectionResetError(f"on purpose: {request.url.path}")


async def log(request: Request) -> Response:
    """`GET /log/{key}`: the requests of a conversation."""
    return JSONResponse(_log.get(request.path_params["key"], []))


app = Starlette(
    routes=[
        Route("/v1/chat/completions", complete, methods=["POST"]),
        Route("/log/{key}", log),
        Route("/health", lambda _: Response("ok")),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical", timeout_keep_alive=60)
