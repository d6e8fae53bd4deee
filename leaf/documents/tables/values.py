"""Cells as values: numbers with units, and dates, in the ways in which they are written."""

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
"""Words that say that there is no value, in lower case; they are named among what was left out."""
_ERROR = re.compile(r"#[¡¿]?[^\W\d_]{2,12}(?:/\d)?[!?]|#(?:n/[a-zд]|nv|i/t|saknas!?|yok|calc!|spill!)|err:\d{3}")
"""The error of a formula, as programs show it in their languages, in lower case."""
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
"""The number or letter of a footnote in brackets."""
_ROUND_NOTE = re.compile(r"(?<=\d) \([1-9a-f]\)\Z")
"""The number or letter of a footnote in round brackets; if most cells have one, it may be a second value."""
_GAPS = re.compile(r"['’ \u00a0\u202f]")
_IN_GAPS = re.compile(r"\d{1,3}(?:['’ \u00a0\u202f]\d{3})+(?:[.,]\d*)?")
_OTHER_SIGNS: Final = str.maketrans({
    "٫": ".", "٬": ",", "，": ",", "．": ".", "￥": "¥", "％": "%", "\u2009": "\u00a0", "\u2007": "\u00a0",
})  # fmt: skip
"""Separators and signs of Arabic and of full width, as the usual ones."""
_NO_CENTS = re.compile(r"(?<=\d)[.,:](?:[-–—]{1,2}|[-–—]?=)(?=\s|[^\W\d_]|[€$£)]|\Z)")
"""A dash in the place of cents: 25,- and 40.–."""
_SHORT_OF_MONEY: Final = frozenset({"mn", "md", "mil", "mila", "miles", "mille"})
"""Powers of ten of money, which are minutes, miles and the like without it."""
_SIDES: Final = frozenset({"CR", "Cr", "DR", "Dr", "H", "S"})
"""Sides of an account behind an amount; which of them is negative depends on whose account it is."""
_PLAIN = re.compile(r"-?(?:\d{1,30}(?:\.\d{1,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,3})?")
_SCIENTIFIC = re.compile(r"-?\d{1,3}[.,]\d{1,15}[eE][+-]?\d{1,3}")
_THREE_PLACES = re.compile(r"-?\d{1,3}\.\d{3}")
_MARK = re.compile(r"\d[+-]?")
_IDENTIFIER = re.compile(r"0\d+")
_SAMPLE = 20
"""Cells that say whether a column has amounts of money."""
_ENOUGH_SIGNS = 1_000
"""The number of different cells of a column that decide about its decimal sign."""
_MOST_UNREAD = 0.2
"""The largest share of cells of a column that are not numbers."""


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
    return any(_number(cell, comma=comma, money=True) is not None for comma in (False, True))


def is_empty(cell: str) -> bool:
    """Whether a cell has no value, or a sign for none: an error of a formula in any language, too."""
    bare = cell.strip().lower()
    return bare in EMPTY or (bare[:1] in _ERROR_BEGINS and _ERROR.fullmatch(bare[:_ERROR_CHARACTERS]) is not None)


def read(
    cells: Sequence[str], label: str, *, european: bool = False, typed: bool = False, of_money: bool = False
) -> Read:
    """The values of a column's cells, with the type that fits nearly all of them.

    Args:
        cells: The texts of its cells, without blanks around them.
        label: Its header.
        european: Whether the file separates cells by semicolons, as programs do where the decimal sign is a comma.
        typed: Whether the file has numbers beside texts, as workbooks do: these have a point for their decimal sign.
        of_money: Whether the table says that its numbers are amounts.
    """
    kinds = {one: count for one, count in Counter(cells).items() if not is_empty(one)}
    if not kinds:
        return Read("text", [one or None for one in cells])
    unsaid = sum(count for one, count in kinds.items() if one.lower() in _UNSAID)
    known = sum(kinds.values()) - unsaid
    most_unread = unsaid + (0 if known < 4 else _MOST_UNREAD * known)
    dated = days.dates(kinds, most_unread, label)
    if dated is None and not unit_names.names_counts(label):
        dated = days.compact(kinds, most_unread)
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
    if (hours := days.hours(kinds, label, most_unread)) is not None:
        unread = [at for at, one in enumerate(cells) if one not in hours and not is_empty(one)]
        return Read(
            "number", [hours.get(one) for one in cells], "h", [], unread, [("computed.hours", next(iter(hours)))]
        )
    if (times := days.clocks(kinds, most_unread, label)) is not None:
        unread = [at for at, one in enumerate(cells) if one not in times and not is_empty(one)]
        return Read("clock", [times.get(one) for one in cells], unread=unread)
    # 007 names something, and 2- is a mark at school; they are no quantities.
    if any(one[0] == "0" and _IDENTIFIER.fullmatch(one) for one in kinds) or (
        any(one.endswith("-") for one in kinds) and all(map(_MARK.fullmatch, kinds))
    ):
        return Read("text", [one or None for one in cells])
    # Amounts have two places; three are those of a price for a litre.
    of_money |= unit_names.unit_of_label(label) in unit_names.CURRENCIES.values() or any(
        map(_is_money, islice(kinds, _SAMPLE))
    )
    if of_money and not typed and not _PRICE.search(label) and not any("," in one for one in kinds):
        european = True
    return _numeric(cells, kinds, label, most_unread, european=european, typed=typed)


def _numeric(
    cells: Sequence[str], kinds: Mapping[str, int], label: str, most_unread: float, *, european: bool, typed: bool
) -> Read:
    """As `read`, of cells that are neither days nor names.

    Args:
        cells: The texts of a column's cells.
        kinds: The different ones that are not empty, each with its number.
        label: The header.
        most_unread: The number of cells that may be no numbers.
        european: As for `read`.
        typed: As for `read`.
    """
    filled = sum(kinds.values())
    stated = unit_names.unit_of_label(label)
    money = stated in unit_names.CURRENCIES.values()
    comma, assumed = _decimal_comma(kinds, european=european, typed=typed)
    # Numbers of a workbook stand beside texts with a decimal comma; 1.234 may be either.
    plain = {one for one in kinds if typed and comma and _PLAIN.fullmatch(one) and not _THREE_PLACES.fullmatch(one)}
    noted = sum(count for one, count in kinds.items() if _ROUND_NOTE.search(one))
    notes = {one: _ROUND_NOTE.sub("", one) for one in kinds} if 0 < 2 * noted < filled else {}
    written = {one: count for one, count in kinds.items() if one not in plain}
    numbers = _numbers(written, most_unread, notes, comma=comma, money=money)
    numbers |= {one: (Decimal(one), "") for one in plain if numbers}
    if not numbers:
        return Read("text", [one or None for one in cells])
    found = Read("number", [numbers[one][0] if one in numbers else None for one in cells])
    found.assumed = assumed
    found.unread = [at for at, one in enumerate(cells) if one not in numbers and not is_empty(one)]
    own = {unit for _, unit in numbers.values()}
    if len(own) == 2 and "" in own and all(one[0] == "(" for one, (_, unit) in numbers.items() if not unit):
        # In accounts the sign of the currency is left out beside brackets.
        own -= {""}
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


def _is_money(cell: str) -> bool:
    """Whether a cell is a number with a currency."""
    found = _number(cell, comma=False, money=True)
    return found is not None and found[1] in unit_names.CURRENCIES.values()


def _decimal_comma(  # noqa: C901 - the signs of one cell after the other
    cells: Iterable[str], *, european: bool, typed: bool
) -> tuple[bool, list[Assumption]]:
    """Whether the decimal sign is a comma, and what was assumed of it."""
    comma = point = 0
    unsure, whole = "", set[bool]()
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
        elif grouped:
            is_comma = sign == "."
        else:
            unsure = cell
            continue
        comma, point = comma + is_comma, point + (not is_comma)
        if comma + point >= _ENOUGH_SIGNS:
            break
    if comma > point and typed and "." in unsure:
        return True, [("computed.point_thousands", unsure)]
    if comma or point:
        return comma > point, []
    if not unsure:
        return False, []
    # Where numbers below 1000 have no sign and no larger one is without, it stands between thousands.
    european = "." in unsure if whole == {False} and not typed else european
    if "," in unsure:
        return european, [("computed.comma_decimal" if european else "computed.comma_thousands", unsure)]
    return european, [("computed.point_thousands" if european else "computed.point_decimal", unsure)]


def _numbers(
    counted: Mapping[str, int], most_unread: float, notes: Mapping[str, str], *, comma: bool, money: bool
) -> dict[str, tuple[Decimal, str]]:
    """The cells that are numbers, each with its unit; none of them if more than `most_unread` cells are not numbers."""
    numbers: dict[str, tuple[Decimal, str]] = {}
    unread = 0
    for cell, count in counted.items():
        found = _number(notes.get(cell, cell), comma=comma, money=money)
        if found is not None:
            numbers[cell] = found
        elif (unread := unread + count) > most_unread:
            return {}
    return numbers


def _number(  # noqa: C901, PLR0911 - the refusals
    cell: str, *, comma: bool, money: bool = False
) -> tuple[Decimal, str] | None:
    """A number and its unit.

    Args:
        cell: The text of a cell.
        comma: Whether the decimal sign is a comma.
        money: Whether the header says that the numbers are money, so that `M` means millions.
    """
    if len(cell) > LONGEST:
        return None
    if _PLAIN.fullmatch(cell) and not (comma and "." in cell):
        return Decimal(cell), ""
    if _SCIENTIFIC.fullmatch(cell):
        return Decimal(cell.replace(",", ".")), ""
    # An apostrophe before a number makes it text in spreadsheets.
    bare = _NOTE.sub("", cell.translate(_OTHER_SIGNS).strip().removeprefix("'"))
    found = _NUMBER.fullmatch(_NO_CENTS.sub("", bare))
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
    words = _unit_and_scale(found, money=money)
    if words is None:
        return None
    unit, scale = words
    value = Decimal("".join(groups) + ("." + rest if rest else "")).scaleb(scale)
    negative = found["sign"] in {"-", "−", "–"} or bool(brackets) or bool(found["minus"] or found["behind"])
    return (-value if negative else value), unit


def _unit_and_scale(number: re.Match[str], *, money: bool) -> tuple[str, int] | None:
    """The unit and the power of ten in the words around a number; None for other words."""
    unit, scale = "", 0
    money |= any(
        (number[place] or "").strip(_FOOTNOTES).lower() in unit_names.CURRENCIES
        for place in ("before", "ahead", "last")
    )
    for place in ("before", "ahead", "after", "last"):
        word = (number[place] or "").strip(_FOOTNOTES)
        bare = word.lower()
        if not bare.strip(_RAISED):
            # The number of a footnote; behind a 10 it may be an exponent.
            if bare and number["digits"].strip() == "10":
                return None
            continue
        # Only a currency may precede a number; T1 and W1 are names.
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
        # 5M are more often millions than metres, and 3D is no length of time.
        if not known or unit or word in {"M", "D"}:
            return None
        unit = known
    return unit, scale


def _power(word: str, unit: str, *, money: bool) -> int:
    """The power of ten for which a word behind a number stands; 0 for none. `m` is one behind an amount of money."""
    word = word.removesuffix(".")
    if word == "b":
        # Without a currency it is a mark or a class.
        return 9 if unit in unit_names.CURRENCIES.values() else 0
    if (
        not money
        and unit not in unit_names.CURRENCIES.values()
        and (unit or word in unit_names.MEASURES or word in _SHORT_OF_MONEY)
    ):
        return 0
    return unit_names.SCALES.get(word, (0,))[0]
