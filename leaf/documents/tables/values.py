"""Cells as values: numbers with units, and dates, in the ways in which they are written."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import Final, Literal

from leaf.documents.tables.model import MIXED, Type, Value

EMPTY: Final = frozenset({
    "", "-", "–", "—", "n/a", "na", "n.a.", "k. a.", "k.a.", "nan", "null", "none", "tbd", "?", "…", "#n/a", "#div/0!",
    "#value!", "#ref!", "#name?", "#num!", "#null!",
})  # fmt: skip
"""Cells without a value, in lower case."""
CURRENCIES: Final = {
    "€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₺": "TRY", "zł": "PLN", "kč": "CZK",
    "us$": "USD", "fr.": "CHF", "sfr": "CHF", "euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD",
    **{code.lower(): code for code in (
        "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "CAD", "AUD", "NZD", "INR",
        "BRL", "ZAR", "TRY", "SGD", "HKD", "KRW", "MXN", "RUB",
    )},
}  # fmt: skip
"""Currencies by their signs and codes."""
MEASURES: Final = {
    one.lower(): one for one in (
        "%", "‰", "kg", "g", "mg", "t", "lb", "oz", "km", "m", "cm", "mm", "mi", "ft", "m²", "m2", "km²", "ha", "m³",
        "l", "ml", "h", "min", "s", "ms", "kWh", "MWh", "kW", "MW", "W", "°C", "°F", "pcs", "GB", "MB", "TB",
    )
}  # fmt: skip
_WORDS: Final = {
    word: unit
    for unit, words in {
        "EUR": "euro euros", "USD": "us-dollar us-dollars", "GBP": "sterling", "JPY": "yen", "CNY": "yuan renminbi",
        "CHF": "franc francs franken swiss-franc swiss-francs schweizer-franken", "INR": "rupee rupees rupien",
        "PLN": "zloty złoty", "%": "percent prozent per-cent", "‰": "permille promille",
        "kg": "kilo kilos kilogram kilograms kilogramm", "g": "gram grams gramm",
        "mg": "milligram milligrams milligramm", "t": "tonne tonnes ton tons tonnen", "lb": "lbs",
        "oz": "ounce ounces unze unzen",
        "km": "kilometre kilometres kilometer kilometers kilometern", "m": "metre metres meter meters metern",
        "cm": "centimetre centimetres centimeter centimeters zentimeter",
        "mm": "millimetre millimetres millimeter millimeters", "mi": "mile miles meile meilen", "ft": "feet foot fuß",
        "m²": "sqm qm quadratmeter quadratmetern square-metre square-metres square-meter square-meters",
        "km²": "quadratkilometer square-kilometres", "m³": "kubikmeter cubic-metre cubic-metres cubic-meters",
        "ha": "hectare hectares hektar", "l": "litre litres liter liters litern",
        "ml": "millilitre millilitres milliliter milliliters", "h": "hr hrs hour hours std stunde stunden",
        "min": "mins minute minutes minuten", "s": "sec secs second seconds sekunde sekunden",
        "ms": "millisecond milliseconds millisekunden",
        "kWh": "kilowattstunde kilowattstunden kilowatt-hour kilowatt-hours",
        "MWh": "megawattstunde megawattstunden megawatt-hour megawatt-hours",
        "kW": "kilowatt kilowatts", "MW": "megawatt megawatts", "W": "watt watts",
        "pcs": "piece pieces pc stück stk", "GB": "gigabyte gigabytes", "MB": "megabyte megabytes",
        "TB": "terabyte terabytes",
    }.items()
    for word in words.split()
}  # fmt: skip
"""Units by their names in English and German; words of a name are joined by a hyphen."""
_DOLLARS: Final = frozenset({"USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"})
_SEVERAL: Final = {
    "$": _DOLLARS, "dollar": _DOLLARS, "dollars": _DOLLARS, "¥": frozenset({"JPY", "CNY"}),
    **dict.fromkeys(("pound", "pounds", "pfund"), frozenset({"GBP", "lb"})),
}  # fmt: skip
"""Signs and names that several units have."""
SCALES: Final[Mapping[str, Sequence[int]]] = {
    word: scales
    for words, scales in (
        ("k tsd thousand thousands tausend milliers miles mille mila", (3,)),
        ("m mn mln mio million millions millionen millones milioni", (6,)),
        ("bn md mrd milliarde milliarden milliards miliardi", (9,)),
        # In German it is a thousand times as many.
        ("billion billions billionen", (9, 12)),
    )
    for word in words.split()
}
"""Words for powers of ten."""
_SCALE_NAMES: Final = {3: "thousand", 6: "million", 9: "billion"}
_SCALE = "|".join(sorted((*SCALES, "t", "000", "000s"), key=len, reverse=True))
_CURRENCY = "|".join(map(re.escape, sorted(CURRENCIES, key=len, reverse=True)))
_SCALED = re.compile(
    rf"(?:^|(?<=[\s(\[,/]))(?:(?P<scale>{_SCALE})\.?[ \u00a0]?(?:of |de |di |d['’])?(?P<currency>{_CURRENCY})"
    rf"|(?P<first>{_CURRENCY})[ \u00a0]?(?:in )?['’]?(?P<then>{_SCALE})\.?)\s?[)\]]?\Z"
)
"""A currency in thousands and the like, at the end of a header: m€, Mio. EUR, USD thousands, millions of euros."""
_RATE = re.compile(
    rf"(?:^|(?<=[\s(\[,_]))({_CURRENCY})\s?(?:/|per |pro |je |par |por )\s?([^\W_][^\s()/]{{0,11}}|%)\s?[)\]]?\Z"
)
"""A price for each of something at the end of a header: EUR/kWh."""
_UNIT_LABELS: Final = frozenset({"unit", "units", "uom", "einheit", "einheiten", "unité", "unités", "unidad", "unità"})
_NUMBER = re.compile(
    r"(?P<open>\()?\s*(?P<before>[^\d\s.,()+−–-]{1,8}\s?)?(?P<inner>\()?(?P<sign>[+−–-])?\s?"
    r"(?P<ahead>[^\d\s.,()+−–-]{1,8}\s?)?(?P<digits>\d[\d.,'’ \u00a0\u202f]{0,40})"
    r"(?P<after>\s?[^\d\s()+−–-]{1,12})?(?P<last>\s[^\d\s()+−–-]{1,8})?(?P<minus>-)?\s*(?P<close>\))?"
)
_FOOTNOTES = " \u00a0\u202f*†‡"
_GAPS = re.compile(r"['’ \u00a0\u202f]")
_IN_GAPS = re.compile(r"\d{1,3}(?:['’ \u00a0\u202f]\d{3})+(?:[.,]\d*)?")
_PLAIN = re.compile(r"-?\d{1,30}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?")
_IDENTIFIER = re.compile(r"0\d+")
_TIME = (
    r"(?:[T ,]{1,2}(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d{1,6})?)?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"
)
_ISO = re.compile(r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})" + _TIME + r"(?:Z|[+-]\d\d:?\d\d)?")
_NUMERIC = re.compile(r"(?P<first>\d{1,2})(?P<sign>[./-])(?P<next>\d{1,2})(?P=sign)(?P<year>\d{4}|\d{2})" + _TIME)
_NAMED = re.compile(r"(?P<day>\d{1,2})\.?[ -](?:de )?(?P<name>[^\W\d_]{3,10})\.?,?[ -](?:de )?(?P<year>\d{4})" + _TIME)
_NAMED_FIRST = re.compile(r"(?P<name>[^\W\d_]{3,10})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})" + _TIME)
_WEEKDAY = re.compile(
    r"(?:mo|tu|we|th|fr|sa|su|di|mi|do|so|lu|ma|me|je|ve|ju|vi|sá|gi)[^\W\d_]{0,8}\.?,? (?=\S{0,10}\d)", re.IGNORECASE
)
"""The name of a day before a date, by its first letters in five languages."""
_MONTHS: Final = {
    begin: month
    for month, begins in enumerate((
        "jan ene gen", "feb fév fev", "mar mär", "apr avr abr", "may mai mag", "jun juin giu", "jul juil lug",
        "aug août aou ago", "sep set", "oct okt ott", "nov", "dec dez déc dic",
    ), 1)
    for begin in begins.split()
}  # fmt: skip
"""Months by the letters with which their names begin, in six languages."""
_LENGTH = re.compile(r"(?P<sign>-)?(?P<hours>\d{1,5}):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d))?")
_LENGTH_LABEL = re.compile(
    r"duration|dauer|hour|stunde|arbeitszeit|worked|spent|length|durée|heures|duración|horas", re.IGNORECASE
)
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]")
_LAST_WORD = re.compile(r"[ _/,]([^\s_/,()]{1,5})\s*$|(?:^|\s)in ([^\s]{1,8})$")
_LONGEST = 60
"""Characters of a number or a date with its unit, at most."""
_ENOUGH_SIGNS = 1_000
"""The number of different cells of a column that decide about its decimal sign."""
_MOST_UNREAD = 0.2
"""The largest share of cells of a column that are not numbers."""


Guess = Literal[
    "computed.day_first", "computed.comma_decimal", "computed.comma_thousands", "computed.point_decimal",
    "computed.point_thousands", "computed.hours",
]  # fmt: skip
Assumption = tuple[Guess, str]
"""A guess, by the key of its text, and a cell that was read by it."""


@dataclass
class Read:
    """The cells of a column as values."""

    type: Type
    values: list[Value]
    unit: str = ""
    units: list[str] = field(default_factory=list[str])
    """The unit of each cell where they differ."""
    unread: list[int] = field(default_factory=list[int])
    """Indexes of cells that are not values of the type."""
    assumed: list[Assumption] = field(default_factory=list[Assumption])


def is_number(cell: str) -> bool:
    """Whether a cell is a number in any way of writing."""
    return _number(cell, comma=False) is not None or _number(cell, comma=True) is not None


def is_date(cell: str) -> bool:
    """Whether a cell is a date in any way of writing."""
    return _date(cell, day_first=True) is not None or _date(cell, day_first=False) is not None


def is_empty(cell: str) -> bool:
    """Whether a cell has no value, or a sign for none."""
    return cell.strip().lower() in EMPTY


def read(cells: Sequence[str], label: str, *, european: bool = False) -> Read:
    """The values of a column's cells, with the type that fits nearly all of them.

    Args:
        cells: The texts of its cells, without blanks around them.
        label: Its header.
        european: Whether the file separates cells by semicolons, as programs do where the decimal sign is a comma.
    """
    kinds = {one: count for one, count in Counter(cells).items() if not is_empty(one)}
    if not kinds:
        return Read("text", [one or None for one in cells])
    filled = sum(kinds.values())
    most_unread = 0 if filled < 4 else _MOST_UNREAD * filled
    dated = _dates(kinds, most_unread)
    if dated is not None:
        values, assumed = dated
        unread = [at for at, one in enumerate(cells) if one not in values and not is_empty(one)]
        has_time = any(isinstance(one, datetime) for one in values.values())
        if has_time:
            values = {
                key: one if isinstance(one, datetime) or not isinstance(one, date) else datetime.combine(one, time())
                for key, one in values.items()
            }
        read_as = [values.get(one) for one in cells]
        return Read("time" if has_time else "date", read_as, unread=unread, assumed=assumed)
    if (hours := _hours(kinds, label, most_unread)) is not None:
        unread = [at for at, one in enumerate(cells) if one not in hours and not is_empty(one)]
        return Read(
            "number", [hours.get(one) for one in cells], "h", [], unread, [("computed.hours", next(iter(hours)))]
        )
    # 007 names something; it is not a quantity.
    if any(one[0] == "0" and _IDENTIFIER.fullmatch(one) for one in kinds):
        return Read("text", [one or None for one in cells])
    comma, assumed = _decimal_comma(kinds, european=european)
    numbers = _numbers(kinds, most_unread, comma=comma)
    if not numbers:
        return Read("text", [one or None for one in cells])
    found = Read("number", [numbers[one][0] if one in numbers else None for one in cells])
    found.assumed = assumed
    found.unread = [at for at, one in enumerate(cells) if one not in numbers and not is_empty(one)]
    own = {unit for _, unit in numbers.values()}
    stated = unit_of_label(label)
    if own - {""} and len(own) > 1:
        # Cells without a unit have that of the header, or else their own: none.
        found.unit, found.units = MIXED, [
            (numbers[one][1] or stated) if one in numbers else "" for one in cells
        ]  # fmt: skip
        if len({unit for unit, value in zip(found.units, found.values, strict=True) if value is not None}) == 1:
            found.unit, found.units = next(unit for unit in found.units if unit), []
    else:
        found.unit = next(iter(own)) or stated
    return found


def _hours(counted: Mapping[str, int], label: str, most_unread: float) -> dict[str, Value] | None:
    """The cells that are lengths of time, in hours; None if more than `most_unread` are none, or all may be times of a
    day: no hour is beyond 24, the header does not say so, and the file does not write them as spreadsheets write
    lengths (8:00:00; a time would be 08:00:00).
    """
    lengths = {cell: found for cell in counted if len(cell) <= _LONGEST and (found := _LENGTH.fullmatch(cell))}
    if not lengths or sum(count for cell, count in counted.items() if cell not in lengths) > most_unread:
        return None
    beyond = any(int(one["hours"]) >= 24 or (one["seconds"] and len(one["hours"]) == 1) for one in lengths.values())
    if not beyond and _LENGTH_LABEL.search(label) is None:
        return None
    return {cell: _in_hours(one) for cell, one in lengths.items()}


def _in_hours(length: re.Match[str]) -> Decimal:
    seconds = int(length["hours"]) * 3600 + int(length["minutes"]) * 60 + int(length["seconds"] or 0)
    return Decimal(f"{length['sign'] or ''}{seconds / 3600:.6f}".rstrip("0").rstrip("."))


def unit_of_label(label: str) -> str:
    """The unit in a header: `Cost (EUR)`, `price_eur`, `Area in ha`; `million EUR` for `Revenue (m€)`, and `EUR/kg` for
    a price for each kg; empty for none.
    """
    for text in (label, *_IN_BRACKETS.findall(label)):
        if (together := scaled(text)) is not None:
            return f"{_SCALE_NAMES[together[0]]} {together[1]}"
        if (rate := _RATE.search(text.strip().lower()[-60:])) is not None:
            return f"{CURRENCIES[rate[1]]}/{min(units_of(rate[2]), default=rate[2])}"
    bracketed = [*_IN_BRACKETS.findall(label)]
    last = _LAST_WORD.search(label.strip()[-60:])
    stated = [*bracketed, *([last[1] or last[2]] if last else []), *([] if bracketed or last else [label])]
    for text in stated:
        for word in (text, text.partition(" ")[0]):
            known = CURRENCIES.get(word.strip().lower()) or MEASURES.get(word.strip().lower())
            # One letter at the end of a header is a name more often than a measure.
            if known and (len(word) > 1 or known == "%" or text in bracketed or word in CURRENCIES):
                return known
    return ""


def scaled(text: str) -> tuple[int, str] | None:
    """The power of ten and the currency that a text ends with, such as 6 and EUR for `Revenue (m€)`."""
    found = _SCALED.search(text.strip().lower()[-60:])
    if found is None:
        return None
    word = found["scale"] or found["then"]
    return SCALES.get(word, (3,))[0], CURRENCIES[found["currency"] or found["first"]]


def scale_of(unit: str) -> tuple[int, str]:
    """The power of ten of a column's unit, and the unit as people state it: 6 and EUR for `million EUR`."""
    name, _, currency = unit.partition(" ")
    power = next((power for power, one in _SCALE_NAMES.items() if one == name), 0)
    return (power, currency) if power and currency else (0, one_spelling(unit.partition("/")[0]))


def units_of(text: str) -> frozenset[str]:
    """The units for which a sign, code or name may stand, such as €, EUR or euros; none for another text."""
    bare = text.strip().lower()
    for one in (bare, bare.removesuffix(".")):
        if one in _SEVERAL:
            return _SEVERAL[one]
        if unit := CURRENCIES.get(one) or MEASURES.get(one) or _WORDS.get(one):
            return frozenset({one_spelling(unit)})
    return frozenset()


def one_spelling(unit: str) -> str:
    """A unit as it is compared: m2 is m²."""
    return {"m2": "m²"}.get(unit, unit)


def currency_of(cell: str) -> str:
    """The currency that a cell names and nothing else; empty for none."""
    return CURRENCIES.get(cell.strip().lower(), "")


def unit_of_cell(cell: str) -> str:
    """The unit that a cell names and nothing else; empty for none and for a word of several."""
    units = units_of(cell)
    return currency_of(cell) or (next(iter(units)) if len(units) == 1 else "")


def names_units(label: str) -> bool:
    """Whether a header says that its column names units."""
    return label.casefold().strip(" .:") in _UNIT_LABELS


def _decimal_comma(cells: Iterable[str], *, european: bool) -> tuple[bool, list[Assumption]]:
    """Whether the decimal sign is a comma, and what was assumed of it."""
    comma = point = 0
    unsure = ""
    for cell in cells:
        if "," not in cell and "." not in cell:
            continue
        found = _NUMBER.fullmatch(cell) if len(cell) <= _LONGEST else None
        digits = found["digits"].strip() if found else ""
        last = max(digits.rfind(","), digits.rfind("."))
        if last < 0:
            continue
        sign = digits[last]
        other = "," if sign == "." else "."
        grouped = digits.count(sign) > 1
        if other in digits or len(digits) - last - 1 != 3 or digits[:last] in {"0", "00"} or last > 3:
            is_comma = (sign == ",") != grouped
        elif grouped:
            is_comma = sign == "."
        else:
            unsure = cell
            continue
        comma, point = comma + is_comma, point + (not is_comma)
        if comma + point >= _ENOUGH_SIGNS:
            break
    if comma or point:
        return comma > point, []
    if not unsure:
        return False, []
    if "," in unsure:
        return european, [("computed.comma_decimal" if european else "computed.comma_thousands", unsure)]
    return european, [("computed.point_thousands" if european else "computed.point_decimal", unsure)]


def _numbers(counted: Mapping[str, int], most_unread: float, *, comma: bool) -> dict[str, tuple[Decimal, str]]:
    """The cells that are numbers, each with its unit; none of them if more than `most_unread` cells are not numbers."""
    numbers: dict[str, tuple[Decimal, str]] = {}
    unread = 0
    for cell, count in counted.items():
        found = _number(cell, comma=comma)
        if found is not None:
            numbers[cell] = found
        elif (unread := unread + count) > most_unread:
            return {}
    return numbers


def _number(cell: str, *, comma: bool) -> tuple[Decimal, str] | None:  # noqa: PLR0911 - the refusals
    """A number and its unit."""
    if len(cell) > _LONGEST:
        return None
    if _PLAIN.fullmatch(cell) and not (comma and "." in cell):
        return Decimal(cell), ""
    found = _NUMBER.fullmatch(cell.strip())
    if found is None or (found["before"] and found["ahead"]) or (found["open"] and found["inner"]):
        return None
    brackets = found["open"] or found["inner"]
    if bool(brackets) != bool(found["close"]):
        return None
    digits = found["digits"].strip()
    # Numbers of telephones and accounts have gaps in other places.
    if _GAPS.search(digits) and _IN_GAPS.fullmatch(digits) is None:
        return None
    digits = _GAPS.sub("", digits)
    decimal, group = (",", ".") if comma else (".", ",")
    whole, _, rest = digits.partition(decimal)
    groups = whole.split(group)
    if not rest.isdigit() and rest:
        return None
    if len(groups) > 1 and not (
        1 <= len(groups[0]) <= 3 and len(groups[-1]) == 3 and {*map(len, groups[1:-1])} in (set(), {3}, {2})
    ):
        return None
    if not all(one.isdigit() for one in groups):
        return None
    words = _unit_and_scale(found)
    if words is None:
        return None
    unit, scale = words
    value = Decimal("".join(groups) + ("." + rest if rest else "")).scaleb(scale)
    negative = found["sign"] in {"-", "−", "–"} or bool(brackets) or bool(found["minus"])
    return (-value if negative else value), unit


def _unit_and_scale(number: re.Match[str]) -> tuple[str, int] | None:
    """The unit and the power of ten in the words around a number; None for other words."""
    unit, scale = "", 0
    for place in ("before", "ahead", "after", "last"):
        bare = (number[place] or "").strip(_FOOTNOTES).lower()
        if not bare:
            continue
        # Before a number stands a currency; T1 and W1 are names.
        measures = MEASURES if place in {"after", "last"} else {}
        if place in {"after", "last"} and not scale and (power := _power(bare, unit)):
            scale = power
            continue
        if not scale and not unit and (together := scaled(bare)) is not None:
            scale, unit = together
            continue
        known = CURRENCIES.get(bare) or measures.get(bare)
        if known is None or unit:
            return None
        unit = known
    return unit, scale


def _power(word: str, unit: str) -> int:
    """The power of ten for which a word behind a number stands; 0 for none. `m` is one behind an amount of money."""
    word = word.removesuffix(".")
    if unit not in CURRENCIES.values() and (unit or word in MEASURES):
        return 0
    return SCALES.get(word, (0,))[0]


def _dates(counted: Mapping[str, int], most_unread: float) -> tuple[dict[str, Value], list[Assumption]] | None:
    """The cells that are dates, and what was assumed of their order; None if more than `most_unread` are none."""
    if not any(is_date(cell) for cell, _ in zip(counted, range(3), strict=False)):
        return None
    numeric = [found for cell in counted if (found := _NUMERIC.fullmatch(cell[: _LONGEST + 1])) is not None]
    firsts = any(int(one["first"]) > 12 for one in numeric)
    seconds = any(int(one["next"]) > 12 for one in numeric)
    if firsts and seconds:
        return None
    read_as: dict[str, Value] = {}
    unread = 0
    for cell, count in counted.items():
        found = _date(cell, day_first=not seconds)
        if found is not None:
            read_as[cell] = found
        elif (unread := unread + count) > most_unread:
            return None
    unsure = next((one[0] for one in numeric if one["sign"] == "/"), "") if not firsts and not seconds else ""
    return read_as, [("computed.day_first", unsure)] if unsure else []


def _date(cell: str, *, day_first: bool) -> date | datetime | None:
    if len(cell) > _LONGEST:
        return None
    return _plain_date(cell, day_first=day_first) or (
        _plain_date(cell[day.end() :], day_first=day_first) if (day := _WEEKDAY.match(cell)) else None
    )


def _plain_date(text: str, *, day_first: bool) -> date | datetime | None:
    for form in (_ISO, _NUMERIC, _NAMED, _NAMED_FIRST):
        if (found := form.fullmatch(text)) is not None:
            try:
                return _day(found, day_first=day_first)
            except ValueError:
                return None
    return None


def _day(found: re.Match[str], *, day_first: bool) -> date | datetime | None:
    """The day that a form has found, with its time if it has one.

    Raises:
        ValueError: The calendar has no such day, or the day no such time.
    """
    parts = found.groupdict()
    year = int(parts["year"]) + (2000 if len(parts["year"]) == 2 else 0)
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


def _month(name: str) -> int:
    """The number of a month by its name; 0 for another word."""
    bare = name.lower()
    return _MONTHS.get(bare[:4]) or _MONTHS.get(bare[:3], 0)
