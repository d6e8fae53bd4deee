"""Whole request bodies, per provider, as they leave Leaf; each is taken by a stand-in with its provider's own rules.

`pytest tests/integration/test_golden_requests.py --write-golden` records them anew. Read the difference then.
"""

import json
from typing import Any

import pytest
from pydantic_ai import CancellationToken

from tests.integration import golden
from tests.integration.golden import PROVIDERS, Chat, chat, check, reads, recorder_at, says

__all__ = ["chat", "recorder_at"]

pytestmark = pytest.mark.parametrize("provider", PROVIDERS)
THOUGHT = "The file will know."


async def test_plain_questions(chat: Chat, provider: str, request: pytest.FixtureRequest) -> None:
    """With prompt caching where the provider has it. # 003-37"""
    for text in ("One.", "Two."):
        assert await chat.ask(PROVIDERS[provider], says(text)) == text
    check(request, provider, "plain", chat.recorder.bodies)


async def test_thinking_and_tools(chat: Chat, provider: str, request: pytest.FixtureRequest) -> None:
    """Within a turn, and on the next one, each thought goes back to its maker unchanged. # 003-17, 003-37"""
    model = PROVIDERS[provider]
    assert (
        await chat.ask(model, reads("lease", text="I look.", reasoning=THOUGHT), says("In 2027.", "So.")) == "In 2027."
    )
    assert await chat.ask(model, says("Yes.", "Sure.")) == "Yes."
    check(request, provider, "thinking_and_tools", chat.recorder.bodies)
    sent = json.dumps(_without_questions(chat.recorder.bodies[-1]))
    signed = {"anthropic": '"signature"', "openai-responses": '"encrypted_content"', "google": '"thoughtSignature"'}
    assert signed[provider] in sent if provider in signed else THOUGHT not in sent


async def test_parallel_calls(chat: Chat, provider: str, request: pytest.FixtureRequest) -> None:
    """# 003-37"""
    step = reads("lease", "plan", "memo", reasoning=THOUGHT)
    assert await chat.ask(PROVIDERS[provider], step, reads("last", first=4), says("All read.")) == "All read."
    assert await chat.ask(PROVIDERS[provider], says("Yes.")) == "Yes."
    check(request, provider, "parallel_calls", chat.recorder.bodies)


async def test_a_question_after_a_stop_in_the_middle_of_a_call(
    chat: Chat, provider: str, request: pytest.FixtureRequest
) -> None:
    """Each call has a result, whatever became of it. # 003-37"""
    step = reads("lease", "plan", reasoning=THOUGHT)
    await chat.ask(PROVIDERS[provider], step, says("Never."), cancelled_by=CancellationToken())
    assert await chat.ask(PROVIDERS[provider], says("Still here.")) == "Still here."
    check(request, provider, "after_a_stop", chat.recorder.bodies)


async def test_a_worker_that_takes_over_makes_the_calls_that_were_asked_for(
    chat: Chat, provider: str, request: pytest.FixtureRequest
) -> None:
    """# 003-37"""
    step = reads("lease", "plan", reasoning=THOUGHT)
    assert await chat.crash_and_go_on(PROVIDERS[provider], step, says("In 2027.")) == "In 2027."
    assert await chat.ask(PROVIDERS[provider], says("Yes.")) == "Yes."
    check(request, provider, "after_a_crash", chat.recorder.bodies)


@pytest.mark.parametrize("other", PROVIDERS)
async def test_the_same_chat_goes_on_at_another_provider(
    chat: Chat, provider: str, other: str, request: pytest.FixtureRequest
) -> None:
    """Nothing that one has signed, encrypted or named is sent to another, nor its thinking. # 003-01, 003-17, 002-30"""
    step = reads("lease", "plan", text="I look.", reasoning=THOUGHT)
    await chat.ask(PROVIDERS[other], step, says("In 2027.", "So."))
    first = len(chat.recorder.bodies)
    assert await chat.ask(PROVIDERS[provider], reads("memo", first=8), says("Yes.")) == "Yes."
    bodies = chat.recorder.bodies[first:]
    check(request, provider, f"after_{other}", bodies)
    if other != provider:
        sent = json.dumps(_without_questions(bodies))
        assert THOUGHT not in sent
        foreign = ('"rs_', '"msg_', '"resp_', '"fc_', '"encrypted_content":', '"signature"')
        own = ('"fc_', '"msg_') if provider == "openai-responses" else ()
        assert not any(mark in sent for mark in foreign if mark not in own)
        assert not any(f'"id": "{mark[1:]}' in json.dumps(bodies[0]) for mark in foreign)


async def test_long_results_of_earlier_turns_leave(
    chat: Chat, provider: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With their calls still paired, and thinking gone before them. # 002-29"""
    golden.change(monkeypatch, context_tokens=4200)
    model = PROVIDERS[provider]
    await chat.ask(model, reads("long lease", reasoning=THOUGHT), says("In 2027.", "So."))
    await chat.ask(model, reads("long plan", reasoning=THOUGHT, first=5), says("In May."))
    first = len(chat.recorder.bodies)
    assert await chat.ask(model, reads("long memo", first=7), says("Yes.")) == "Yes."
    bodies = chat.recorder.bodies[first:]
    check(request, provider, "pruned", bodies)
    sent = json.dumps(bodies[-1])
    assert sent.count("Left out of this request") >= 1
    assert json.dumps(golden.PAGE)[1:-1] in sent


async def test_earlier_turns_are_summarised(
    chat: Chat, provider: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The summary is one request more, and stands before the turns that are left. # 003-33"""
    golden.change(monkeypatch, context_tokens=1600)
    model = PROVIDERS[provider]
    for number in range(6):
        await chat.ask(model, says(f"Answer {number}. " + "It ends in 2027. " * 25, THOUGHT))
    first = len(chat.recorder.bodies)
    window = chat.window
    assert window is not None
    assert window.summary is not None
    assert await chat.ask(model, says("Yes.")) == "Yes."
    summaries = [body for body in chat.recorder.bodies[:first] if "Summarise the conversation" in json.dumps(body)]
    check(request, provider, "compacted", [*summaries, *chat.recorder.bodies[first:]])
    assert summaries
    assert "Summary of the earlier part" in json.dumps(chat.recorder.bodies[-1])


def _without_questions(value: Any) -> Any:
    """A body without the questions, which hold the script of what is to be said."""
    if isinstance(value, dict):
        return {key: _without_questions(one) for key, one in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [_without_questions(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
    return "" if isinstance(value, str) and value.startswith("```json") else value
