"""Reads cells as dates, durations and times of day, in the ways in which people write them."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Final, TypeVar

from leaf.documents.tables.model import Assumption, Value

T = TypeVar("T")

_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBERS = re.compile(r"\d+")
_NUMBERED_MONTH = re.compile(r"(?:0?[1-9]|1[0-2])[/.-](?:19|20)\d\d|(?:19|20)\d\d[/.-](?:0?[1-9]|1[0-2])")
_NAMED_MONTH = re.compile(r"([^\W\d_]{3,12})\.?(?:[ -/'’]{1,2}(?:\d{4}|\d{2}))?")
"""The name of a month, with or without a year."""

LONGEST = 60
"""Maximum length of a date, or of a number with its unit, in characters."""
_TIME = (
    r"(?:[T ,]{1,2}(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d{1,6})?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"
)
_ISO = re.compile(
    r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})"
    + _TIME
    + r"(?P<zone>Z| ?[+-]\d\d:?\d\d| (?:GMT|UTC)(?:[+-]\d{1,2})?)?"
)
_COMPACT = re.compile(r"(?:19|20)\d{6}")
_NO_CHANCE: Final = 3
"""How many different numbers of eight digits must be valid days before they are read as days."""
_CHARACTERS = re.compile(r"(?P<year>\d{4})[年년]\s?(?P<month>\d{1,2})[月월]\s?(?P<day>\d{1,2})[日일]" + _TIME)
_NUMERIC = re.compile(r"(?P<first>\d{1,2})(?P<sign>[./-])(?P<next>\d{1,2})(?P=sign)(?P<year>\d{4}|\d{2})" + _TIME)
_NAMED = re.compile(
    r"(?P<day>\d{1,2})(?:\.|er|[º°]|st|nd|rd|th)?[ -](?:de |of )?(?P<name>[^\W\d_]{3,12})\.?,?[ -](?:de )?"
    r"(?P<year>\d{4}|\d{2})" + _TIME
)
_NAMED_FIRST = re.compile(r"(?P<name>[^\W\d_]{3,10})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})" + _TIME)
_WEEKDAY = re.compile(
    r"(?:mo|tu|we|th|fr|sa|su|di|mi|do|so|lu|ma|me|je|ve|ju|vi|sá|gi|ti|on|to|lø|lö|sø|sö|må|wo|vr|za|zo|po|wt|śr|cz"
    r"|pi|ni|qu|se|te)[^\W\d_]{0,8}\.?,? (?=\S{0,10}\d)",
    re.IGNORECASE,
)
"""The name of a weekday before a date, by its first letters."""
_MONTHS: Final = {
    begin: month
    for month, begins in enumerate((
        "jan ene gen sty led ian tam янв січ", "feb fév fev lut úno hel фев лют", "mar mär mrz mrt maa bře már мар бер",
        "apr avr abr kwi dub ápr huh апр кві", "may mai mag maj mei kvě máj tou май мая тра",
        "jun juin giu cze červn jún iun kes июн чер", "jul juil lug lip červe júl iul hei июл лип",
        "aug août aou ago sie srp elo авг сер", "sep set wrz zář sze syy сен вер",
        "oct okt ott paź out říj lok окт жов",
        "nov lis marr noi ноя лис", "dec dez déc dic gru pro jou дек гру",
    ), 1)
    for begin in begins.split()
}  # fmt: skip
"""Months by the first letters of their names, in the languages of Europe."""
_LENGTH = re.compile(r"(?P<sign>-)?(?P<hours>\d{1,5}):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d))?")
_H, _MIN = r"(?:h|hrs?|hours?|std|stunden?|heures?|horas?|ore)\.?", r"(?:m|mins?|minutes?|minuten|minutos|minuti)\.?"
_WORDED = re.compile(
    rf"(?P<sign>-)?(?:(?P<hours>\d{{1,5}}) ?{_H}(?:,? ?(?P<minutes>[0-5]?\d) ?(?:{_MIN})?)?"
    rf"|(?P<only>\d{{1,5}}) ?{_MIN})",
    re.IGNORECASE,
)
"""A duration in words: 7h 45m, 1h30, 45 min."""
_PIVOT: Final = 30
"""Years of two digits from here on belong to the previous century, as in spreadsheets."""
_SCORE_LABEL = re.compile(
    r"version|score|result|record|chapter|section|ergebnis|bilanz|kapitel|résultat|resultado|risultato|wynik",
    re.IGNORECASE,
)
"""Headers of numbers with points, colons or dashes between them that are neither days nor durations."""
_PAUSE = 4
"""Below a header such as `break`, values under this number of hours are durations; from here on, a value is a time."""
_DAY_HOURS = 24
_PAUSE_LABEL = re.compile(r"break|pause|lunch|rest\b|overtime|überstunden|mehrarbeit|pausa|\bdescanso", re.IGNORECASE)
_LENGTH_LABEL = re.compile(
    r"duration|dauer|hour|stunde|arbeitszeit|worked|spent|length|durée|heures|duración|horas|durata|duração|varighed"
    r"|varighet|varaktighet|arbejdstid|arbetstid|arbeidstid|timer\b|timmar|tidsåtgång|tidsforbrug|czas trwania"
    r"|czas pracy|godzin|\bduur|\buren\b|kesto|trvání",
    re.IGNORECASE,
)


def legible(counted: Mapping[str, int], most_unread: float, read: Callable[[str], T | None]) -> dict[str, T] | None:
    """The cells for which `read` returns a value, with it; None if there is none for more than `most_unread` cells."""
    found: dict[str, T] = {}
    unread = 0
    for cell, count in counted.items():
        if (value := read(cell)) is not None:
            found[cell] = value
        elif (unread := unread + count) > most_unread:
            return None
    return found


def is_date(cell: str) -> bool:
    """Whether a cell is a date, in any notation."""
    return _date(cell, day_first=True) is not None or _date(cell, day_first=False) is not None


def dates(
    counted: Mapping[str, int], most_unread: float, label: str = ""
) -> tuple[Mapping[str, Value], list[Assumption]] | None:
    """The cells that are dates, and what was assumed about them; None if more than `most_unread` cells are no dates."""
    if not any(is_date(cell) for cell, _ in zip(counted, range(3), strict=False)):
        return None
    numeric = [found for cell in counted if (found := _NUMERIC.fullmatch(cell[: LONGEST + 1])) is not None]
    if any(len(one["year"]) == 2 for one in numeric) and _SCORE_LABEL.search(label):
        return None
    firsts = {one["sign"] for one in numeric if int(one["first"]) > 12}
    seconds = {one["sign"] for one in numeric if int(one["next"]) > 12}
    if firsts & seconds:
        return None
    # The order of day and month is decided for each separator: points and slashes come from different countries.
    read_as = legible(counted, most_unread, lambda cell: _date(cell, day_first=seconds.isdisjoint(cell)))
    if read_as is None:
        return None
    assumed: list[Assumption] = []
    if "/" not in firsts | seconds and (unsure := next((one[0] for one in numeric if one["sign"] == "/"), "")):
        assumed.append(("computed.day_first", unsure))
    iso = [found for cell in counted if (found := _ISO.fullmatch(cell[: LONGEST + 1])) is not None]
    if len({one["zone"] for one in iso if one["hour"]}) > 1:
        assumed.append(("computed.zones", next(one[0] for one in iso if one["zone"])))
    if old := next((one[0] for one in numeric if len(one["year"]) == 2 and int(one["year"]) >= _PIVOT), ""):
        assumed.append(("computed.last_century", old))
    return read_as, assumed


def unordered(counted: Mapping[str, int], label: str) -> list[Assumption]:
    """The assumption about a column that remains one of words although at least half of its cells are dates; empty for
    any other column.
    """
    if _SCORE_LABEL.search(label) or not any(is_date(cell) for cell, _ in zip(counted, range(3), strict=False)):
        return []
    other = next((cell for cell in counted if _date(cell, day_first=True) is None), None)
    dated = sum(count for cell, count in counted.items() if is_date(cell))
    if other is None or 2 * dated < sum(counted.values()):
        return []
    return [("computed.unordered_days", other[:LONGEST])]


def compact(counted: Mapping[str, int], most_unread: float) -> tuple[Mapping[str, Value], list[Assumption]] | None:
    """The cells that are days in eight digits (20260131).

    Returns None if more than `most_unread` cells are no such days, or if fewer than three different days were found.
    """
    found = legible(counted, most_unread, _compact_day) or {}
    return (found, [("computed.compact_days", next(iter(found)))]) if len(found) >= _NO_CHANCE else None


def _compact_day(cell: str) -> date | datetime | None:
    return _date(f"{cell[:4]}-{cell[4:6]}-{cell[6:]}", day_first=True) if _COMPACT.fullmatch(cell) else None


def _date(cell: str, *, day_first: bool) -> date | datetime | None:
    if len(cell) > LONGEST:
        return None
    return _plain_date(cell, day_first=day_first) or (
        _plain_date(cell[day.end() :], day_first=day_first) if (day := _WEEKDAY.match(cell)) else None
    )


def _plain_date(text: str, *, day_first: bool) -> date | datetime | None:
    for form in (_ISO, _NUMERIC, _CHARACTERS, _NAMED, _NAMED_FIRST):
        if (found := form.fullmatch(text)) is not None:
            try:
                return _day(found, day_first=day_first)
            except ValueError:
                return None
    return None


def _day(found: re.Match[str], *, day_first: bool) -> date | datetime | None:
    """The day, or the day and time, that one of the patterns matched; None if it names no month or no hour of 1 to 12.

    Raises:
        ValueError: The calendar has no such day, or it has no such time.
    """
    parts = found.groupdict()
    year = int(parts["year"])
    if len(parts["year"]) == 2:
        year += 1900 if year >= _PIVOT else 2000
    if "sign" in parts:
        first, second = int(parts["first"]), int(parts["next"])
        day, month = (first, second) if day_first else (second, first)
    else:
        day, month = int(parts["day"]), int(parts.get("month") or _month(parts["name"]))
    if not month:
        return None
    if parts["hour"] is None:
        return date(year, month, day)
    hour = int(parts["hour"])
    if parts["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if parts["half"].lower() == "p" else 0)
    return datetime(year, month, day, hour, int(parts["minute"]), int(parts["second"] or 0))  # noqa: DTZ001 - as written


def is_month(name: str) -> bool:
    """Whether a word is the name of a month, or starts like one."""
    return _month(name) > 0


def precision(cell: str) -> str:
    """Whether a cell is a `day`, a `month` (with or without its year) or a `year`; empty for any other cell."""
    if is_date(cell):
        return "day"
    named = _NAMED_MONTH.fullmatch(cell)
    if _NUMBERED_MONTH.fullmatch(cell) or (named is not None and is_month(named[1])):
        return "month"
    return "year" if _YEAR.fullmatch(cell) else ""


def is_period(cell: str) -> bool:
    """Whether a cell has a year and another number, as quarters and weeks of years have."""
    numbers = _NUMBERS.findall(cell[:LONGEST])
    return len(numbers) > 1 and any(map(_YEAR.fullmatch, numbers))


def are_in_order(cells: Sequence[str]) -> bool:
    """Whether the letters of periods put them in the order of time: the year is first, and numbers are as long."""
    numbers = [_NUMBERS.findall(one[:LONGEST]) for one in cells]
    return all(_YEAR.fullmatch(one[0]) for one in numbers) and len({tuple(map(len, one)) for one in numbers}) == 1


def _month(name: str) -> int:
    """The number of a month by its name; 0 for any other word."""
    bare = name.lower()
    return next((_MONTHS[bare[:count]] for count in (5, 4, 3) if bare[:count] in _MONTHS), 0)


def hours(
    counted: Mapping[str, int], label: str, most_unread: float, *, is_summed_up: bool = False
) -> dict[str, Value] | None:  # fmt: skip
    """The cells that are durations, as numbers of hours.

    Returns None if more than `most_unread` cells are no durations, or if all may be times of day. They are durations if
    one has 24 hours or more, if the file writes them in words or as spreadsheets do (8:00:00; a time would be
    08:00:00), if the header names a duration, or if the last row adds them up (`is_summed_up`). Below a header such as
    `break`, short values are durations too.
    """
    if _SCORE_LABEL.search(label):
        return None
    found = legible(counted, most_unread, _duration) or {}
    lengths = {cell: one for cell, one in found.items() if one.re is _LENGTH}
    worded = {cell: one for cell, one in found.items() if one.re is _WORDED}
    is_worded = any(one["minutes"] for one in worded.values())
    if is_worded:
        lengths |= worded
    if not lengths or sum(count for cell, count in counted.items() if cell not in lengths) > most_unread:
        return None
    beyond = is_worded or any(
        int(one["hours"]) >= 24 or (one["seconds"] and len(one["hours"]) == 1) for one in lengths.values()
    )
    longest = max(int(one["hours"] or 0) for one in lengths.values())
    is_short = longest < _PAUSE and _PAUSE_LABEL.search(label) is not None
    if not beyond and not is_short and not is_summed_up and _LENGTH_LABEL.search(label) is None:
        return None
    return {cell: _in_hours(one.groupdict()) for cell, one in lengths.items()}


def _duration(cell: str) -> re.Match[str] | None:
    return _LENGTH.fullmatch(cell[: LONGEST + 1]) or _WORDED.fullmatch(cell[: LONGEST + 1])


def times_of_day(counted: Mapping[str, int], most_unread: float, label: str) -> Mapping[str, Value] | None:
    """The cells that are times of day.

    Returns None if more than `most_unread` cells are no times, or if the header names something else, such as scores.
    Times of day are neither durations nor numbers, so they cannot be added up.
    """
    found = legible(counted, most_unread, _time_of_day)
    return found if found and not _SCORE_LABEL.search(label) else None


def _time_of_day(cell: str) -> time | None:
    one = _LENGTH.fullmatch(cell[: LONGEST + 1])
    if one is None or one["sign"] or int(one["hours"]) >= _DAY_HOURS:
        return None
    return time(int(one["hours"]), int(one["minutes"]), int(one["seconds"] or 0))


def _in_hours(length: Mapping[str, str | None]) -> Decimal:
    minutes = int(length["hours"] or 0) * 60 + int(length["minutes"] or length.get("only") or 0)
    seconds = minutes * 60 + int(length.get("seconds") or 0)
    return Decimal(f"{length['sign'] or ''}{seconds / 3600:.6f}".rstrip("0").rstrip("."))
