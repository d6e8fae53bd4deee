"""Refusals of model providers, in each protocol, and what a reader is told of it."""

import json
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import AgentRunError

from leaf import config
from leaf.agent import models, translate

SECRET = "sk-proj-1234567890abcdefghij"


def _openai(code: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": f"Refused: {SECRET}", "type": kind, "param": None, "code": code}}


def _anthropic(kind: str, message: str = f"Refused: {SECRET}") -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def _google(code: int, status: str, reason: str = "") -> dict[str, Any]:
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}
    details = [info] if reason else []
    return {"error": {"code": code, "message": f"Refused: {SECRET}", "status": status, "details": details}}


_BALANCE = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing."
_OPENAI = [
    (401, _openai("invalid_api_key"), "model_authentication"),
    (429, _openai("rate_limit_exceeded", "requests"), "model_rate_limit"),
    (429, _openai("insufficient_quota", "insufficient_quota"), "model_quota"),
    (404, _openai("model_not_found"), "model_not_found"),
    (400, _openai("invalid_value"), "model_refused"),
    (503, _openai("", "server_error"), "model_unavailable"),
]
REFUSALS = {
    "openai:gpt-6-luna": _OPENAI,
    "openai-chat:gpt-6-luna": _OPENAI,
    "anthropic:claude-haiku-5-5": [
        (401, _anthropic("authentication_error"), "model_authentication"),
        (429, _anthropic("rate_limit_error"), "model_rate_limit"),
        (400, _anthropic("invalid_request_error", _BALANCE), "model_quota"),
        (404, _anthropic("not_found_error"), "model_not_found"),
        (400, _anthropic("invalid_request_error"), "model_refused"),
        (529, _anthropic("overloaded_error"), "model_unavailable"),
    ],
    "google:gemini-3.8-flash": [
        (403, _google(403, "PERMISSION_DENIED"), "model_authentication"),
        (400, _google(400, "INVALID_ARGUMENT", "API_KEY_INVALID"), "model_authentication"),
        (429, _google(429, "RESOURCE_EXHAUSTED"), "model_rate_limit"),
        (404, _google(404, "NOT_FOUND"), "model_not_found"),
        (400, _google(400, "INVALID_ARGUMENT"), "model_refused"),
        (503, _google(503, "UNAVAILABLE"), "model_unavailable"),
    ],
}
CASES = [pytest.param(model, *one, id=f"{model}-{one[0]}-{one[2]}") for model, some in REFUSALS.items() for one in some]
NEXT = ("Try again", "An administrator has to", "hoose another")
"""The actions that are open to a reader, or the person who can act."""


class _Refusing(BaseHTTPRequestHandler):
    answer: ClassVar[tuple[int, dict[str, Any]]]
    asked: ClassVar[int]

    def do_POST(self) -> None:
        type(self).asked += 1
        self.rfile.read(int(self.headers.get("content-length", "0")))
        status, given = self.answer
        body = json.dumps(given).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Nothing is printed."""


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Refusing)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
async def asked(base: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    monkeypatch.setattr(config, "_current", None)
    monkeypatch.setattr(models, "CLIENT_RETRIES", 0)
    _Refusing.asked = 0
    yield base
    await models.close()


@pytest.mark.parametrize(("model", "status", "body", "code"), CASES)
async def test_what_a_provider_refuses_is_told_by_its_reason_and_not_in_its_words(
    model: str, status: int, body: dict[str, Any], code: str, asked: str
) -> None:
    """And says what can be done about it: its limit, its budget and its key are not the same. # 001-21, 000-43"""
    _Refusing.answer = (status, body)
    config.install(
        config.Settings(
            _env_file=None, sandbox_url="http://127.0.0.1:1", model=model,
            openai_api_key=SECRET, openai_base_url=f"{asked}/v1", anthropic_api_key=SECRET, anthropic_base_url=asked,
            google_api_key=SECRET, google_base_url=asked,
        )
    )  # fmt: skip
    with pytest.raises(AgentRunError) as raised:
        async with Agent(models.build(model)).run_stream("Hello") as answer:
            await answer.get_output()
    failure = translate.explain(translate.cause(raised.value, begun=False))
    assert (failure.code, _Refusing.asked) == (code, 1)
    assert SECRET not in failure.text
    assert "Refused: " not in failure.text
    assert any(words in failure.text for words in NEXT), failure.text
    assert failure.transient is (code in {"model_rate_limit", "model_unavailable"})
