"""Fitting a chat into what its model takes: what leaves, in which order, and what is said of it."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.exceptions import (
    FallbackExceptionGroup,
    ModelAPIError,
    ModelContextWindowExceededError,
    ModelHTTPError,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import RequestUsage

from jobs.run import turns
from leaf import config, errors
from leaf.agent import context
from leaf.agent.context import compaction, cuts, estimates, references, thinking
from leaf.agent.context.window import Turn, Window, answer_tokens, context_tokens
from leaf.parts.summaries import Summary

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PAGE = "The lease ends on 28 February 2027. " * 200


def question(text: str) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(text, timestamp=NOW)])


def answer(text: str, *thoughts: ThinkingPart) -> ModelResponse:
    return ModelResponse(parts=[*thoughts, TextPart(text, id="msg_1")], timestamp=NOW)


def reading(call_id: str, content: str = PAGE, page: int = 1) -> list[ModelMessage]:
    """A file is read: the call and what it gave."""
    arguments = {"file": "f1", "part": f"page {page}"}
    result = {
        "file": {"id": "f1", "name": "Lease.pdf", "revision": "7", "url": "https://drive.google.com/file/d/f1/view"},
        "part": f"page {page}",
        "content": content,
        "complete": False,
    }
    return [
        ModelResponse(parts=[ToolCallPart("read_drive_file", arguments, call_id)], timestamp=NOW),
        ModelRequest(parts=[ToolReturnPart("read_drive_file", result, call_id, timestamp=NOW)]),
    ]


def turn(number: int, *, thinks: bool = True, content: str = PAGE) -> list[ModelMessage]:
    thoughts = (ThinkingPart("I think. " * 60, signature="s", provider_name="anthropic"),) if thinks else ()
    return [question(f"Question {number}"), *reading(f"c{number}", content), answer(f"Answer {number}", *thoughts)]


def results(messages: list[ModelMessage]) -> list[Any]:
    return [part.content for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def thoughts(messages: list[ModelMessage]) -> int:
    return sum(isinstance(part, ThinkingPart) for message in messages for part in message.parts)


def is_whole(result: Any) -> bool:
    return "left_out" not in result


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_current", config.Settings.model_construct(context_tokens=None))


def test_thinking_leaves_first_then_results_of_earlier_turns_then_those_of_the_running_one() -> None:
    """The oldest first, each time. # 002-29, 003-33"""
    running = [question("Now"), *reading("n1"), *reading("n2"), *reading("n3")]
    turns = [turn(1), turn(2), running]
    states: list[tuple[int, list[bool]]] = []
    for excess in range(0, estimates.of_messages(cuts.flat(turns)), 40):
        messages = cuts.flat(cuts.pruned(turns, excess, 1))
        state = thoughts(messages), [is_whole(result) for result in results(messages)]
        if state not in states:
            states.append(state)
    assert states == [
        (2, [True] * 5),
        (1, [True] * 5),
        (0, [True] * 5),
        (0, [False, True, True, True, True]),
        (0, [False, False, True, True, True]),
        (0, [False, False, False, True, True]),
        (0, [False, False, False, False, True]),
    ]
    assert results(cuts.flat(turns)) == results(cuts.flat(cuts.pruned(turns, 0, 1)))


def test_what_takes_the_place_of_a_result_says_what_it_was_and_how_to_read_it_again() -> None:
    """Name, id, revision and range, and the call with its arguments (decision 0015). # 002-29"""
    call, returned = reading("c1", page=12)
    assert isinstance(returned, ModelRequest)
    part = returned.parts[0]
    assert isinstance(part, ToolReturnPart)
    short: Any = references.of_result(part, cuts.calls_of([call])["c1"]).content
    assert short["file"]["name"] == "Lease.pdf"
    assert (short["file"]["id"], short["file"]["revision"], short["part"]) == ("f1", "7", "page 12")
    assert short["content"] == f"[{len(PAGE):,} characters]"
    assert 'Call read_drive_file again with {"file":"f1","part":"page 12"}' in short["left_out"]
    text: Any = references.of_result(ToolReturnPart("fetch", PAGE, "c2"), None).content
    assert text.startswith("The lease ends")
    assert len(text) < 400


def test_the_arguments_of_earlier_calls_are_shortened_as_well() -> None:
    """A file that was written stands in its call. # 002-29"""
    call = ToolCallPart("write_file", {"path": "notes.md", "content": PAGE}, "c1")
    written: list[ModelMessage] = [
        question("Write it"),
        ModelResponse(parts=[call]),
        ModelRequest(parts=[ToolReturnPart("write_file", {"path": "notes.md"}, "c1")]),
        answer("Done"),
    ]
    (first, _) = cuts.pruned([written, [question("And?")]], 10, 1)
    assert cuts.calls_of(first)["c1"].args == {"path": "notes.md", "content": f"[{len(PAGE):,} characters]"}
    assert call.args_as_dict()["content"] == PAGE


def test_what_leaves_stays_the_same_while_the_chat_grows_a_little() -> None:
    """So that providers find the beginning of the request in their caches. # 002-29"""
    turns = [turn(number, thinks=False) for number in range(1, 9)]
    beginnings = [
        tuple(is_whole(result) for result in results(cuts.flat(cuts.pruned(turns, excess, 6000))))
        for excess in range(100, 6000, 500)
    ]
    assert len(set(beginnings)) == 1
    assert beginnings[0].count(False) >= 3


def test_a_message_without_its_thinking_has_no_ids_either() -> None:
    """OpenAI refuses an item by its id without the reasoning that it came after. # 002-30"""
    stripped = thinking.without_thinking(answer("Yes", ThinkingPart("Hm", id="rs_1", signature="s")))
    assert stripped.parts == [TextPart("Yes", id=None)]
    alone = ModelResponse(parts=[ThinkingPart("Hm")])
    assert thinking.without_thinking(alone).parts == [TextPart(thinking.NOTHING_SAID)]


@pytest.mark.parametrize(
    ("maker", "kept"),
    [("anthropic", {"anthropic"}), ("openai", {"openai"}), ("openai-chat", set[str]())],
)
def test_thinking_is_sent_to_its_own_maker_only(maker: str, kept: set[str]) -> None:
    """And to none where the protocol has no place for it. # 002-30, 003-01, 003-17"""
    openai = OpenAIProvider(api_key="any")
    model = {
        "anthropic": AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(api_key="any")),
        "openai": OpenAIResponsesModel("gpt-5.2", provider=openai),
        "openai-chat": OpenAIChatModel("gpt-5.2", provider=openai),
    }[maker]
    for provider in ("anthropic", "openai", "google", "deepseek"):
        thought = ThinkingPart("Hm", signature="s", provider_name=provider)
        said = ModelResponse(parts=[thought, TextPart("Yes")], provider_name=provider)
        sent = thinking.fitting([question("One"), said, question("Two")], model)
        assert (thoughts(sent) == 1) is (provider in kept), provider
        unsigned = ModelResponse(parts=[ThinkingPart("Hm", provider_name=provider), TextPart("Yes")])
        assert thoughts(thinking.fitting([question("One"), unsigned, question("Two")], model)) == 0, provider
        broken_off = ModelResponse(parts=[TextPart("Yes"), thought], provider_name=provider)
        assert thoughts(thinking.fitting([question("One"), broken_off, question("Two")], model)) == 0, provider


def _model(calls: list[list[ModelMessage]], said: str = "They spoke of leases.") -> FunctionModel:
    def reply(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        calls.append(messages)
        return ModelResponse(parts=[TextPart(said)], usage=RequestUsage(input_tokens=70, output_tokens=7))

    return FunctionModel(reply)


def _request(messages: list[ModelMessage], model: FunctionModel) -> ModelRequestContext:
    return ModelRequestContext(
        model=model, messages=messages, model_settings=None, model_request_parameters=ModelRequestParameters()
    )


class Kept:
    """A store in memory."""

    def __init__(self) -> None:
        self.rows: list[Summary] = []

    async def keep(self, summary: Summary) -> None:
        self.rows.append(summary)


def _chat(count: int) -> tuple[list[ModelMessage], list[Turn]]:
    turns = [
        [question(f"Question {n}: " + "why " * 60), answer(f"Answer {n}: " + "because " * 60)] for n in range(count)
    ]
    return [message for one in turns for message in one], [Turn(uuid4(), len(one)) for one in turns]


def _texts(messages: list[ModelMessage]) -> list[Any]:
    return [part.content for message in messages for part in message.parts if not isinstance(part, ToolCallPart)]


async def test_three_hundred_turns_are_summarised_once_and_the_summary_serves_the_next_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """# 001-18, 003-33"""
    monkeypatch.setattr(
        config, "_current", config.Settings.model_construct(context_tokens=8000, model_silence_seconds=60)
    )
    history, turns = _chat(300)
    asked: list[list[ModelMessage]] = []
    store = Kept()
    window = Window("openai:nobody-knows", turns, store=store.keep)
    sent: list[list[ModelMessage]] = []
    for number in range(5):
        request = _request([*history, question(f"New question {number}")], _model(asked))
        await context.fit(window, request)
        sent.append(request.messages)
        assert estimates.of_messages(request.messages) + answer_tokens(8000) <= 8000
    assert len(asked) == len(store.rows) == len(window.summaries) == 1
    assert store.rows[0].message_id == turns[window.covered - 1].message_id
    assert store.rows[0].text == "They spoke of leases."
    assert (store.rows[0].input_tokens, store.rows[0].output_tokens) == (70, 7)
    assert estimates.of_messages(asked[0]) < 8000
    # The beginning stays as it was, for the provider's cache; the question is the last message.
    assert len({tuple(_texts(messages[:-1])) for messages in sent}) == 1
    first: Any = sent[0][0].parts[0]
    assert first.content.endswith("They spoke of leases.")
    last: Any = sent[4][-1].parts[0]
    assert last.content == "New question 4"
    assert 0 < window.covered < 300


async def test_a_summary_that_no_model_writes_is_put_together_from_first_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of it is no error of the answer. # 003-33"""
    monkeypatch.setattr(
        config, "_current", config.Settings.model_construct(context_tokens=4000, model_silence_seconds=60)
    )

    def fail(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        raise ModelAPIError("nobody", "away")

    history, turns = _chat(40)
    window = Window("openai:nobody-knows", turns)
    request = _request([*history, question("And now?")], FunctionModel(fail))
    await context.fit(window, request)
    assert window.summary is not None
    assert window.summary.model is None
    assert "User: Question 0: why" in window.summary.text
    assert estimates.of_messages(request.messages) + answer_tokens(4000) <= 4000


async def test_a_summary_that_cannot_be_kept_serves_its_own_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """# 003-33"""
    monkeypatch.setattr(
        config, "_current", config.Settings.model_construct(context_tokens=4000, model_silence_seconds=60)
    )

    class Away(Kept):
        async def keep(self, summary: Summary) -> None:
            await super().keep(summary)
            raise errors.DatabaseUnavailable

    history, turns = _chat(40)
    store = Away()
    window = Window("openai:nobody-knows", turns, store=store.keep)
    asked: list[list[ModelMessage]] = []
    for _ in range(2):
        await context.fit(window, _request([*history, question("And now?")], _model(asked)))
    assert len(store.rows) == len(asked) == 1


async def test_a_question_and_a_result_bigger_than_the_window_are_cut_with_a_mark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """# 002-29"""
    monkeypatch.setattr(
        config, "_current", config.Settings.model_construct(context_tokens=2000, model_silence_seconds=60)
    )
    asked = [question("What is this? " + "word " * 20_000), *reading("c1", "page " * 50_000)]
    request = _request(asked, _model([]))
    await context.fit(Window("openai:nobody-knows"), request)
    assert estimates.of_messages(request.messages) <= 1500
    text: Any = request.messages[0].parts[0]
    assert text.content.startswith("What is this?")
    assert "characters are left out here" in text.content
    (result,) = results(request.messages)
    assert result["file"]["name"] == "Lease.pdf"
    assert "characters are left out here" in result["content"]


async def test_a_long_file_read_in_pieces_never_outgrows_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four hundred pages in one turn: the newest piece is always there, the older ones by reference. # 002-29"""
    monkeypatch.setattr(
        config, "_current", config.Settings.model_construct(context_tokens=16_000, model_silence_seconds=60)
    )
    messages: list[ModelMessage] = [question("Summarise all of it")]
    window = Window("openai:nobody-knows")
    for page in range(1, 81):
        messages += reading(f"c{page}", page=page)
        request = _request([*messages], _model([]))
        await context.fit(window, request)
        assert estimates.of_messages(request.messages) <= 12_000
        assert is_whole(results(request.messages)[-1])
    assert len(results(messages)) == 80
    assert all(is_whole(result) for result in results(messages))


async def test_a_refused_request_is_halved_until_nothing_more_can_leave() -> None:
    """# 002-29"""
    history, turns = _chat(3)
    window = Window("sandbox:sandbox", turns)
    await context.fit(window, _request([*history, question("Now?")], _model([])))
    sent = window.sent
    assert window.narrow()
    assert window.tokens == sent // 2
    await context.fit(window, _request([*history, question("Now?")], _model([])))
    assert window.sent < sent
    steps = 0
    while window.narrow():
        steps += 1
        await context.fit(window, _request([*history, question("Now?")], _model([])))
    assert steps < 10
    too_long = ModelContextWindowExceededError(model_name="x", message="too long")
    assert context.is_too_long(FallbackExceptionGroup("all", [ModelAPIError("y", "no"), too_long]))
    assert not context.is_too_long(ModelAPIError("y", "no"))
    body = {"error": {"message": "input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000"}}
    assert context.is_too_long(ModelHTTPError(400, "claude", body))
    assert context.is_too_long(ModelHTTPError(413, "claude"))
    assert not context.is_too_long(ModelHTTPError(400, "claude", {"error": {"message": "Invalid `signature`"}}))


def test_what_a_provider_has_counted_corrects_the_estimate() -> None:
    """# 002-29"""
    response = answer("Yes")
    response.usage = RequestUsage(input_tokens=3000)
    estimates.record(response, "openai:x", 2000)
    assert estimates.scale([question("One"), response, question("Two")], "openai:x") == 1.5
    assert estimates.scale([question("One"), response, question("Two")], "openai:y") == 1.0


@given(st.text(max_size=400), st.integers(0, 500))
def test_a_cut_text_is_never_much_longer_than_asked_for(text: str, characters: int) -> None:
    cut = references.cut(text, characters)
    assert cut == text or (len(cut) <= characters + 90 and cut.startswith(text[: characters * 2 // 3]))


@given(st.text(max_size=300))
def test_an_estimate_grows_with_its_text(text: str) -> None:
    assert estimates.of_text(text) <= estimates.of_text(text + "more of it")
    assert estimates.of_text(text) >= len(text) * 2 // 7


def test_the_context_of_a_model_is_known_or_taken_for_small(monkeypatch: pytest.MonkeyPatch) -> None:
    assert context_tokens("anthropic:claude-sonnet-4-5") >= 200_000
    assert context_tokens("openai-chat:gpt-4o") == 128_000
    assert context_tokens("openai-chat:nobody-knows") == 32_000
    assert context_tokens("sandbox:sandbox") == 128_000
    monkeypatch.setattr(config, "_current", config.Settings.model_construct(context_tokens=5000))
    assert context_tokens("anthropic:claude-sonnet-4-5") == 5000


def test_a_transcript_of_any_length_is_cut_to_its_budget() -> None:
    history, _ = _chat(300)
    text = compaction.transcript("Before.", [history], 2000)
    assert estimates.of_text(text) <= 2000
    assert "Question 0" in text
    assert "Answer 299" in text


def _from_a_file(number: int) -> list[ModelMessage]:
    turn = turns.imported(f"Question {number}: which shed?", f"Shed {number}, in the yard.")
    return turns.history([turn])


def test_a_summary_tells_what_was_said_in_turns_that_come_from_a_file() -> None:
    """A chat that was imported is no less of a chat, once it has outgrown its model. # 001-18, 003-35"""
    said = [_from_a_file(number) for number in range(3)]
    said.append([question("And now?"), answer("Now as before.")])
    for text in (compaction.transcript(None, said, 2000), compaction.mechanical(None, said, 2000)):
        for expected in ("Question 0: which shed?", "Shed 2, in the yard.", "And now?", "Now as before."):
            assert expected in text
        assert "was imported" not in text
        assert "User: [imported] Question 1" in text, "it is not the user who says it here"
