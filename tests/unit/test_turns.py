"""Usage and cost of a turn, and which of its limits it has come to."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage, RunUsage, UsageLimits

from jobs import reaper
from jobs.run import turns, usage
from leaf import config, parts
from leaf.agent import continuation
from leaf.agent.context import costs, hooks
from leaf.agent.context.window import Turn, Window
from leaf.agent.deps import Deps
from leaf.config.catalog import Mode
from leaf.services.usage import Allowance


def reply(name: str | None = "gpt-4o", **usage: int) -> ModelResponse:
    return ModelResponse([TextPart("x")], model_name=name, provider_name="openai", usage=RequestUsage(**usage))


def test_the_price_of_a_turn_is_the_sum_over_its_replies() -> None:
    """Cached input is cheaper: $2.50, $1.25 and $10.00 a million tokens. # 001-22"""
    turn = [reply(input_tokens=1000, cache_read_tokens=500, output_tokens=100), reply(output_tokens=100)]
    used = usage.of_messages(turn, "openai:gpt-4o")
    assert used.cost_usd == Decimal("0.003875")
    assert (used.input_tokens, used.output_tokens, used.cache_read_tokens, used.requests) == (1000, 200, 500, 2)


def test_a_price_that_is_not_known_is_none_and_the_sandbox_costs_nothing() -> None:
    """# 001-22"""
    turn = [reply(input_tokens=1000), reply("made-up-model", input_tokens=1)]
    assert usage.of_messages(turn, "openai:gpt-4o").cost_usd is None
    assert usage.of_messages(turn, "sandbox:sandbox").cost_usd == 0
    interrupted = [reply(input_tokens=1000), reply(unmeasured_requests=1)]
    assert usage.of_messages(interrupted, "openai:gpt-4o").cost_usd == Decimal("0.0025")


@pytest.fixture
def priced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A table of facts that gives two models a price."""
    module: Any = import_module("leaf.config.catalog")
    prices = [("made-up", 2, 10), ("other-one", 1, 1)]
    told = [f'["{name}"]\ninput_usd = {given}\noutput_usd = {made}\n' for name, given, made in prices]
    (tmp_path / "facts.toml").write_text("[other]\ncontext_tokens = 32_000\n" + "".join(told))
    (tmp_path / "default.toml").write_bytes((module.FOLDER / "default.toml").read_bytes())
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None))
    for cached in (module._facts, module.facts):
        cached.cache_clear()
    yield
    for cached in (module._facts, module.facts):
        cached.cache_clear()


@pytest.mark.usefixtures("priced")
def test_a_price_that_only_the_table_of_facts_knows_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The price is that of the model that answered, whose name may end in a date. # 001-22, 000-27"""
    used = {"input_tokens": 1_000_000, "output_tokens": 500_000}
    for name in ("made-up", "made-up-2026-01-01", "/models/weights.gguf"):
        assert usage.of_messages([reply(name, **used)], "openai-compatible:made-up").cost_usd == 7, name
    assert usage.of_messages([reply("gpt-4o", input_tokens=1000)], "openai:gpt-4o").cost_usd == Decimal("0.0025")
    assert usage.of_messages([reply("unheard-of", **used)], "openai:unheard-of").cost_usd is None
    fallbacks = config.Settings(
        _env_file=None, fallbacks="ollama:other-one", ollama_base_url="http://localhost:11434/v1"
    )
    monkeypatch.setattr(config, "_current", fallbacks)
    assert usage.of_messages([reply("other-one", **used)], "openai:made-up").cost_usd == Decimal("1.5")
    assert usage.of_messages([reply("unheard-of", **used)], "openai:made-up").cost_usd is None


def test_what_closes_a_turn_is_no_request() -> None:
    turn: list[ModelMessage] = turns.closed([*turns.question_messages("Why?")])
    assert usage.of_messages(turn, "openai:gpt-4o") == usage.Usage(0, 0, 0, 0, Decimal(0))


@pytest.mark.parametrize(("details", "thinking"), [({"reasoning_tokens": 7}, 7), ({"thoughts_tokens": 8}, 8), ({}, 0)])
def test_thinking_is_counted_whatever_a_provider_calls_it(details: dict[str, int], thinking: int) -> None:
    """# 001-22"""
    response = ModelResponse([], model_name="m", usage=RequestUsage(output_tokens=9, details=details))
    assert usage.of_messages([response], "google:m").thinking_tokens == thinking


@pytest.mark.parametrize(
    ("settings", "allowance", "limit"),
    [
        ({"step_limit": 1}, Allowance(tokens=1), "steps"),
        ({"token_limit": 500}, Allowance(tokens=500), "tokens"),
        ({"token_limit": 5000}, Allowance(tokens=500), "token budget"),
        ({}, Allowance(tokens=500), "token budget"),
        ({}, Allowance(usd=Decimal("0.001")), "usd budget"),
        ({"cost_limit_usd": Decimal("0.001")}, Allowance(usd=Decimal("0.001")), "cost"),
        ({"cost_limit_usd": Decimal(1)}, Allowance(usd=Decimal("0.001")), "usd budget"),
        ({"cost_limit_usd": Decimal("0.001")}, Allowance(), "cost"),
    ],
)
def test_a_turn_knows_which_limit_it_has_come_to(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, object], allowance: Allowance, limit: str
) -> None:
    """The tightest one bounds the run. # 000-27, 000-68"""
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None).model_copy(update=settings))
    turn = [reply(input_tokens=1000)]
    spent = usage.of_turn(turn, "openai:gpt-4o")
    assert usage.limit_reached(turn, spent, Mode.QUICK, allowance) == limit
    bounds = usage.limits(Mode.QUICK, allowance, "openai:gpt-4o")
    known = [one for one in (settings.get("token_limit"), allowance.tokens) if one is not None]
    assert bounds.total_tokens_limit == (min(known) if known else None)
    assert usage.limits(Mode.QUICK, allowance, "sandbox:sandbox").cost_limit is None


def test_replies_that_broke_off_count_as_tokens_and_not_as_steps() -> None:
    spent = usage.of_turn([reply(input_tokens=1)], "openai:gpt-4o", [reply(input_tokens=10)])
    assert (spent.input_tokens, spent.requests) == (11, 1)


@pytest.mark.usefixtures("priced")
def test_what_was_used_has_the_price_of_the_table_of_facts() -> None:
    """Where another worker goes on. # 000-27"""
    spent = usage.of_turn([reply("made-up", input_tokens=1_000_000)], "openai-compatible:made-up")
    assert spent.cost == Decimal(2)


class _Kept:
    """A journal in memory."""

    def __init__(self) -> None:
        self.results: dict[str, bytes] = {}

    async def keep_result(self, call_id: str, result_json: bytes) -> None:
        """The output of a call."""
        self.results[call_id] = result_json


async def _limited(
    model_id: str, window: Window, history: list[ModelMessage], journal: _Kept | None = None, **limits: Any
) -> RunUsage:
    """The usage of a run when one of its limits has ended it."""
    response = reply(model_id.partition(":")[2], input_tokens=1_000, output_tokens=100)
    model = FunctionModel(lambda _messages, _info: replace(response, usage=deepcopy(response.usage)))
    model._model_name = str(response.model_name)
    deps: Any = SimpleNamespace(context=window, journal=journal, attachments=None)
    agent = Agent(model, deps_type=Deps, capabilities=[hooks.hooks()])
    spent = RunUsage()
    with pytest.raises(UsageLimitExceeded):
        await agent.run("Why?", message_history=history, deps=deps, usage=spent, usage_limits=UsageLimits(**limits))
    return spent


@pytest.mark.usefixtures("priced")
async def test_the_limit_in_dollars_of_a_run_knows_the_table_of_facts() -> None:
    """# 000-27, 000-68"""
    spent = await _limited(
        "openai-compatible:made-up", Window("openai-compatible:made-up"), [], cost_limit=Decimal("0.002")
    )
    assert spent.cost == Decimal("0.003")


@pytest.mark.usefixtures("priced")
@pytest.mark.parametrize("limits", [{"total_tokens_limit": 1_500}, {"cost_limit": Decimal("0.004")}])
async def test_a_summary_that_a_run_makes_counts_toward_its_limits(
    limits: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """# 000-27, 003-33"""
    monkeypatch.setattr(
        config, "_current", config.Settings(_env_file=None).model_copy(update={"context_tokens": 6_000})
    )
    history: list[ModelMessage] = []
    for number in range(8):
        history += [
            *turns.question_messages(f"Question {number}?"),
            ModelResponse([TextPart("It is said at length. " * 400)]),
        ]
    window = Window("openai-compatible:made-up", [Turn(uuid4(), 2)] * 8)
    journal = _Kept()
    spent = await _limited("openai-compatible:made-up", window, history, journal, **limits)
    (made,) = window.summaries
    assert (made.input_tokens, made.output_tokens) == (1_000, 100)
    assert (spent.total_tokens, spent.requests, spent.cost) == (2_200, 1, Decimal("0.006"))
    (known,) = costs.kept(journal.results.get)
    assert (known.input_tokens, known.output_tokens, known.cost_usd) == (1_000, 100, made.cost_usd), (
        "whoever takes over"
    )
    assert made.text.encode() not in b"".join(journal.results.values())


def response(text: str, identifier: str | None) -> ModelResponse:
    return ModelResponse([TextPart(text)], provider_response_id=identifier)


def test_a_reply_that_broke_off_and_its_rest_are_one_step_with_the_id_of_the_first() -> None:
    """Later steps keep their own ids; a cut that another worker has received has the id of its rest. # 003-47"""
    asked: ModelMessage = ModelRequest(parts=[UserPromptPart("Why?")])
    for cut, expected in ((response("Bec", "resp_1"), "resp_1"), (None, "resp_2")):
        turn = continuation.with_rest_requested([asked], "Bec", cut)
        turn += [response("ause", "resp_2"), ModelRequest(parts=[]), response("So.", "resp_3")]
        assert [one["id"] for one in turns.responses(turn)] == [expected, "resp_3"]


def test_a_run_that_is_given_up_keeps_the_ids_of_its_complete_responses() -> None:
    """The reply that nobody has received to its end has none, and not that of another one. # 003-47"""
    called = ModelResponse([ToolCallPart("search", {}, "c")], provider_response_id="resp_1")
    turn: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart("Why?")]), called, ModelRequest(parts=[])]
    fold = parts.Fold()
    for chunk in ({"type": "start", "messageId": "m"}, *[{"type": "start-step"}, {"type": "finish-step"}] * 2):
        fold.apply(chunk)
    assert [one["id"] for one in reaper._responses(fold, turn)] == ["resp_1", None]
    assert turns.responses(turns.closed([*turn])) == turns.responses(turn)
