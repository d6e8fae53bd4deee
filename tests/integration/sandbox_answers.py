"""Questions for the sandbox's model, answered with Leaf's own Drive tools from a sandbox's Drive."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

from leaf import config
from leaf.agent.deps import Deps
from leaf.agent.tools.drive import list_drive_folder, read_drive_file, search_files
from leaf.db import Actor
from leaf.services.files import ChatFiles
from sandbox.conversation import Call, Conversation, Message
from sandbox.model import brain
from tests.integration.drive_google import GooglesSearch, Grant, Kept
from tests.integration.sandbox_fixtures import SandboxProcess

TOOLS: dict[str, Callable[..., Awaitable[dict[str, Any]]]] = {
    "list_drive_folder": list_drive_folder, "search_files": search_files, "read_drive_file": read_drive_file,
}  # fmt: skip
OFFERED: dict[str, dict[str, Any]] = {name: {} for name in TOOLS}
STEPS = 10
"""`LEAF_STEP_LIMIT`, which an answer must keep."""


@dataclass
class Answered:
    """An answer, and what was done for it."""

    text: str
    calls: list[Call]
    parts: list[dict[str, Any]]
    """The answer as it is stored."""

    @property
    def lead(self) -> str:
        return self.text.split("\n\n", maxsplit=1)[0]


@dataclass
class Asker:
    """Somebody who asks, each question in a chat of its own."""

    deps: Deps
    context: RunContext[Deps] = field(init=False)

    def __post_init__(self) -> None:
        self.context = RunContext(deps=self.deps, model=TestModel(), usage=RunUsage())

    async def ask(self, question: str) -> Answered:
        """The answer of the sandbox's model."""
        messages = [Message("user", question)]
        calls: list[Call] = []
        parts: list[dict[str, Any]] = []
        for step_number in range(STEPS):
            step = brain.decide(Conversation(tuple(messages), OFFERED))
            parts.append({"type": "text", "text": step.text})
            if not step.calls:
                return Answered(step.text, calls, parts)
            named = tuple(
                Call(f"{step_number}-{number}", call.name, call.arguments) for number, call in enumerate(step.calls)
            )
            calls += named
            messages.append(Message("assistant", step.text, named))
            for call in named:
                given, failed = await self._called(call)
                messages.append(Message("tool", json.dumps(given) if not failed else str(given), (), call.id, failed))
                if not failed:
                    part = {"type": f"tool-{call.name}", "toolCallId": call.id, "state": "output-available"}
                    parts.append({**part, "input": call.arguments, "output": given})
        raise AssertionError(f"no answer to {question!r} within {STEPS} steps: {calls}")

    async def _called(self, call: Call) -> tuple[Any, bool]:
        try:
            return await TOOLS[call.name](self.context, **call.arguments), False
        except (ModelRetry, ToolFailed) as refused:
            return str(refused), True


@asynccontextmanager
async def asker(sandbox: SandboxProcess, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Asker]:
    """Ada, whose Drive is that of a running sandbox."""
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None, sandbox_url=sandbox.url))
    token = sandbox.sign_in("ada")["access_token"]
    access = Grant(token)
    files = ChatFiles(Actor.system(), uuid4())
    yield Asker(Deps(uuid4(), uuid4(), access, Kept(), files, library=GooglesSearch(access)))
