"""Usage in words and bars for the pages."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf.services.usage import Standing, Totals
from leaf.state import usage
from leaf.views import amounts
from leaf.views.amounts import Fact
from leaf.views.bars import HEIGHT, Chart, bars

ONE = Totals(
    entries=1, requests=3, input_tokens=1700, output_tokens=300, cache_read_tokens=1200, cache_write_tokens=100,
    thinking_tokens=50, cost_usd=Decimal("0.0042"), duration_ms=2345,
)  # fmt: skip
UNPRICED = Totals(entries=1, requests=1, input_tokens=10, output_tokens=5, unpriced=1)


def test_an_answer_is_told_with_its_model_tokens_cost_requests_and_time() -> None:
    """And what was used beside it. # 001-22"""
    told = amounts.of_answer([("answer", "openai:gpt-5.2", ONE), ("title", "openai:gpt-5-nano", UNPRICED)])
    assert told.facts == [
        Fact("Model", "gpt-5.2"),
        Fact("Input", "1,700 tokens (1,200 read from the cache, 100 written to the cache)"),
        Fact("Output", "300 tokens (50 for thinking)"),
        Fact("Cost", "$0.0042"),
        Fact("Requests to the model", "3"),
        Fact("Time", "2.3 seconds"),
        Fact("Titles", "15 tokens, price unknown (gpt-5-nano)"),
    ]


def test_the_sandbox_says_that_it_costs_nothing_and_an_unknown_price_says_so() -> None:
    """# 001-22"""
    free = amounts.of_answer([("answer", "sandbox:sandbox", Totals(entries=1, input_tokens=1))])
    assert Fact("Cost", "Nothing: the sandbox's model is free") in free.facts
    assert Fact("Input", "1 token") in free.facts
    unknown = amounts.of_answer([("answer", "openai:made-up", UNPRICED)])
    assert Fact("Cost", "price unknown") in unknown.facts


def test_an_answer_that_changed_its_model_while_it_waited_names_both() -> None:
    told = amounts.of_answer([("answer", "openai:gpt-5.2", ONE), ("answer", "sandbox:sandbox", ONE)])
    assert told.facts[0] == Fact("Models", "gpt-5.2, Sandbox model")
    assert Fact("Cost", "$0.0084") in told.facts
    assert Fact("Requests to the model", "6") in told.facts


def test_an_answer_says_which_model_could_not_be_asked_any_more() -> None:
    told = amounts.of_answer([("answer", "sandbox:sandbox", ONE)], ["openai:gpt-5.2"])
    assert told.note == "Started with gpt-5.2, which was not available when the answer continued."
    assert told.facts[0] == Fact("Model", "Sandbox model")


def test_an_answer_that_somebody_else_asked_for_tells_nothing() -> None:
    """# 000-40"""
    shown = amounts.Spent([], "Only the person who asked can see the usage of this answer.")
    assert amounts.of_answer([]) == shown


@pytest.mark.parametrize(
    ("totals", "told", "short"),
    [
        (Totals(), "$0.00", "$0.00"),
        (ONE, "$0.0042", "$0.0042"),
        (ONE + UNPRICED, "$0.0042, and 1 of 2 runs at an unknown price", "at least $0.0042"),
        (UNPRICED, "price unknown", "price unknown"),
    ],
)
def test_a_sum_says_what_it_does_not_know(totals: Totals, told: str, short: str) -> None:
    """# 001-22"""
    assert (amounts.cost(totals), amounts.short_cost(totals)) == (told, short)


@given(st.lists(st.integers(0, 10**12) | st.decimals(0, 10**6, places=6).map(float), min_size=1, max_size=30))
def test_bars_are_as_high_as_their_part_of_the_highest(amounts: list[float]) -> None:
    """Something is seen of every day on which something was used, and nothing of the others."""
    shown = bars(amounts)
    for amount, bar in zip(amounts, shown, strict=True):
        assert (bar.height > 0) == (amount > 0)
        assert bar.y + bar.height == HEIGHT
    assert max(bar.height for bar in shown) == (HEIGHT if any(amounts) else 0)
    assert sorted(shown, key=lambda bar: bar.x) == shown


def test_the_charts_are_told_in_words() -> None:
    days = [(date(2026, 11, 1), ONE), (date(2026, 11, 2), Totals())]
    assert tuple(chart.words for chart in usage.charts(days)) == (
        "2,000 tokens in the last 2 days, most on 1 November: 2,000",
        "$0.0042 in the last 2 days, most on 1 November: $0.0042",
    )
    assert [(chart.first, len(chart.bars)) for chart in usage.charts(days)] == [("1 Nov", 2)] * 2
    assert [chart.words for chart in usage.charts([(date(2026, 11, 1), Totals())])] == ["", ""]
    assert usage.charts([]) == (Chart(), Chart())


def test_a_budget_is_told_with_what_is_left_and_set_aside() -> None:
    """# 002-05, 000-68"""
    now = datetime(2026, 11, 22, 23, 0, tzinfo=UTC)
    standing = Standing("day", "tokens", Decimal(1000), Decimal(250), Decimal(100), datetime(2026, 11, 23, tzinfo=UTC))
    assert usage.budget_view(standing, now) == usage.BudgetView(
        "Today, tokens", "250 of 1,000 tokens used", "750 tokens left, 100 tokens of it reserved",
        "Resets: 00:00 UTC (in 1 hour)", 25, full=False,
    )  # fmt: skip
    over = standing.after(Decimal(5000))
    view = usage.budget_view(over, now)
    assert (view.left, view.percent, view.full) == ("0 tokens left, 0 tokens of it reserved", 100, True)
