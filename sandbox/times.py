"""The times that a text names, and the rows of a table that lie in them."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from sandbox import ranking
from sandbox.model import words

YEAR = re.compile(r"(?<![\w.,])(?:19|20)\d\d(?![\w]|[.,]\d)")
_YEAR = r"(?:,?\s(?:d[eiu]l?\s|of\s|van\s)?(?P<year{}>(?:19|20)\d\d))?"
_ENDING = r"(?:\.|st|nd|rd|th|er|º|:e)?"
_FILLER = r"(?:(?:the|end|of|l[ae]|el|il|de[mn]|ende?)\s+){0,2}"
_LEADS = ("between", "from_on", "after", "until", "before")
"""The entries of words.toml with words before a time that begins or ends a span."""


@dataclass(frozen=True)
class Time:
    """A year, quarter, month or day that a text names."""

    start: int
    stop: int
    year: int | None
    months: tuple[int, int]
    """The first and the last month; 0 for a bare day, whose month follows later in the text."""
    day: int | None

    @property
    def first(self) -> date:
        """Its first day. It needs a year."""
        return date(self.year or 0, self.months[0], self.day or 1)

    @property
    def last(self) -> date:
        """Its last day. It needs a year."""
        if self.day:
            return self.first
        year, month = divmod((self.year or 0) * 12 + self.months[1], 12)
        return date(year, month + 1, 1) - timedelta(days=1)

    def condition(self, column: str, *, is_year: bool) -> str:
        """The SQL for the rows of this time."""
        if self.day:
            return _within(column, self.first, self.last)
        parts = [f"{column if is_year else f'year({column})'} IN ({self.year})"] if self.year else []
        months = range(self.months[0], self.months[1] + 1)
        parts += [f"month({column}) IN ({', '.join(map(str, months))})"] if len(months) < 12 else []
        return " AND ".join(parts)


def _within(column: str, first: date | None, last: date | None) -> str:
    """The SQL for the rows of some days. The days may have hours, so that the end is the day after the last one."""
    parts = [f"{column} >= DATE '{first}'"] if first else []
    parts += [f"{column} < DATE '{last + timedelta(days=1)}'"] if last else []
    return " AND ".join(parts)


@cache
def pattern() -> re.Pattern[str]:
    """A pattern for one time, in eight languages."""
    month = "|".join(words.listed("months"))
    ordinal = "|".join(f"(?P<quarter{at}>{one})" for at, one in enumerate(words.listed("ordinals"), 1))
    joined = "|".join([*words.listed("and"), *words.listed("to")])
    forms = (
        r"(?P<iso>\d{4}-\d\d-\d\d)",
        r"(?P<points>\d{1,2}\.\d{1,2}\.\d{4})",
        rf"(?P<day1>\d{{1,2}}){_ENDING}\s(?:of\s|de\s)?(?P<month1>{month})\.?{_YEAR.format(1)}",
        rf"(?P<month2>{month})\s(?P<day2>\d{{1,2}}){_ENDING}(?!\d){_YEAR.format(2)}",
        rf"(?P<month3>{month}){_YEAR.format(3)}",
        rf"(?:[QT](?P<quarter>[1-4])|(?:{ordinal})\s(?:{words.listed('quarter')[0]})){_YEAR.format(4)}",
        r"(?P<year5>(?:19|20)\d\d)",
        rf"(?P<bare>\d{{1,2}}){_ENDING}(?=\s?(?:{joined})\s?(?:\w+\s)?\d{{1,2}}{_ENDING}\s(?:of\s|de\s)?(?:{month}))",
    )
    return re.compile(rf"(?<![\w.,/-])(?:{'|'.join(forms)})(?!\w|[.,]\d)", re.IGNORECASE)


def named(text: str, about: str = "") -> list[Time]:
    """The times in a text, except those in `about`. A time without a year has that of the next time that it is joined
    with.
    """
    # The verb “may” is no month.
    found = [one for one in pattern().finditer(text) if one[0] != "may" and one[0].casefold() not in about.casefold()]
    times: list[Time] = []
    for one in reversed(found):
        time, after = _read(one), times[0] if times else None
        if time is None:
            return []
        if after and _joined(text[time.stop : after.start]):
            time = replace(time, year=time.year or after.year, months=time.months if time.months[0] else after.months)
        times.insert(0, time)
    return times


def _read(found: re.Match[str]) -> Time | None:
    """The time of a match of the pattern; None if the calendar does not have it."""
    of = {name.rstrip("12345"): value for name, value in found.groupdict().items() if value}
    year, month, day = int(of.get("year", 0)), _month(of.get("month", "")), int(of.get("day") or of.get("bare") or 0)
    if written := of.get("iso"):
        year, month, day = map(int, written.split("-"))
    elif written := of.get("points"):
        day, month, year = map(int, written.split("."))
    months = (month, month) if month or day else (1, 12)
    if "quarter" in of:
        at = of["quarter"] if len(of["quarter"]) == 1 else next(n for n in "1234" if found[f"quarter{n}"])
        months = (int(at) * 3 - 2, int(at) * 3)
    with suppress(ValueError):
        date(year or 2000, months[0] or 1, day or 1)
        return Time(found.start(), found.end(), year or None, months, day or None)
    return None


def _joined(gap: str, *names: str) -> bool:
    """Whether a text only joins two times."""
    joints = "|".join(one for name in names or ("and", "to") for one in words.listed(name))
    return re.fullmatch(rf"\s?(?:{joints})\s?{_FILLER}(?:the|zum)?\s?", gap, re.IGNORECASE) is not None


def day(text: str) -> date | None:
    """The first day that a text names; None if there is none."""
    return next((one.first for one in named(text) if one.day and one.year), None)


def _month(word: str) -> int:
    """The number of a month by its name or by at least three of its first letters; 0 for any other word."""
    begin = word.casefold()
    numbers = (at for at, names in enumerate(words.listed("months"), 1) if re.search(rf"\b{begin}", names))
    return next(numbers, 0) if len(begin) > 2 and begin.isalpha() else 0


def conditions(
    text: str, column: str, about: str, *, is_year: bool = False, year: int | None = None, apart: bool = False
) -> list[str] | None:
    """The conditions for the rows of the times that a question names, of which one must hold; empty if it names none,
    and None if no rule understands the times.

    Args:
        text: The question.
        column: The column of the times.
        about: The names of the file and its columns. Times in them choose no rows.
        is_year: Whether the column has years instead of days.
        year: The year of all rows, for times without one; None if the rows have several.
        apart: Whether the question compares the times, so that they are no span.
    """
    found = named(text, about)
    if words.find("other_spans", text) or (is_year and any(one.months != (1, 12) for one in found)):
        return None if found else []
    leads = [] if apart else [_lead(text, one) for one in found]
    gap = text[found[0].stop : found[-1].start] if found else ""
    is_span = len(found) == 2 and not apart and _joined(gap) and (leads[0] in _LEADS[:2] or _joined(gap, "to"))
    if is_span or any(leads):
        return _span(found, leads[0], column, year, is_year=is_year) if is_span or len(found) == 1 else None
    found = [replace(one, year=year) if one.day and not one.year else one for one in found]
    is_known = all(one.year or not one.day for one in found)
    return [*dict.fromkeys(one.condition(column, is_year=is_year) for one in found)] if is_known else None


def _span(found: Sequence[Time], lead: str, column: str, year: int | None, *, is_year: bool) -> list[str] | None:
    """The condition for the days between two times, or before or after one; None if no rule understands it."""
    if (lead == "between" and len(found) == 1) or not all(one.year or year for one in found):
        return None
    begin, end = (replace(one, year=one.year or year) for one in (found[0], found[-1]))
    day = timedelta(days=1)
    first = {"after": begin.last + day, "before": None, "until": None}.get(lead, begin.first)
    last = {"before": begin.first - day, "until": begin.last}.get(lead, end.last if len(found) > 1 else None)
    if is_year:
        bounds = [f"{column} {sign} {one.year}" for sign, one in ((">=", first), ("<=", last)) if one]
        return [" AND ".join(bounds)]
    return [_within(column, first, last)]


def _lead(text: str, time: Time) -> str:
    """The entry of words.toml whose word makes a time a span, as in “since May” and “May or later”; else empty."""
    joint = rf"\s(?:{'|'.join(words.listed('and'))})\s"
    if re.match(joint + words.pattern("since").pattern, text[time.stop :], re.IGNORECASE):
        return "from_on"
    before = text[max(0, time.start - 40) : time.start]
    ends = ((one, rf"{words.pattern(one).pattern}\s+{_FILLER}\Z") for one in _LEADS)
    return next((one for one, end in ends if re.search(end, before, re.IGNORECASE)), "")


def words_of(text: str) -> set[str]:
    """The words of the times in a text."""
    return {word for one in named(text) for word in ranking.words(text[one.start : one.stop])}


def is_same_month(word: str, other: str) -> bool:
    """Whether a word names the same month as another word, which may be an abbreviation."""
    return words.pattern("months").fullmatch(word) is not None and _month(word) == _month(other)
