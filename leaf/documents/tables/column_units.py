"""The units of a table's columns that other columns, headers or rows of it name."""

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
"""Words of headers of money, which may stand apart from the column of its currency."""
_PERIOD = re.compile(
    r"(?:[qh]\s?[1-4]|[1-4]\.?\s?(?:q|quartal|quarter))?[\s/'’-]{0,2}(?:(?:fy\s?)?(?:19|20)\d\d)?", re.IGNORECASE
)
_MONTH = re.compile(r"([^\W\d_]{3,10})\.?[\s'’/-]{0,2}(?:(?:19|20)?\d\d)?")
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]{1,20})[)\]]\Z")
_CENTS: Final = -2
_SIDES: Final = [
    {"s", "h"}, {"soll", "haben"}, {"d", "c"}, {"dr", "cr"}, {"db", "cr"}, {"debit", "credit"}, {"d", "h"},
    {"debe", "haber"}, {"débit", "crédit"}, {"dare", "avere"},
]  # fmt: skip
_SPELLINGS = 20
"""Ways in which a column writes the two sides of an account, at most."""
_SIDES_LABEL = re.compile(r"soll|haben|s/h|\bd/[ch]\b|debit|credit|\b[dc]r\b|side|kennzeichen|indicator", re.IGNORECASE)


def settle(columns: Sequence[Column], name_for: Callable[[str], str], assumed: list[str]) -> list[Column]:
    """Gives columns the units that other columns, headers or rows of the table name.

    Args:
        columns: The columns of a table.
        name_for: Makes a name in SQL of a text, which no other column has.
        assumed: Receives what was assumed.

    Returns:
        The columns, with one of units where the rows of the table have one each.
    """
    _without_names(columns)
    _find_unit_columns(columns, assumed)
    _find_sides(columns)
    _take_unit_of_corner(columns)
    return _with_units_of_rows(columns, name_for)


def _without_names(columns: Sequence[Column]) -> None:
    """Takes units from columns whose headers mean a minimum beside a maximum, or men beside women."""
    label_words = {word for one in columns for word in _WORD.split(one.label.casefold())}
    meant = {"min"} if label_words & {"max", "maximum"} else set[str]()
    if label_words & {"w", "f"} and "m" in label_words:
        meant |= {"m", "W", "d"}
    for column in columns:
        if column.unit in meant and column.unit.casefold() in _WORD.split(column.label.casefold()):
            column.unit = ""


def _find_unit_columns(columns: Sequence[Column], assumed: list[str]) -> None:
    """Takes the units of numbers from a column of currencies, or from a column of units that is named so."""
    for units in columns:
        of_units = unit_names.names_units(units.label)
        first = next((one for one in units.values if one is not None), None)
        if units.type != "text" or not (of_units or unit_names.currency_of(str(first))):
            continue
        named = {str(one) for one in units.values if one is not None}
        read = unit_names.unit_of_cell if of_units else unit_names.currency_of
        known = {read(one) for one in named}
        if of_units and any(known):
            # Spoons beside grams are a unit of their own.
            known = {read(one) or one for one in named}
        if units.derived or not known or "" in known:
            continue
        numbers = [one for one in columns if one.type == "number" and not one.unit]
        chosen = _with_unit_column(numbers, units, known) if of_units else _amounts(numbers, units, known)
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
    """Names the column that has the side of an account for amounts without a sign, which are not added."""
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
                column.sides = sides.name


def _take_unit_of_corner(columns: Sequence[Column]) -> None:
    """Gives numbers below periods the currency in the header of the column of words next to them."""
    if not columns or columns[0].type != "text":
        return
    first, *others = columns
    unit = unit_names.unit_of_label(first.label)
    if not unit_names.is_of_money(unit) or "/" in unit:
        return
    if any(unit_names.unit_of_label(str(one)) for one in first.values if one):
        # Its rows have units of their own.
        return
    numbers = [one for one in others if one.type == "number"]
    if all(not one.unit and _is_period(one.label) for one in numbers):
        for one in numbers:
            one.unit = unit


def _with_unit_column(numbers: Sequence[Column], units: Column, known: Collection[str]) -> list[Column]:
    """The columns of numbers whose units a column names.

    It is the adjacent column, preferably the one before it. If the units differ between rows, the columns next to that
    one are included.
    """
    before, behind = _beside(numbers, units)
    found = before or behind
    return found if len(known) > 1 else found[:1]


def _amounts(numbers: Sequence[Column], units: Column, known: Collection[str]) -> list[Column]:
    """The columns of money whose currency a column names: the column next to it, and similar columns.

    If all numbers of the adjacent column are written with cents, whole numbers are counts. If there is only one
    currency, another column has it only with cents or with a header about money.
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
    """The columns of numbers before another one and behind it, without a gap between them, the nearest first."""
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
    """The columns of a table with periods or places side by side, where the labels of its rows name units: with the
    turnover in EUR, and the staff. Where the rows have several, each column of numbers is followed by one of its units.
    """
    labels = next((one for one in columns if one.type == "text" and not one.derived), None)
    numbers = [one for one in columns if one.type == "number"]
    if labels is None or not all(one.unit in {"", MIXED} for one in numbers):
        return [*columns]
    if not all(_is_period(one.label) for one in numbers) and not _are_facts(labels):
        return [*columns]
    of_rows = [unit_names.unit_of_label(str(one)) if one else "" for one in labels.values]
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
    """Whether the labels of rows state different units in brackets, money or a share among them."""
    bracketed = [found[1] for one in labels.values if (found := _IN_BRACKETS.search(str(one or "")))]
    known = [
        unit for one in bracketed if (unit := unit_names.unit_of_cell(one) or unit_names.unit_of_label(f"({one})"))
    ]
    is_of_money = any(unit_names.is_of_money(one) or unit_names.scale_of(one)[1] == "%" for one in known)
    is_pure = len(known) == len(bracketed) and not any(map(str.isdecimal, "".join(bracketed).replace("000", "")))
    return len(known) > 1 and is_pure and is_of_money and len({*known}) + (len(known) < len(labels.values)) > 1


def of_units(column: Column, units: Sequence[str]) -> Column:
    """The column with the units of the rows of another one."""
    label = f"{column.label}: unit"
    return Column(column.unit_column, label, column.place, "text", [one or None for one in units], derived=True)


def _is_period(label: str) -> bool:
    bare = label.strip()
    if not bare:
        return False
    month = _MONTH.fullmatch(bare)
    return bool(_PERIOD.fullmatch(bare)) or days.is_date(bare) or (month is not None and days.is_month(month[1]))
