"""Reads cells as values: numbers with units, dates and times, in the ways in which people write them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from typing import Final

from leaf.documents.tables import days, unit_names
from leaf.documents.tables.days import LONGEST
from leaf.documents.tables.model import MIXED, Assumption, Type, Value

EMPTY: Final = frozenset({
    "", "-", "–", "—", "n/a", "na", "n.a.", "k. a.", "k.a.", "nan", "null", "none", "tbd", "?", "…", "..", "...", "./.",
    ":", "n/d", "n.d.", "s/d", "s.d.", "i/t", "nvt", "n.v.t.", "n.b.", "b.d.", "n. a.",
})  # fmt: skip
"""Cells without a value, in lower case."""
_UNSAID: Final = frozenset({
    "unknown", "not available", "not applicable", "not known", "no data", "unbekannt", "keine angabe", "keine angaben",
    "keine daten", "nicht verfügbar", "nicht bekannt", "entfällt", "inconnu", "non disponible", "non renseigné",
    "sin datos", "no disponible", "desconocido", "sconosciuto", "non disponibile", "onbekend", "niet bekend",
    "não disponível", "não aplicável", "desconhecido", "brak", "brak danych", "nie dotyczy", "nieznane", "uoplyst",
    "ikke oplyst", "ukendt", "ukjent", "saknas", "okänd", "okänt", "ej tillgänglig", "ej aktuellt", "inf", "-inf",
    "+inf", "infinity", "-infinity", "∞",
})  # fmt: skip
"""Words for a missing value, in lower case. They are listed among the cells that were left out."""
_BOUND = re.compile(r"[<>≤≥]=? ?[+-]?[\d.,]")
"""The beginning of a cell that only bounds a number, such as <0.5. It has no value, and is listed like such words."""
_ROUGH = re.compile(r"(?:[~≈] ?|(?:ca\.|circa|approx\.) ?)(?=[\d.,(+−–-])", re.IGNORECASE)
"""The beginning of a number that is approximate."""
_ERROR = re.compile(r"#[¡¿]?[^\W\d_]{2,12}(?:/\d)?[!?]|#(?:n/[a-zд]|nv|i/t|saknas!?|yok|calc!|spill!)|err:\d{3}")
"""The error of a formula in lower case, as programs show it in various languages."""
_ERROR_BEGINS: Final = frozenset("#e")
_ERROR_CHARACTERS = 20
_PRICE = re.compile(r"pri[cxs]|preis|prezz|prec|cen[ay]\b|tarif|rate|kurs|cours|tasa|tasso", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?P<open>\()?\s*(?P<before>[^\d\s.,()+−–-]{1,8}\.?\s?)?(?P<inner>\()?(?P<sign>[+−–-])?\s?"
    r"(?P<ahead>[^\d\s.,()+−–-]{1,8}\.?\s?)?(?P<digits>\d[\d.,'’ \u00a0\u202f]{0,40})"
    r"(?P<behind>-(?=\s?[^\d\s]))?(?P<after>\s?[^\d\s()+−–-]{1,12})?(?P<last>\s[^\d\s()+−–-]{1,8})?(?P<minus>-)?\s*(?P<close>\))?"
)
_FOOTNOTES = " \u00a0\u202f*†‡"
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠ"
_NOTE = re.compile(r"(?<=\d)(?: ?\[[\da-z]{1,2}\]){1,3}\Z")
"""The number or letter of a footnote in square brackets."""
_ROUND_NOTE = re.compile(r"(?<=\d) \([1-9a-f]\)\Z")
"""The number or letter of a footnote in parentheses. If most cells have one, it may be a second value instead."""
_GAPS = re.compile(r"['’ \u00a0\u202f]")
_IN_GAPS = re.compile(r"\d{1,3}(?:['’ \u00a0\u202f]\d{3})+(?:[.,]\d*)?")
_OTHER_SIGNS: Final = str.maketrans({
    "٫": ".", "٬": ",", "，": ",", "．": ".", "￥": "¥", "％": "%", "\u2009": "\u00a0", "\u2007": "\u00a0",
})  # fmt: skip
"""Arabic and full-width separators and signs, with their usual forms."""
_NO_CENTS = re.compile(r"(?<=\d)[.,:](?:[-–—]{1,2}|[-–—]?=)(?=\s|[^\W\d_]|[€$£)]|\Z)")
"""A dash in place of cents, as in 25,- and 40.–."""
_SHORT_OF_MONEY: Final = frozenset({"mn", "md", "mil", "mila", "miles", "mille"})
"""Words that are powers of ten beside money, but minutes, miles and the like otherwise."""
_SIDES: Final = frozenset({"CR", "Cr", "DR", "Dr", "H", "S"})
"""Account sides after an amount. It depends on the owner of the account which of them is negative."""
_PLAIN = re.compile(r"-?(?:\d{1,30}(?:\.\d{1,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,3})?")
_SCIENTIFIC = re.compile(r"-?\d{1,3}[.,]\d{1,15}[eE][+-]?\d{1,3}")
_THREE_PLACES = re.compile(r"-?\d{1,3}\.\d{3}")
_MARK = re.compile(r"\d[+-]?")
_IDENTIFIER = re.compile(r"0\d+")
_SAMPLE = 20
"""How many different cells are checked for amounts of money."""
_ENOUGH_SIGNS = 1_000
"""How many numbers with a clear separator decide about the decimal sign of a column."""
_FEW = 4
"""Number of cells from which some may not fit the type of a column."""
_MOST_UNREAD = 0.2
"""Maximum share of the cells of a column that do not fit its type."""


@dataclass
class Read:
    """The values of a column."""

    type: Type
    values: list[Value]
    unit: str = ""
    units: list[str] = field(default_factory=list[str])
    """The unit of each cell, if they differ."""
    unread: list[int] = field(default_factory=list[int])
    """Indexes of cells that do not fit the type."""
    assumed: list[Assumption] = field(default_factory=list[Assumption])


def is_number(cell: str) -> bool:
    """Whether a cell is a number, in any notation."""
    return any(_number(cell, comma=comma, money=True) is not None for comma in (False, True))


def is_empty(cell: str) -> bool:
    """Whether a cell is empty, a sign for a missing value, or the error of a formula in any language."""
    return cell.strip().lower() in EMPTY or is_error(cell)


def is_error(cell: str) -> bool:
    """Whether a cell is the error of a formula, in any language."""
    bare = cell.strip()[:_ERROR_CHARACTERS].lower()
    return bare[:1] in _ERROR_BEGINS and _ERROR.fullmatch(bare) is not None


def is_bound(cell: str) -> bool:
    """Whether a cell only bounds a number."""
    return _BOUND.match(cell) is not None


def is_figure(cell: str) -> bool:
    """Whether a cell without a value says something about one, as <0.5, 5-7 and “etwa 40” do."""
    return any(map(str.isdigit, cell)) and not cell.startswith("=") and not is_error(cell)


def read(
    cells: Sequence[str], label: str, *, european: bool = False, typed: bool = False, of_money: bool = False,
    is_summed_up: bool = False,
) -> Read:  # fmt: skip
    """Reads the cells of a column as values of the type that fits nearly all of them.

    Args:
        cells: The texts of the cells, without surrounding blanks.
        label: The header of the column.
        european: Whether an ambiguous number has a decimal comma, as in files that separate cells by semicolons.
        typed: Whether the file stores numbers apart from texts, as workbooks do. Such numbers have a decimal point.
        of_money: Whether the table says that its numbers are amounts of money.
        is_summed_up: Whether the last cell would be the sum of the others if they were durations.
    """
    words = Read("text", [one or None for one in cells])
    kinds = {one: count for one, count in Counter(cells).items() if not is_empty(one)}
    if not kinds:
        return words
    most_unread = _most_unread_of(kinds)
    found = _temporal(cells, kinds, label, most_unread, is_summed_up=is_summed_up)
    if found is not None:
        return found
    # 007 is an identifier, and 2- is a school mark; neither is a quantity.
    if any(one[0] == "0" and _IDENTIFIER.fullmatch(one) for one in kinds) or (
        any(one.endswith("-") for one in kinds) and all(map(_MARK.fullmatch, kinds))
    ):
        return words
    # Amounts of money have two decimal places, so three digits after a point are thousands, except in a price.
    of_money |= unit_names.unit_of_label(label) in unit_names.CURRENCIES.values() or any(
        map(_is_money, islice(kinds, _SAMPLE))
    )
    if of_money and not typed and not _PRICE.search(label) and not any("," in one for one in kinds):
        european = True
    found = _numeric(cells, kinds, label, most_unread, european=european, typed=typed)
    if found.type == "text":
        found.assumed += days.unordered(kinds, label)
    return found


def _most_unread_of(kinds: Mapping[str, int]) -> float:
    """The maximum number of cells that do not fit the type of a column: a share of those that say a value, and all
    others.

    Args:
        kinds: The different cells that are not empty, each with its count.
    """
    unsaid = sum(count for one, count in kinds.items() if one.lower() in _UNSAID)
    bounds = sum(count for one, count in kinds.items() if is_bound(one))
    # Where most cells are bounds, they are names of groups, such as those of ages.
    unsaid += bounds if 2 * bounds <= sum(kinds.values()) else 0
    known = sum(kinds.values()) - unsaid
    return unsaid + (0 if known < _FEW else _MOST_UNREAD * known)


def _temporal(
    cells: Sequence[str], kinds: Mapping[str, int], label: str, most_unread: float, *, is_summed_up: bool
) -> Read | None:  # fmt: skip
    """A column of days, of days with times, of durations or of times of day; None for any other column.

    The arguments are those of `read` and `_numeric`.
    """
    dated = days.dates(kinds, most_unread, label)
    if dated is None and not unit_names.names_counts(label):
        dated = days.compact(kinds, most_unread)
    if dated is not None:
        values, assumed = dated
        if not any(isinstance(one, datetime) for one in values.values()):
            return _of_type("date", cells, values, assumed)
        times = {
            key: one if isinstance(one, datetime) or not isinstance(one, date) else datetime.combine(one, time())
            for key, one in values.items()
        }
        return _of_type("time", cells, times, assumed)
    if (hours := days.hours(kinds, label, most_unread, is_summed_up=is_summed_up)) is not None:
        return _of_type("number", cells, hours, [("computed.hours", next(iter(hours)))], "h")
    if (clock := days.times_of_day(kinds, most_unread, label)) is not None:
        return _of_type("clock", cells, clock)
    return None


def _of_type(
    kind: Type, cells: Sequence[str], known: Mapping[str, Value], assumed: Sequence[Assumption] = (), unit: str = ""
) -> Read:
    """A column of a type. Its cells have the values in `known`, or are empty, or do not fit the type, as errors do."""
    unread = [at for at, one in enumerate(cells) if one not in known and (is_error(one) or not is_empty(one))]
    return Read(kind, [known.get(one) for one in cells], unit, unread=unread, assumed=[*assumed])


def _numeric(
    cells: Sequence[str], kinds: Mapping[str, int], label: str, most_unread: float, *, european: bool, typed: bool
) -> Read:
    """Does the work of `read` for cells that are neither dates, times nor identifiers.

    Args:
        cells: The texts of the cells.
        kinds: The different cells that are not empty, each with its count.
        label: The header of the column.
        most_unread: Maximum number of cells that are not numbers.
        european: As for `read`.
        typed: As for `read`.
    """
    stated = unit_names.unit_of_label(label)
    comma, assumed = _decimal_comma(kinds, european=european, typed=typed)
    money = stated in unit_names.CURRENCIES.values()
    numbers = _numbers(kinds, most_unread, comma=comma, money=money, typed=typed)
    if not numbers:
        return Read("text", [one or None for one in cells])
    if (rough := next(filter(_ROUGH.match, numbers), None)) is not None:
        assumed.append(("computed.approximate", rough))
    found = _of_type("number", cells, {one: number for one, (number, _) in numbers.items()}, assumed)
    _give_units(found, cells, numbers, stated)
    if not typed and (padded := _padded(numbers, "," if comma else ".")):
        found.assumed.append(("computed.padded", padded))
    return found


def _padded(cells: Iterable[str], sign: str) -> str:
    """A cell with a zero at the end of its decimal places, beside one with fewer places, as versions may have; empty
    for none.
    """
    places = {
        one: len(decimals)
        for one in cells
        if (decimals := one.partition(sign)[2]).isdecimal() and one.replace(sign, "", 1).isdecimal()
    }
    fewest = min(places.values(), default=0)
    return next((one for one, count in places.items() if count > fewest and one[-1] == "0"), "")


def _numbers(
    kinds: Mapping[str, int], most_unread: float, *, comma: bool, money: bool, typed: bool
) -> dict[str, tuple[Decimal, str]]:
    """The number and the unit of each cell that has one; empty if more cells than `most_unread` have none."""
    # A workbook may have numbers beside texts with a decimal comma. 1.234 may be either, so it is not plain.
    plain = {one for one in kinds if typed and comma and _PLAIN.fullmatch(one) and not _THREE_PLACES.fullmatch(one)}
    noted = sum(count for one, count in kinds.items() if _ROUND_NOTE.search(one))
    notes = {one: _ROUND_NOTE.sub("", one) for one in kinds} if 0 < 2 * noted < sum(kinds.values()) else {}
    written = {one: count for one, count in kinds.items() if one not in plain}
    numbers = days.legible(
        written, most_unread, lambda one: _number(_ROUGH.sub("", notes.get(one, one), 1), comma=comma, money=money)
    )
    return numbers | {one: (Decimal(one), "") for one in plain} if numbers else {}


def _give_units(
    column: Read, cells: Sequence[str], numbers: Mapping[str, tuple[Decimal, str]], stated: str
) -> None:  # fmt: skip
    """Gives a column the unit of its cells, or of its header where they have none (`stated`)."""
    own = {unit for _, unit in numbers.values()}
    if len(own) == 2 and "" in own and all(one[0] == "(" for one, (_, unit) in numbers.items() if not unit):
        # In accounts, a negative number in parentheses has no currency sign.
        own -= {""}
    if stated == "%" and own != {"%"} and (fraction := _fraction(numbers, among_percentages="%" in own)):
        if "%" in own:
            stated = ""
        else:
            column.assumed.append(("computed.percent_as_written", fraction))
    if len(own) == 1:
        column.unit = next(iter(own)) or stated
        return
    # A cell without a unit has the unit of the header; without that, it has none.
    units = [(numbers[one][1] or stated) if one in numbers else "" for one in cells]
    different = {unit for unit, value in zip(units, column.values, strict=True) if value is not None}
    if (common := unit_names.common(different)) is not None:
        column.unit, factors = common
        converted = next((one for one, (_, unit) in numbers.items() if factors[unit or stated] > 1), None)
        if converted is not None:
            column.assumed.append(("computed.converted", converted))
        column.values = [
            value * factors[unit] if isinstance(value, Decimal) else value
            for unit, value in zip(units, column.values, strict=True)
        ]
        return
    column.unit, column.units = (different.pop(), []) if len(different) == 1 else (MIXED, units)


def _fraction(numbers: Mapping[str, tuple[Decimal, str]], *, among_percentages: bool) -> str:
    """A cell without a percent sign that may be meant as a fraction, in a column of percentages; empty for none.

    Beside 12 %, 0.38 may be meant as 38 %. Without such cells it is taken as written, if no number is above 1.
    """
    bare = {one: abs(number) for one, (number, unit) in numbers.items() if not unit}
    if not any(0 < one < 1 for one in bare.values()) or (not among_percentages and max(bare.values()) > 1):
        return ""
    return next(one for one, number in bare.items() if number)


def _is_money(cell: str) -> bool:
    """Whether a cell is a number with a currency."""
    found = _number(cell, comma=False, money=True)
    return found is not None and found[1] in unit_names.CURRENCIES.values()


def _decimal_comma(  # noqa: C901 - the signs of one cell after the other
    cells: Iterable[str], *, european: bool, typed: bool
) -> tuple[bool, list[Assumption]]:
    """Whether the decimal sign of a column is a comma, and what was assumed about it."""
    comma = point = 0
    unsure, whole = "", set[bool]()
    doubted, places, has_groups = dict[str, str](), set[int](), False
    for cell in (one.translate(_OTHER_SIGNS) for one in cells):
        if "," not in cell and "." not in cell:
            digits = sum(map(str.isdigit, cell))
            whole |= {digits > 3} if digits and cell.strip("0-") else set()
            continue
        found = _NUMBER.fullmatch(cell) if len(cell) <= LONGEST else None
        digits = found["digits"].strip() if found else ""
        last = max(digits.rfind(","), digits.rfind("."))
        if last < 0:
            continue
        sign = digits[last]
        other = "," if sign == "." else "."
        grouped = digits.count(sign) > 1
        if other in digits or len(digits) - last - 1 != 3 or digits[:last] in {"0", "00"} or last > 3:
            is_comma = (sign == ",") != grouped
            places |= set() if grouped else {len(digits) - last - 1}
            has_groups |= other in digits
        elif grouped:
            is_comma, has_groups = sign == ".", True
        else:
            unsure = doubted[sign] = cell
            continue
        comma, point = comma + is_comma, point + (not is_comma)
        if comma + point >= _ENOUGH_SIGNS:
            break
    if comma > point and typed and "." in unsure:
        return True, [("computed.point_thousands", unsure)]
    if comma or point:
        is_comma = comma > point
        unlike = doubted.get("," if is_comma else ".")
        # Among 1,000.50 and 20.25, 1.000 may be meant as 1,000. Weights may well have one to three decimals.
        is_contrary = unlike is not None and not typed and 3 not in places and (has_groups or len(places) == 1)
        return is_comma, [("computed.unlike_decimals", unlike)] if unlike is not None and is_contrary else []
    if not unsure:
        return False, []
    # If all numbers without a separator are below 1,000, the separator in larger ones stands between thousands.
    european = "." in unsure if whole == {False} and not typed else european
    if "," in unsure:
        return european, [("computed.comma_decimal" if european else "computed.comma_thousands", unsure)]
    return european, [("computed.point_thousands" if european else "computed.point_decimal", unsure)]


def _number(  # noqa: C901, PLR0911 - the refusals
    cell: str, *, comma: bool, money: bool = False
) -> tuple[Decimal, str] | None:
    """The number and the unit of a cell; None if it is no number.

    Args:
        cell: The text of a cell.
        comma: Whether the decimal sign is a comma.
        money: Whether the numbers are money, so that `M` means millions.
    """
    if len(cell) > LONGEST:
        return None
    if _PLAIN.fullmatch(cell) and not (comma and "." in cell):
        return Decimal(cell), ""
    if _SCIENTIFIC.fullmatch(cell):
        return Decimal(cell.replace(",", ".")), ""
    # In a spreadsheet, an apostrophe before a number makes it text.
    bare = _NOTE.sub("", cell.translate(_OTHER_SIGNS).strip().removeprefix("'"))
    found = _NUMBER.fullmatch(_NO_CENTS.sub("", bare))
    if found is None or (found["before"] and found["ahead"]) or (found["open"] and found["inner"]):
        return None
    brackets = found["open"] or found["inner"]
    if bool(brackets) != bool(found["close"]):
        return None
    digits = found["digits"].strip()
    # Telephone and account numbers have gaps at other places.
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
    words = _unit_and_scale(found, money=money)
    if words is None:
        return None
    unit, scale = words
    value = Decimal("".join(groups) + ("." + rest if rest else "")).scaleb(scale)
    negative = found["sign"] in {"-", "−", "–"} or bool(brackets) or bool(found["minus"] or found["behind"])
    return (-value if negative else value), unit


def _unit_and_scale(number: re.Match[str], *, money: bool) -> tuple[str, int] | None:
    """The unit and the power of ten in the words around a number; None if there are other words."""
    unit, scale = "", 0
    money |= any(
        (number[place] or "").strip(_FOOTNOTES).lower() in unit_names.CURRENCIES
        for place in ("before", "ahead", "last")
    )
    for place in ("before", "ahead", "after", "last"):
        word = (number[place] or "").strip(_FOOTNOTES)
        bare = word.lower()
        if not bare.strip(_RAISED):
            # A raised number is a footnote; after a 10 it may be an exponent.
            if bare and number["digits"].strip() == "10":
                return None
            continue
        # Only a currency may precede a number. T1 and W1 are names.
        behind = place in {"after", "last"}
        if behind and word in _SIDES:
            if unit or scale:
                return None
            unit = word.upper()
            continue
        if behind and not scale and (power := _power(bare, unit, money=money)):
            scale = power
            continue
        if not scale and not unit and (together := unit_names.scaled(bare)) is not None:
            scale, unit = together
            continue
        known = unit_names.unit_of_cell(word) if behind else unit_names.CURRENCIES.get(bare)
        # 5M is more often 5 million than 5 metres, and 3D is no duration.
        if not known or unit or word in {"M", "D"}:
            return None
        unit = known
    return unit, scale


def _power(word: str, unit: str, *, money: bool) -> int:
    """The power of ten that a word after a number means; 0 for none. `m` means a million only for money."""
    word = word.removesuffix(".")
    if word == "b":
        # Without a currency, `b` is a mark or a class.
        return 9 if unit in unit_names.CURRENCIES.values() else 0
    if (
        not money
        and unit not in unit_names.CURRENCIES.values()
        and (unit or word in unit_names.MEASURES or word in _SHORT_OF_MONEY)
    ):
        return 0
    return unit_names.SCALES.get(word, (0,))[0]
