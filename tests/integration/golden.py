"""The parts of the golden tests: stand-ins that note each body, and an agent that is asked like Leaf's."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import pytest
from pydantic_ai import Agent, CancellationToken, RunContext, capture_run_messages
from pydantic_ai.exceptions import RunCancelled
from pydantic_ai.messages import ModelMessage
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from jobs.run import turns
from leaf import config
from leaf.agent import models
from leaf.agent.context import Turn, Window, hooks
from leaf.agent.deps import Deps
from sandbox.providers import routes, wire
from tests.integration.test_sandbox_model_wire import serve

GOLDEN = Path(__file__).parents[1] / "golden"
CHAT_ID = UUID("00000000-0000-4000-8000-00000000c4a7")
PROVIDERS = {
    "anthropic": "anthropic:claude-sonnet-5-5",
    "openai-responses": "openai:gpt-5.2",
    "openai-chat": "openai-chat:some-local-model",
    "google": "google:gemini-3-pro-preview",
}
"""Models by the protocol that they speak. Their names matter: libraries treat models by them."""
PAGE = "The lease ends on 28 February 2027. " * 120


class Recorder:
    """The sandbox's models under the names of real ones; notes every body that they are sent."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Everything begins anew, the numbers of ids included."""
        names = {model.partition(":")[2]: "sandbox-script-0" for model in PROVIDERS.values()}
        self._app = Starlette(routes=routes(names))
        self.bodies: list[dict[str, Any]] = []
        self.statuses: list[int] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        pieces: list[bytes] = []

        async def listen() -> Any:
            message = await receive()
            pieces.append(message.get("body", b""))
            if message["type"] == "http.request" and not message.get("more_body"):
                self.bodies.append(json.loads(b"".join(pieces)))
            return message

        async def tell(message: Any) -> None:
            if message["type"] == "http.response.start":
                self.statuses.append(message["status"])
            await send(message)

        await self._app(scope, listen, tell)


@dataclass
class Chat:
    """A chat whose turns are asked as the worker asks them, and kept as the database keeps them."""

    recorder: Recorder
    agent: Agent[Deps, str]
    stored: list[list[dict[str, Any]]] = field(default_factory=list[list[dict[str, Any]]])
    window: Window | None = None

    async def ask(self, model_id: str, *steps: dict[str, Any], cancelled_by: CancellationToken | None = None) -> str:
        """Asks a question whose text is what the model is to say, step by step."""
        question = f"```json\n{json.dumps(steps)}\n```"
        history = turns.history(self.stored)
        with capture_run_messages() as messages:
            try:
                output = (await self._run(model_id, question, history, cancelled_by)).output
            except RunCancelled:
                output = ""
        turn = list(messages[len(history) :])
        self.stored.append(turns.to_python(turns.closed(turn)))
        return output

    async def crash_and_go_on(self, model_id: str, *steps: dict[str, Any]) -> str:
        """A worker dies when its calls are asked for; another one goes on from the checkpoint."""
        question = f"```json\n{json.dumps(steps)}\n```"
        history = turns.history(self.stored)
        token = CancellationToken()
        with capture_run_messages() as messages, contextlib.suppress(Crash):
            await self._run(model_id, question, history, token, die=True)
        checkpoint = turns.from_json(turns.to_json(messages[len(history) :]))
        result = await self._run(model_id, None, [*history, *checkpoint], None)
        self.stored.append(turns.to_python(turns.closed(result.all_messages()[len(history) :])))
        return result.output

    async def _run(
        self,
        model_id: str,
        question: str | None,
        history: list[ModelMessage],
        token: CancellationToken | None,
        *,
        die: bool = False,
    ) -> Any:
        lengths = [len(turns.history([one])) for one in self.stored]
        found = [Turn(UUID(int=number), length) for number, length in enumerate(lengths)]
        before = self.window
        summary, covered = (before.summary, before.covered) if before is not None else (None, 0)
        self.window = Window(model_id, found, summary, covered)
        deps = Deps(
            user_id=CHAT_ID, run_id=CHAT_ID, drive=cast("Any", None), documents=cast("Any", None),
            files=cast("Any", (token, die)), context=self.window,
        )  # fmt: skip
        return await self.agent.run(
            question, model=models.chain(model_id), model_settings=models.request_settings(CHAT_ID),
            message_history=history, deps=deps, cancellation_token=token, event_stream_handler=_stream,
        )  # fmt: skip


class Crash(Exception):
    """The worker is gone."""


async def _stream(_: RunContext[Deps], events: Any) -> None:
    async for _event in events:
        pass


def _agent() -> Agent[Deps, str]:
    agent = Agent(deps_type=Deps, output_type=str, instructions="Be brief.", capabilities=[hooks.hooks()])

    @agent.tool
    async def read(ctx: RunContext[Deps], name: str) -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        """Read a file."""
        token, die = cast("Any", ctx.deps.files)
        if die:
            raise Crash
        if token is not None and name == "lease":
            token.cancel()
            await asyncio.Event().wait()
        content = PAGE if name.startswith("long") else "It ends in 2027."
        return {"file": {"name": name, "id": "f1", "revision": "7"}, "content": content}

    return agent


@pytest.fixture(scope="module")
def recorder_at() -> Iterator[tuple[Recorder, str]]:
    recorder = Recorder()
    for base in serve(recorder):
        yield recorder, base


@pytest.fixture
async def chat(recorder_at: tuple[Recorder, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Chat]:
    """An empty chat, whose providers are the stand-ins."""
    recorder, base = recorder_at
    recorder.forget()
    count = itertools.count(1)
    monkeypatch.setattr(wire, "new_id", lambda prefix: f"{prefix}{next(count):04d}")  # pyright: ignore[reportUnknownLambdaType]
    change(
        monkeypatch, openai_api_key="any", anthropic_api_key="any", google_api_key="any",
        openai_base_url=f"{base}/openai/v1", anthropic_base_url=f"{base}/anthropic", google_base_url=f"{base}/google",
        thinking="medium",
    )  # fmt: skip
    yield Chat(recorder, _agent())
    assert set(recorder.statuses) == {200}
    await models.close()


def change(monkeypatch: pytest.MonkeyPatch, **fields: Any) -> None:
    """Changes settings for the rest of the test."""
    base = config._current or config.Settings(_env_file=None)
    monkeypatch.setattr(config, "_current", base.model_copy(update=fields))


def reads(*names: str, text: str = "", reasoning: str = "", first: int = 1) -> dict[str, Any]:
    """A step that asks for files."""
    calls = [
        {"id": f"call_{first + place}", "name": "read", "arguments": {"name": name}} for place, name in enumerate(names)
    ]
    return {"text": text, "reasoning": reasoning, "calls": calls}


def says(text: str, reasoning: str = "") -> dict[str, Any]:
    """A step that ends the turn."""
    return {"text": text, "reasoning": reasoning}


def check(request: pytest.FixtureRequest, provider: str, name: str, bodies: list[dict[str, Any]]) -> None:
    """Compares whole bodies with those that were recorded; `--write-golden` records them."""
    path = GOLDEN / provider / f"{name}.json"
    if request.config.getoption("--write-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(bodies, indent=1, ensure_ascii=False) + "\n")
    assert path.exists(), f"{path} is missing: record it with --write-golden, and read what it says"
    assert bodies == json.loads(path.read_text()), f"{path} differs; see --write-golden"
