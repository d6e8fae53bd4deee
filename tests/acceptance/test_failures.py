"""Failures of models and Drive: passing ones are tried again, lasting ones are explained to the reader."""

import re
from typing import Any

import pytest

from leaf import parts
from leaf.db import Actor
from leaf.services import chats, conversations
from sandbox.providers import texts
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION, Reader, reading
from tests.acceptance.stack import Sandbox, Stack

pytestmark = pytest.mark.usefixtures("worker")

INTERNALS = ("sandbox-fail", "127.0.0.1", "500", "server_error", "Traceback", "status_code", "openai")


async def _asked(ask: Ask, actor: Actor, model: str, **options: Any) -> tuple[chats.Message, Reader]:
    turn = await ask(actor, QUESTION, model=model, **options)
    async with reading(actor, turn.assistant.run_id) as reader:
        stored = await reader.end()
    assert stored.parts == reader.parts
    return stored, reader


async def test_a_failing_model_is_told_in_words_and_a_retry_answers_the_same_question(
    ada: Actor, ask: Ask, stack: Stack
) -> None:
    """000-43, 000-48, 001-21: no internals of the provider, no second question, no second answer."""
    chat_id = await chats.new(ada)
    failed, reader = await _asked(ask, ada, "sandbox:sandbox-fail", chat_id=chat_id)
    assert (failed.status, failed.error_code) == ("error", "model_unavailable")
    assert [chunk["type"] for chunk in reader.chunks[-2:]] in (["error", "finish"], ["finish-step", "finish"])
    told = f"{failed.error_text} {reader.chunks} {failed.parts} {failed.details}"
    # Which model it was stands in the metadata, for whoever chooses another one.
    told = told.replace("sandbox:sandbox-fail", "")
    # Ids have any digits.
    assert [word for word in INTERNALS if re.search(rf"\b{re.escape(word)}\b", told)] == []
    question = (await chats.open(ada, chat_id)).messages[0]
    with stack.model("sandbox:sandbox"):
        again = await conversations.retry(ada, failed.id)
    assert (again.user.id, again.assistant.id) == (question.id, failed.id)
    async with reading(ada, again.assistant.run_id) as reader:
        stored = await reader.end()
    assert (stored.status, stored.error_code, stored.error_text) == ("completed", None, None)
    assert stored.parts == reader.parts
    assert [message.id for message in (await chats.open(ada, chat_id)).messages] == [question.id, failed.id]


async def test_one_refusal_of_the_model_does_not_fail_a_run(ada: Actor, ask: Ask, sandbox: Sandbox) -> None:
    """000-31: `sandbox-flaky` answers every other request with 503."""
    stored, reader = await _asked(ask, ada, "sandbox:sandbox-flaky")
    assert stored.status == "completed"
    assert {entry["status"] for entry in sandbox.asked()} == {200, 503}
    assert [chunk["type"] for chunk in reader.chunks].count("start-step") * 2 == len(sandbox.asked())


async def test_one_refusal_of_drive_does_not_fail_a_run(ada: Actor, ask: Ask, sandbox: Sandbox) -> None:
    """000-31: one 503 of Google is not even seen."""
    sandbox.fault("/drive/v3/files", 503)
    stored, reader = await _asked(ask, ada, "sandbox:sandbox")
    assert stored.status == "completed"
    assert [request["status"] for request in sandbox.requests("/drive/")].count(503) == 1
    assert len(reader.tools()) >= 2
    assert reader.tools("output-error") == []
    assert "Halden" in reader.text


async def test_a_stream_that_is_cut_again_and_again_ends_in_an_error_without_repeated_text(
    ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """000-31, 000-43: the model is asked from the checkpoint on, once more; tools are called once."""
    stored, reader = await _asked(ask, ada, "sandbox:sandbox-cut")
    assert (stored.status, stored.error_code) == ("error", "model_interrupted")
    finishes = [entry["finish"] for entry in sandbox.asked()]
    assert finishes[-3:] == ["tool_calls", "cut", "cut"]
    assert finishes.count("cut") == 2
    calls = [str((part["type"], part["input"])) for part in reader.tools()]
    assert len(set(calls)) == len(calls) >= 2
    assert reader.text.count("This is how") == 1


async def test_a_step_beyond_the_limit_never_starts_and_the_reader_is_told(
    ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """000-27, 002-09: `sandbox-loop` asks for a tool for ever; quick mode has 20 steps."""
    chat_id = await chats.new(ada)
    stored, reader = await _asked(ask, ada, "sandbox:sandbox-loop", chat_id=chat_id)
    assert stored.status == "completed"
    assert len(sandbox.asked()) == 20
    assert "limit of 20 steps" in reader.text
    assert stored.details["limit"] == "steps"
    after, _ = await _asked(ask, ada, "sandbox:sandbox", chat_id=chat_id)
    assert after.status == "completed"


async def test_what_a_hostile_model_says_is_stored_word_for_word(ada: Actor, ask: Ask) -> None:
    """000-26: making it harmless is the page's part; the record is what the model said."""
    stored, _ = await _asked(ask, ada, "sandbox:sandbox-hostile")
    assert stored.status == "completed"
    assert parts.text_of({"parts": stored.parts}).strip() == texts.hostile().strip()


async def test_reasoning_is_kept_in_parts_of_its_own(ada: Actor, ask: Ask, sandbox: Sandbox) -> None:
    """000-26, 001-11: each step thinks before it acts, and the text stays free of it."""
    stored, reader = await _asked(ask, ada, "sandbox:sandbox-reasoning")
    assert stored.status == "completed"
    thoughts = [part for part in stored.parts if part["type"] == "reasoning"]
    assert len(thoughts) == len(sandbox.asked()) >= 3
    assert all(part["state"] == "done" and "The user asks" in part["text"] for part in thoughts)
    assert "The user asks" not in reader.text
