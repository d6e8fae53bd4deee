"""What a turn has used and cost, and which of its limits it has come to."""

from collections.abc import Iterator
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.usage import RequestUsage

from jobs import turns
from leaf import config
from leaf.catalog import Mode
from leaf.services.usage import Allowance


def reply(name: str | None = "gpt-4o", **usage: int) -> ModelResponse:
    return ModelResponse([TextPart("x")], model_name=name, provider_name="openai", usage=RequestUsage(**usage))


def test_the_price_of_a_turn_is_the_sum_over_its_replies() -> None:
    """Cached input is cheaper: $2.50, $1.25 and $10.00 a million tokens. # 001-22"""
    turn = [reply(input_tokens=1000, cache_read_tokens=500, output_tokens=100), reply(output_tokens=100)]
    used = turns.usage(turn, "openai:gpt-4o")
    assert used.cost_usd == Decimal("0.003875")
    assert (used.input_tokens, used.output_tokens, used.cache_read_tokens, used.requests) == (1000, 200, 500, 2)


def test_a_price_that_is_not_known_is_none_and_the_sandbox_costs_nothing() -> None:
    """# 001-22"""
    turn = [reply(input_tokens=1000), reply("made-up-model", input_tokens=1)]
    assert turns.usage(turn, "openai:gpt-4o").cost_usd is None
    assert turns.usage(turn, "sandbox:sandbox").cost_usd == 0
    interrupted = [reply(input_tokens=1000), reply(unmeasured_requests=1)]
    assert turns.usage(interrupted, "openai:gpt-4o").cost_usd == Decimal("0.0025")


@pytest.fixture
def priced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A table of facts that gives two models a price."""
    module: Any = import_module("leaf.catalog.facts")
    prices = [("made-up", 2, 10), ("other-one", 1, 1)]
    told = [f'["{name}"]\ninput_usd = {given}\noutput_usd = {made}\n' for name, given, made in prices]
    (tmp_path / "facts.toml").write_text("[other]\ncontext_tokens = 32_000\n" + "".join(told))
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None))
    for cached in (module._facts, module.facts):
        cached.cache_clear()
    yield
    for cached in (module._facts, module.facts):
        cached.cache_clear()


@pytest.mark.usefixtures("priced")
def test_a_price_that_only_the_table_of_facts_knows_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the model that has answered, whose name may have a date behind it. # 001-22, 000-27"""
    used = {"input_tokens": 1_000_000, "output_tokens": 500_000}
    for name in ("made-up", "made-up-2026-01-01", "/models/weights.gguf"):
        assert turns.usage([reply(name, **used)], "openai-compatible:made-up").cost_usd == 7, name
    assert turns.usage([reply("gpt-4o", input_tokens=1000)], "openai:gpt-4o").cost_usd == Decimal("0.0025")
    assert turns.usage([reply("unheard-of", **used)], "openai:unheard-of").cost_usd is None
    fallbacks = config.Settings(
        _env_file=None, fallbacks="ollama:other-one", ollama_base_url="http://localhost:11434/v1"
    )
    monkeypatch.setattr(config, "_current", fallbacks)
    assert turns.usage([reply("other-one", **used)], "openai:made-up").cost_usd == Decimal("1.5")
    assert turns.usage([reply("unheard-of", **used)], "openai:made-up").cost_usd is None


def test_what_closes_a_turn_is_no_request() -> None:
    turn: list[ModelMessage] = turns.closed([*turns.asked("Why?")])
    assert turns.usage(turn, "openai:gpt-4o") == turns.Usage(0, 0, 0, 0, Decimal(0))


@pytest.mark.parametrize(("details", "thinking"), [({"reasoning_tokens": 7}, 7), ({"thoughts_tokens": 8}, 8), ({}, 0)])
def test_thinking_is_counted_whatever_a_provider_calls_it(details: dict[str, int], thinking: int) -> None:
    """# 001-22"""
    response = ModelResponse([], model_name="m", usage=RequestUsage(output_tokens=9, details=details))
    assert turns.usage([response], "google:m").thinking_tokens == thinking


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
    spent = turns.used(turn)
    spent.cost = turns.usage(turn, "openai:gpt-4o").cost_usd
    assert turns.limit_reached(turn, spent, Mode.QUICK, allowance) == limit
    bounds = turns.limits(Mode.QUICK, allowance, "openai:gpt-4o")
    known = [one for one in (settings.get("token_limit"), allowance.tokens) if one is not None]
    assert bounds.total_tokens_limit == (min(known) if known else None)
    assert turns.limits(Mode.QUICK, allowance, "sandbox:sandbox").cost_limit is None


def test_replies_that_broke_off_count_as_tokens_and_not_as_steps() -> None:
    spent = turns.used([reply(input_tokens=1)], [reply(input_tokens=10)])
    assert (spent.input_tokens, spent.requests) == (11, 1)
