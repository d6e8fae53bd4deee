"""Limits of one answer, silent models, slow tools, models that stand in: the job runs in this process, with settings
of the test's own, while the workers sleep.
"""

import time
from typing import Any

import pytest

from jobs.respond import respond
from leaf import config
from leaf.db import Actor
from leaf.documents import isolation
from leaf.services import chats, conversations
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION
from tests.acceptance.stack import Sandbox, Stack
from tests.acceptance.workers import Crew


async def _answered(
    crew: Crew, stack: Stack, ask: Ask, actor: Actor, model: str, **settings: Any
) -> tuple[chats.Message, float]:
    """The answer of a model under these settings, and how long it took."""
    with crew.away():
        turn = await ask(actor, QUESTION, model=model)
        run_id = turn.assistant.run_id
        assert run_id is not None
        config.install(stack.settings.model_copy(update=settings))
        begun = time.monotonic()
        try:
            await respond({}, str(run_id), 1)
        finally:
            config.install(stack.settings)
            isolation.close()
        seconds = time.monotonic() - begun
        return await conversations.result(actor, run_id), seconds


@pytest.mark.parametrize(
    ("limit", "said", "model", "settings"),
    [
        ("steps", "2 steps", "sandbox:sandbox-loop", {"step_limit": 2}),
        ("tokens", "200 tokens", "sandbox:sandbox", {"token_limit": 200}),
        ("time", "0.05 minutes", "sandbox:sandbox-slow-40", {"run_seconds": 3.0}),
    ],
)
async def test_an_answer_that_reaches_a_limit_says_so_and_keeps_what_there_is(
    crew: Crew, stack: Stack, ask: Ask, ada: Actor, limit: str, said: str, model: str, settings: dict[str, Any]
) -> None:
    """004-11: it counts as answered, and says of itself that it is partial. # 001-23"""
    stored, seconds = await _answered(crew, stack, ask, ada, model, **settings)
    assert (stored.status, stored.details["limit"]) == ("completed", limit)
    assert f"limit of {said}" in stored.parts[-1]["text"]
    assert "partial" in stored.parts[-1]["text"]
    assert len(stored.parts) > 2
    assert seconds < 15


async def test_a_silent_model_is_asked_once_more_and_then_given_up(
    crew: Crew, stack: Stack, ask: Ask, ada: Actor, sandbox: Sandbox
) -> None:
    """000-43: nobody waits for ever."""
    stored, seconds = await _answered(crew, stack, ask, ada, "sandbox:sandbox-silent", model_silence_seconds=1.0)
    assert (stored.status, stored.error_code) == ("error", "model_timeout")
    assert seconds < 15


async def test_a_tool_that_takes_too_long_is_ended_and_the_model_goes_on(
    crew: Crew, stack: Stack, ask: Ask, ada: Actor, sandbox: Sandbox
) -> None:
    """001-21: the step says what happened."""
    sandbox.fault("/drive/v3/files", None, times=1, delay_seconds=6)
    stored, _ = await _answered(crew, stack, ask, ada, "sandbox:sandbox", tool_seconds=0.5)
    assert stored.status == "completed"
    failed = [part for part in stored.parts if part.get("state") == "output-error"]
    assert "took longer than 0.5 seconds" in failed[0]["errorText"]


async def test_another_model_answers_where_the_first_one_cannot(
    crew: Crew, stack: Stack, ask: Ask, ada: Actor, sandbox: Sandbox
) -> None:
    """LEAF_FALLBACK_MODELS."""
    stored, _ = await _answered(crew, stack, ask, ada, "sandbox:sandbox-fail", fallbacks="sandbox:sandbox")
    assert stored.status == "completed"
    assert {entry["model"] for entry in sandbox.asked()} == {"sandbox-fail", "sandbox"}


async def test_where_no_model_answers_the_reader_learns_what_the_first_one_said(
    crew: Crew, stack: Stack, ask: Ask, ada: Actor, sandbox: Sandbox
) -> None:
    """And not that something went wrong with Leaf. # 000-43"""
    sandbox.fault("chat/completions", 400, times=2)
    stored, _ = await _answered(crew, stack, ask, ada, "sandbox:sandbox", fallbacks="sandbox:sandbox-slow")
    assert (stored.status, stored.error_code) == ("error", "model_refused")
