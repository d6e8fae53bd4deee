"""Finds the units of a table's columns in its other columns, its headers and the labels of its rows."""

import re
from collections.abc import Callable, Collection, Sequence
from decimal import Decimal
from typing import Final

from leaf import texts
from leaf.documents.tables import days, unit_names
from leaf.documents.tables.model import MIXED, Column, Value

_WORD = re.compile(r"\W+")
_MONEY_LABELS: Final = frozenset({
    "amount", "fee", "fees", "net", "gross", "price", "total", "balance", "cost", "costs", "tax", "debit", "credit",
    "betrag", "gebühr", "gebühren", "netto", "brutto", "preis", "saldo", "kosten", "steuer", "guthaben", "soll",
    "haben", "umsatz", "montant", "frais", "prix", "solde", "importe", "precio", "comisión", "importo", "prezzo",
})  # fmt: skip
"""Words in headers of amounts of money, which need not adjoin the column of their currency."""
_PERIOD = re.compile(
    r"(?:[qh]\s?[1-4]|[1-4]\.?\s?(?:q|quartal|quarter))?[\s/'’-]{0,2}(?:(?:fy\s?)?(?:19|20)\d\d)?", re.IGNORECASE
)
_MONTH = re.compile(r"([^\W\d_]{3,10})\.?[\s'’/-]{0,2}(?:(?:19|20)?\d\d)?")
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]{1,20})[)\]]\Z")
_MOST_QUANTITIES: Final = 20
_CENTS: Final = -2
_SIDES: Final = [
    {"s", "h"}, {"soll", "haben"}, {"d", "c"}, {"dr", "cr"}, {"db", "cr"}, {"debit", "credit"}, {"d", "h"},
    {"debe", "haber"}, {"débit", "crédit"}, {"dare", "avere"},
]  # fmt: skip
_SPELLINGS = 20
"""Maximum number of different spellings in a column for the two sides of an account."""
_SIDES_LABEL = re.compile(
    r"soll|haben|s/h|\bsh\b|\bd/?[ch]\b|debit|credit|\b[dc]r\b|side|kennzeichen|indicator", re.IGNORECASE
)


def settle(
    columns: Sequence[Column], name_for: Callable[[str], str], assumed: list[str], above: Sequence[str]
) -> list[Column]:  # fmt: skip
    """Sets the units of columns that other columns, headers or row labels of the table name.

    Args:
        columns: The columns of a table.
        name_for: Makes a name in SQL from a text; no other column has that name.
        assumed: Receives the assumptions, in words.
        above: The cells above the header.

    Returns:
        The columns. If each row has a unit of its own, a column of units follows each column of numbers.
    """
    _without_names(columns)
    _find_unit_columns(columns, assumed)
    _find_sides(columns)
    _take_unit_of_corner(columns, above)
    return _with_units_of_rows(columns, name_for)


def _without_names(columns: Sequence[Column]) -> None:
    """Removes a unit if its letters mean something else: `min` beside `max`, or `m` for men beside `w` for women."""
    label_words = {word for one in columns for word in _WORD.split(one.label.casefold())}
    meant = {"min"} if label_words & {"max", "maximum"} else set[str]()
    if label_words & {"w", "f"} and "m" in label_words:
        meant |= {"m", "W", "d"}
    for column in columns:
        if column.unit in meant and column.unit.casefold() in _WORD.split(column.label.casefold()):
            column.unit = ""


def _find_unit_columns(columns: Sequence[Column], assumed: list[str]) -> None:
    """Sets the units of numbers from a column of currencies, or from a column whose header says that it has units."""
    for units in columns:
        of_units = unit_names.names_units(units.label)
        first = next((one for one in units.values if one is not None), None)
        if units.type != "text" or not (of_units or unit_names.currency_of(str(first))):
            continue
        named = {str(one) for one in units.values if one is not None}
        read = unit_names.unit_of_cell if of_units else unit_names.currency_of
        known = {read(one) for one in named}
        if of_units and any(known):
            # Other words such as spoons, beside grams, count as units too.
            known = {read(one) or one for one in named}
        if units.derived or not known or "" in known:
            continue
        numbers = [one for one in columns if one.type == "number" and not one.unit]
        chosen = _numbers_of_unit_column(numbers, units, known) if of_units else _amounts(numbers, units, known)
        for column in chosen:
            if len(known) > 1:
                column.unit, column.unit_column = MIXED, units.name
                continue
            (column.unit,) = known
            if missing := sum(
                unit is None and one is not None for unit, one in zip(units.values, column.values, strict=True)
            ):
                assumed.append(
                    texts.english("computed.unit_filled", count=missing, column=column.label, unit=column.unit)
                )


def _find_sides(columns: Sequence[Column]) -> None:
    """Records which column has the side of an account (debit or credit) for amounts without a sign.

    Amounts of both sides must not be added up.
    """
    for sides in columns:
        kinds = {*sides.values} if sides.type == "text" else set[Value]()
        named = {str(one).casefold().strip(" .") for one in kinds} if len(kinds) <= _SPELLINGS else set[str]()
        is_said = _SIDES_LABEL.search(sides.label) is not None or max(map(len, named), default=0) > 1
        if sides.derived or named not in _SIDES or not is_said:
            continue
        for column in columns:
            amounts = [one for one in column.values if isinstance(one, Decimal)] if column.type == "number" else []
            exact = [one for one in amounts if one != one.to_integral_value()]
            is_money = column.unit or exact or not _MONEY_LABELS.isdisjoint(_WORD.split(column.label.casefold()))
            if amounts and is_money and min(amounts) >= 0 and not unit_names.names_counts(column.label):
                column.sides_column = sides.name


def _take_unit_of_corner(columns: Sequence[Column], above: Sequence[str]) -> None:
    """Sets the currency in the header of the first column, or above it, as the unit of columns of periods."""
    if not columns or columns[0].type != "text":
        return
    first, *others = columns
    unit = next(filter(None, map(unit_names.unit_of_label, (first.label, *above))), "")
    if not unit_names.is_of_money(unit) or "/" in unit:
        return
    if any(unit_names.unit_of_label(str(one)) for one in first.values if one):
        # The rows have units of their own.
        return
    numbers = [one for one in others if one.type == "number"]
    if all(not one.unit and _is_period(one.label) for one in numbers):
        for one in numbers:
            one.unit = unit


def _numbers_of_unit_column(numbers: Sequence[Column], units: Column, known: Collection[str]) -> list[Column]:
    """The columns of numbers to which a column of units belongs.

    It belongs to the adjacent column, preferably the one before it. If the units differ between rows, it also belongs
    to the columns of numbers that follow on that side without a gap.
    """
    before, behind = _beside(numbers, units)
    found = before or behind
    return found if len(known) > 1 else found[:1]


def _amounts(numbers: Sequence[Column], units: Column, known: Collection[str]) -> list[Column]:
    """The columns of money to which a column of currencies belongs: the adjacent column, and similar ones.

    If all numbers of the adjacent column have cents, a column of whole numbers is a count and is left out. If there is
    only one currency, another column belongs to it only if it has cents, or a header about money.
    """
    numbers = [one for one in numbers if not unit_names.names_counts(one.label)]
    before, behind = _beside(numbers, units)
    first = (before or behind)[:1]
    if not first:
        return []
    has_cents = {*_exponents(first[0])} == {_CENTS}
    found = [*first]
    for column in numbers:
        exponents = _exponents(column)
        is_money = not _MONEY_LABELS.isdisjoint(_WORD.split(column.label.casefold()))
        is_near = column in before or column in behind
        is_like = {*exponents} == {_CENTS} if has_cents else any(exponents) and min(exponents) >= _CENTS
        is_like |= len(known) > 1 and not has_cents
        if column not in found and (is_money or (is_near and is_like)):
            found.append(column)
    return found


def _exponents(column: Column) -> list[int]:
    return [int(one.as_tuple().exponent) for one in column.values if isinstance(one, Decimal)]


def _beside(numbers: Sequence[Column], units: Column) -> tuple[list[Column], list[Column]]:
    """The columns of numbers before and after another column, nearest first. Each list ends at the first gap."""
    before = [one for one in numbers if one.place < units.place][::-1]
    return _stretch(before), _stretch([one for one in numbers if one.place > units.place])


def _stretch(numbers: Sequence[Column]) -> list[Column]:
    found = [*numbers[:1]]
    for column in numbers[1:]:
        if abs(found[-1].place - column.place) != 1 or unit_names.names_counts(column.label):
            break
        found.append(column)
    return found


def _with_units_of_rows(columns: Sequence[Column], name_for: Callable[[str], str]) -> list[Column]:
    """Reads units from the row labels of a table whose columns are periods or places.

    Such rows are, for example, the turnover in EUR and the number of staff. If the units differ between rows, each
    column of numbers becomes `MIXED` and is followed by a new column with its units.
    """
    labels = next((one for one in columns if one.type == "text" and not one.derived), None)
    numbers = [one for one in columns if one.type == "number"]
    if labels is None or not all(one.unit in {"", MIXED} for one in numbers):
        return [*columns]
    if not any(_names_quantity(one.label) for one in numbers) and _are_quantities(labels):
        of_rows = [str(one or "") for one in labels.values]
    elif all(_is_period(one.label) for one in numbers) or _are_facts(labels):
        of_rows = [unit_names.unit_of_label(str(one)) if one else "" for one in labels.values]
    else:
        return [*columns]
    if not any(of_rows):
        return [*columns]
    of_cells = {one.name: one for one in columns if one.derived}
    found: list[Column] = []
    for column in columns:
        found.append(column)
        if column.type == "number" and (cells := of_cells.get(column.unit_column)) is not None:
            cells.values = [one or other or None for one, other in zip(cells.values, of_rows, strict=True)]
        elif column.type == "number" and len({*of_rows}) == 1:
            column.unit = of_rows[0]
        elif column.type == "number":
            column.unit, column.unit_column = MIXED, name_for(f"{column.name} unit")
            found.append(of_units(column, of_rows))
    return found


def _are_facts(labels: Column) -> bool:
    """Whether row labels state different units in brackets, at least one of them money or a percentage."""
    bracketed = [found[1] for one in labels.values if (found := _IN_BRACKETS.search(str(one or "")))]
    known = [
        unit for one in bracketed if (unit := unit_names.unit_of_cell(one) or unit_names.unit_of_label(f"({one})"))
    ]
    is_of_money = any(unit_names.is_of_money(one) or unit_names.scale_of(one)[1] == "%" for one in known)
    is_pure = len(known) == len(bracketed) and not any(map(str.isdecimal, "".join(bracketed).replace("000", "")))
    return len(known) > 1 and is_pure and is_of_money and len({*known}) + (len(known) < len(labels.values)) > 1


def _are_quantities(labels: Column) -> bool:
    """Whether row labels are the names of amounts and counts, such as price and quantity, that no column adds up."""
    bare = [str(one or "").casefold().strip(" :.") for one in labels.values]
    is_once = len({*bare}) == len(bare) <= _MOST_QUANTITIES
    return is_once and not _MONEY_LABELS.isdisjoint(bare) and any(map(unit_names.is_count_label, bare))


def _names_quantity(label: str) -> bool:
    """Whether a header has a word for amounts or counts."""
    return not _MONEY_LABELS.isdisjoint(_WORD.split(label.casefold())) or unit_names.names_counts(label)


def of_units(column: Column, units: Sequence[str]) -> Column:
    """A column with the unit of each row, for a column of numbers."""
    label = f"{column.label}: unit"
    return Column(column.unit_column, label, column.place, "text", [one or None for one in units], derived=True)


def _is_period(label: str) -> bool:
    bare = label.strip()
    if not bare:
        return False
    month = _MONTH.fullmatch(bare)
    return bool(_PERIOD.fullmatch(bare)) or days.is_date(bare) or (month is not None and days.is_month(month[1]))
