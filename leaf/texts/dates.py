"""Dates and durations in words, for texts of the server. Pages format theirs with `Intl`."""

from datetime import date, datetime
from typing import Final

from leaf.texts.phrases import MONTHS, Message, english

_SHORT: Final = (
    "dates.jan_short",
    "dates.feb_short",
    "dates.mar_short",
    "dates.apr_short",
    "dates.may_short",
    "dates.jun_short",
    "dates.jul_short",
    "dates.aug_short",
    "dates.sep_short",
    "dates.oct_short",
    "dates.nov_short",
    "dates.dec_short",
)
_UNITS: Final = (("dates.days", 86_400), ("dates.hours", 3_600), ("dates.minutes", 60), ("dates.seconds", 1))
_MOST_SECONDS_IN_TENTHS: Final = 10


def day(of: date) -> Message:
    """A day without its year, such as "5 March"."""
    return english("dates.day_month", day=of.day, month=english(MONTHS[of.month - 1]))


def full_day(of: date) -> Message:
    """A day with its year, such as "5 March 2026"."""
    return english("dates.day_month_year", day=of.day, month=english(MONTHS[of.month - 1]), year=str(of.year))


def short_day(of: date) -> Message:
    """A day with an abbreviated month, such as "5 Mar"."""
    return english("dates.day_month", day=of.day, month=english(_SHORT[of.month - 1]))


def short_moment(of: datetime) -> Message:
    """A day and a time, such as "5 Mar, 14:05", in the time zone of `of`."""
    return english("dates.day_time", date=short_day(of), time=of.strftime("%H:%M"))


def span(seconds: float) -> Message:
    """A duration in words, rounded up: in days and hours, in hours and minutes, in minutes, or in seconds."""
    whole = max(1, -int(-seconds // 1))
    for at, (_, size) in enumerate(_UNITS):
        if whole < size and size > 1:
            continue
        smaller = _UNITS[min(at + 1, len(_UNITS) - 1)][1] if size > 60 else size
        rounded = -(-whole // smaller) * smaller
        if at and rounded >= _UNITS[at - 1][1]:
            return span(rounded)
        larger = english(_UNITS[at][0], count=rounded // size)
        rest = (rounded % size) // smaller
        if not rest:
            return larger
        return english("dates.span", larger=larger, smaller=english(_UNITS[min(at + 1, 3)][0], count=rest))
    return english("dates.seconds", count=1)


def brief_span(seconds: float) -> Message:
    """A duration in words, in seconds with tenths if it is shorter than 10 seconds."""
    if seconds >= _MOST_SECONDS_IN_TENTHS:
        return span(seconds)
    return english("dates.tenths", seconds=round(seconds, 1))
