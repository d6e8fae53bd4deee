"""Finds dates in a text, in the notations of several languages. Pure, linear in time."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

from leaf.documents.terms import fold

_DATE = re.compile(
    r"(?<![\w./-])(?:(?P<iso>\d{4}-\d{1,2}-\d{1,2})|(?P<digits>\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}\.\d{1,2}\.\d{2})"
    r"|(?P<day>\d{1,2})(?:\.|st|nd|rd|th|er|º)?\s(?:de\s|of\s)?"
    r"(?P<month>[^\W\d_]{3,10})\.?,?\s(?:de\s|del\s)?(?P<year>\d{4})"
    r"|(?P<first>[^\W\d_]{3,10})\.?\s(?P<on>\d{1,2})(?:st|nd|rd|th)?,?\s(?P<of>\d{4}))(?![\w/-])"
)
_DAY = re.compile(r"(?<![\w.,-])(\d{1,2})(?:\.|st|nd|rd|th|er|º)?\s(?:de\s|of\s)?([^\W\d_]{3,10})\b")
_CENTURY, _LAST_CENTURY = 100, 70


@cache
def _months() -> Mapping[str, int]:
    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["months"]
    return {begin: int(month) for month, begins in read.items() for begin in begins.split()}


def of(sentence: str) -> Iterator[tuple[int, int, str, tuple[Decimal, ...]]]:
    """Yields the dates of a sentence: begin, end, the kind `date`, and the ordinals of all days that the date may
    mean.
    """
    for one in _DATE.finditer(sentence):
        if readings := tuple(dict.fromkeys(Decimal(day.toordinal()) for day in _days(one))):
            yield one.start(), one.end(), "date", readings


def _days(one: re.Match[str]) -> Iterator[date]:
    if one["iso"] or one["digits"]:
        numbers = [int(part) for part in re.split(r"\D", one["iso"] or one["digits"])]
        if one["digits"] and numbers[2] < _CENTURY:
            numbers[2] += 2000 if numbers[2] < _LAST_CENTURY else 1900
        orders = [numbers] if one["iso"] else [numbers[::-1], [numbers[2], numbers[0], numbers[1]]]
        # "3.5.2026" begins with the day. A date with slashes may begin with the day or the month.
        orders = orders[:1] if one["digits"] and "." in one["digits"] else orders
    else:
        number = _month_of(one["month"] or one["first"])
        orders = [[int(one["year"] or one["of"]), number, int(one["day"] or one["on"])]] if number else []
    for year, month_number, day in orders:
        try:
            yield date(year, month_number, day)
        except ValueError:
            continue


def named(text: str) -> frozenset[str]:
    """The days of months in a text, without years, each as `month-day`."""
    found = ((_month_of(one[2]), one[1]) for one in _DAY.finditer(text))
    return frozenset(f"{month}-{day}" for month, day in found if month)


def _month_of(word: str) -> int:
    """The number of a month from its name; 0 for other words."""
    bare = fold(word)
    return _months().get(bare[:4]) or _months().get(bare[:3]) or 0
