"""Budgets: what is left, what an answer may take, and what people are told."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf.services.usage import Standing, Totals, amount, ended, share
from leaf.services.usage.budgets import refusal, resets_at
from leaf.texts.dates import span

NOW = datetime(2026, 11, 22, 20, 47, 30, tzinfo=UTC)
MIDNIGHT = datetime(2026, 11, 23, tzinfo=UTC)


def standing(limit: int = 1000, used: int = 0, reserved: int = 0, **further: Any) -> Standing:
    given: dict[str, Any] = {"period": "day", "unit": "tokens", "resets_at": MIDNIGHT, **further}
    return Standing(limit=Decimal(limit), used=Decimal(used), reserved=Decimal(reserved), **given)


def test_a_day_ends_at_midnight_and_a_month_at_its_first_day_in_utc() -> None:
    """# 002-05"""
    assert resets_at("day", NOW) == MIDNIGHT
    assert resets_at("month", NOW) == datetime(2026, 12, 1, tzinfo=UTC)
    last = datetime(2026, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    assert resets_at("day", last) == resets_at("month", last) == datetime(2027, 1, 1, tzinfo=UTC)
    assert standing().resets_in_seconds(last.replace(month=11, day=22)) == 1


def test_a_refusal_says_the_limit_what_is_left_and_when_it_begins_anew() -> None:
    """# 002-05, 000-68"""
    said = refusal(standing(limit=5000, used=5321), NOW)
    assert "today's 5,000 tokens" in said
    assert "5,321 tokens in total" in said
    assert "used up" in said
    assert "00:00 UTC (in 3 hours 13 minutes)" in said
    said = refusal(standing(limit=5000, used=4000, reserved=1000), NOW)
    assert "in progress have reserved the rest" in said
    assert "(1,000 tokens)" in said
    dollars = standing(limit=2, used=3, unit="usd", period="month", resets_at=resets_at("month", NOW))
    said = refusal(dollars, NOW)
    assert "this month's $2.00" in said
    assert "1 December, 00:00 UTC (in 8 days 4 hours)" in said


def test_an_answer_that_a_budget_ends_says_what_is_left() -> None:
    """# 000-27, 000-68"""
    assert "400 tokens are left until 00:00 UTC" in ended(standing(used=600), NOW)
    assert "nothing is left until 00:00 UTC" in ended(standing(used=1001), NOW)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "1 second"), (1, "1 second"), (59.2, "1 minute"), (60, "1 minute"), (61, "2 minutes"),
        (3599, "1 hour"), (3600, "1 hour"), (3661, "1 hour 2 minutes"), (86_399, "1 day"),
        (90_001, "1 day 2 hours"), (30 * 86_400, "30 days"),
    ],
)  # fmt: skip
def test_a_length_of_time_is_told_in_its_largest_units(seconds: float, told: str) -> None:
    assert span(seconds) == told


@pytest.mark.parametrize(
    ("unit", "value", "told"),
    [
        ("tokens", "1", "1 token"), ("tokens", "1234567", "1,234,567 tokens"), ("usd", "0", "$0.00"),
        ("usd", "1234.5", "$1,234.50"), ("usd", "0.0042", "$0.0042"), ("usd", "0.00001", "less than $0.0001"),
    ],
)  # fmt: skip
def test_amounts_are_told_with_their_unit(unit: Any, value: str, told: str) -> None:
    assert amount(unit, Decimal(value)) == told


@given(
    limit=st.integers(1, 10**9),
    used=st.integers(0, 10**9),
    at_most=st.none() | st.integers(1, 10**9),
    unit=st.sampled_from(["tokens", "usd"]),
)
def test_answers_at_the_same_time_are_never_given_more_than_is_left(
    limit: int, used: int, at_most: int | None, unit: Any
) -> None:
    """However many are asked for before one ends; and the first is given something where something is left. # 002-05"""
    most = None if at_most is None else Decimal(at_most)
    reserved = Decimal(0)
    left = standing(limit, used, unit=unit).free
    for _ in range(50):
        now = standing(limit, used, unit=unit, reserved=0)
        now = Standing(now.period, now.unit, now.limit, now.used, reserved, now.resets_at)
        if now.free <= 0:
            break
        given = share([now], unit, most)
        assert given is not None
        assert 0 < given <= now.free
        assert most is None or given <= most
        reserved += given
    assert reserved <= left
    assert (reserved > 0) == (left > 0)


def test_an_answer_may_take_half_of_what_is_left_and_the_rest_of_little() -> None:
    assert share([standing(1000)], "tokens", None) == 500
    assert share([standing(1000, used=970)], "tokens", None) == 30
    assert share([standing(1000, used=920)], "tokens", None) == 50
    month = standing(3000, used=2900, period="month", resets_at=MIDNIGHT + timedelta(days=8))
    assert share([standing(1000), month], "tokens", None) == 100
    assert share([standing(1000)], "tokens", Decimal(20)) == 20
    assert share([standing(1000)], "usd", None) is None


TOTALS = st.builds(
    Totals,
    *(st.integers(0, 10**9) for _ in range(7)),
    st.decimals(0, 1000, places=6),
    st.integers(0, 100),
    st.integers(0, 10**9),
)


@given(st.lists(TOTALS, max_size=8), st.integers(0, 8))
def test_sums_do_not_depend_on_how_they_are_grouped(rows: list[Totals], cut: int) -> None:
    """Grouped by chat, day or model, the groups add up to the total. # 001-22"""
    assert sum(rows, Totals()) == sum(rows[:cut], Totals()) + sum(rows[cut:], Totals())
    assert sum(rows, Totals()).tokens == sum(row.tokens for row in rows)
