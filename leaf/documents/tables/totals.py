"""Rows of a table that sum up others of it, state their mean, or are a part of them."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from statistics import median
from typing import Any, Final

from leaf import texts
from leaf.documents.tables import outline, unlabelled
from leaf.documents.tables.model import MIXED, Column, Table

_CHECKED = 100
"""Rows that say that they sum up others, and are checked."""
_DOUBTS = 5
"""Rows that say so and do not, and are named."""
_WORD = re.compile(r"\W+")
_TOTAL_WORDS: Final = frozenset({
    "total", "totals", "totaux", "totales", "totali", "sum", "subtotal", "summe", "zwischensumme", "gesamt",
    "gesamtsumme", "insgesamt", "totale", "somme", "suma", "soma", "summa", "totaal", "subtotaal", "totalt",
    "sammanlagt", "yhteensä", "kokku", "razem", "łącznie", "ogółem", "celkem", "spolu", "skupaj", "ukupno", "összesen",
    "toplam", "tổng", "jumlah", "итого", "всего", "сумма", "разом", "усього", "σύνολο", "合計", "小計", "総計", "合计",
    "小计", "总计", "합계", "총계", "σ", "المجموع", "الإجمالي", "รวม", "gesamtergebnis", "endsumme", "eindtotaal",
    "totalsumma", "totalsumme",
})  # fmt: skip
_WHOLE_WORDS: Final = frozenset({"grand", "general", "général", "générale", "generale", "geral", "końcowa", "overall"})
"""Words beside that for a sum where it is one of all."""
_PART_WORDS: Final = frozenset({"subtotal", "zwischensumme", "subtotaal", "小計", "小计"})
"""Words of sums of a group only."""
_CARRIED_WORDS: Final = frozenset({"carried", "brought", "übertrag", "riporto"})
_OTHER_WORDS: Final = frozenset({"forward", "report", "reporter", "ergebnis", "media"})
"""Words of sums and means that name other things as well, such as a player, a paper or a sock."""
_ALL_WORDS: Final = frozenset({"all", "alle", "tous", "toutes", "todos", "todas", "tutti", "tutte"})
"""Words with which the label of a sum may begin, and many others do."""
_MEAN_WORDS: Final = frozenset({
    "average", "avg", "mean", "durchschnitt", "mittelwert", "mittel", "moyenne", "promedio", "media", "średnia",
    "gemiddelde", "平均", "ø",
})  # fmt: skip
_EXTREMES: Final[Mapping[str, Callable[[Iterable[Decimal]], Decimal]]] = {
    "min": min, "minimum": min, "lowest": min, "max": max, "maximum": max, "highest": max, "median": median,
}  # fmt: skip
_NAMES: Final = frozenset({"min", "max"})
_PERIOD_WORDS: Final = frozenset({
    "q", "quarter", "quarters", "quartal", "trimestre", "trim", "h", "hj", "half", "halbjahr", "semestre", "year",
    "jahr", "année", "annee", "año", "fy", "full", "gesamtjahr", "ytd", "st", "nd", "rd", "th", "first", "second",
    "third", "fourth",
})  # fmt: skip
"""Words of the label of a quarter, half or year, beside its numbers."""
_TAX = re.compile(
    r"\b(?:vat|mwst|ust|umsatzsteuer|mehrwertsteuer|tva|iva|gst|hst|btw|moms|dph|消費税|sales tax)\b"
    r"|\b(?:tax|steuer)\b.*%",
    re.IGNORECASE,
)
_PART = re.compile(
    r"(?:davon|darunter|hiervon|of which|thereof|di cui|de los cuales|waarvan|w tym"
    r"|dont(?! (?:know|care|like|want|use|have|need|mind|agree|trust|remember)))\b",
    re.IGNORECASE,
)
"""A row that begins so states a part of the one above it."""
_DIGITS = re.compile(r"\d+")
_YEAR = re.compile(r"(?:19|20)\d\d")


def taken_out(table: Table) -> Table | None:
    """Takes the rows that sum up others out of a table, as a table of their own; None if there are none."""
    numbers = [one for one in table.columns if one.type == "number"]
    if not numbers or len(table.rows) < 2:
        return None
    # Years and numbers of rows sum up nothing.
    numbers = [one for one in numbers if not _is_name(one, is_first=one is table.columns[0])] or numbers
    labels = _labels(table)
    heads = outline.heads(numbers, {at for at, label in labels.items() if not says_period(label)})
    aside = dict.fromkeys(heads, "computed.sums_below") | _parts(table)
    labels = {at: label for at, label in labels.items() if at not in aside}
    periods = {at for at, label in labels.items() if says_period(label)}
    sure = {at for at, label in labels.items() if _is_sure(label) or _names_above(table, at, label)}
    totals, unsure, differing = _confirmed(numbers, labels, periods, aside, sure)
    if not periods <= {*totals}:
        # Quarters of which one does not sum up the months above it are rows like all others.
        labels = {at: label for at, label in labels.items() if at not in periods}
        totals, unsure, differing = _confirmed(numbers, labels, set(), aside, sure & labels.keys())
    unnamed = unlabelled.rows_of(table, numbers, {*totals, *aside}, max(totals)) if totals else {}
    below = _below(table, numbers, labels, sorted({*totals, *unnamed}))
    if not below and 0 not in totals:
        unnamed |= unlabelled.rows_of(table, numbers, {*totals, *aside, *unnamed}, len(table.rows) - 1)
    unnamed = {at: key for at, key in unnamed.items() if at not in labels}
    for key in dict.fromkeys(unnamed.values()):
        _say(table, key, {at: label for at, one in unnamed.items() if one == key and (label := _label(table, at))})
    totals += unnamed
    unsure = [at for at in unsure if at not in below]
    aside |= _taxes(table, totals) | below
    if ratio := _ratios(table, {*totals, *aside}):
        aside |= ratio
    for key in dict.fromkeys(aside.values()):
        _say(table, key, {at: _label(table, at) for at, one in sorted(aside.items()) if one == key})
    totals += aside
    _say(table, "computed.no_total", {at: labels[at] for at in unsure})
    _say(table, "computed.total_differs", {at: labels[at] for at in differing})
    if not totals or len(totals) == len(table.rows):
        return None
    totals.sort()
    chosen = set(totals)
    table.totals = [table.rows[at] for at in totals]
    apart = Table(
        "", table.file_id, table.revision, table.file, table.part, table.header,
        [_some(one, totals) for one in table.columns], table.totals, table.title, is_totals=True,
    )  # fmt: skip
    others = [at for at in range(len(table.rows)) if at not in chosen]
    table.columns = _settled([_some(one, others) for one in table.columns])
    table.rows = [table.rows[at] for at in others]
    return apart


def _say(table: Table, key: str, rows: Mapping[int, str]) -> None:
    """States what was assumed of some rows, each with its label."""
    for at, label in [*rows.items()][:_DOUBTS]:
        table.assumed.append(texts.english(key, row=table.rows[at], label=label[:60]))


def _confirmed(
    numbers: Sequence[Column], labels: Mapping[int, str], periods: Collection[int], aside: Collection[int],
    sure: Collection[int],
) -> tuple[list[int], list[int], list[int]]:  # fmt: skip
    """The rows that sum up others, those that only say so, and those of the first that do not fit the numbers.

    A player may be called Max and a product Total Repair: labels that name other things as well are those of sums where
    the rows that cannot be anything else (`sure`) fit the table without them, and otherwise only where it is no chance.
    """
    found = _summed_up(numbers, labels, periods, aside, sure, strict=False)
    fits = [
        _sums_up(numbers, at, [*found[0], *aside], is_mean=_says_mean(labels[at]), least=1)
        for at in sorted(sure)[:_CHECKED]
    ]
    if sure and max(fits) > 1 and all(fits):
        return found
    return _summed_up(numbers, labels, periods, aside, sure, strict=True)


def _summed_up(
    numbers: Sequence[Column], labels: Mapping[int, str], periods: Collection[int], aside: Collection[int],
    sure: Collection[int], *, strict: bool,
) -> tuple[list[int], list[int], list[int]]:  # fmt: skip
    """As `_confirmed`; if `strict`, those that may do so by chance only say so."""
    totals: list[int] = []
    unsure: list[int] = []
    differing: list[int] = []
    names = len({label.casefold().strip(" :.") for label in labels.values() if _extreme_of(label) is not None}) < 2
    last = len(numbers[0].values) - 1
    for at in sorted(labels)[:_CHECKED]:
        label, is_mean = labels[at], _says_mean(labels[at])
        is_last = 0 < at == last and not is_mean and _only_says_total(label)
        extreme = _extreme_of(label)
        if extreme is not None:
            fits = _is_extreme(numbers, at, [*totals, *aside], extreme)
            # Min and Max are people, too, unless both stand there.
            fits &= not (strict and names and label.casefold().strip(" :.") in _NAMES)
        elif strict and at not in periods and (_says_other(label) or _says_all(label)):
            fits = _is_no_chance(numbers, at, [*totals, *aside], is_mean=is_mean, is_all=_says_all(label))
        else:
            least = 2 if at in periods or is_mean or (strict and at not in sure) else 1
            # A single digit of a quarter or a mean is a sum by chance, unless all others are.
            is_chance = (is_mean or [at] == [*periods]) and _has_one_digit(numbers, at)
            checked = [[one] for one in numbers if one.values[at] is not None] if is_chance else [numbers]
            fits = all(_sums_up(one, at, [*totals, *aside], is_mean=is_mean, least=least) for one in checked)
            fits |= says_total(label) and _is_uncomputed(numbers, at)
        if fits or is_last:
            totals.append(at)
            if not fits and any(isinstance(one.values[at], Decimal) for one in numbers):
                differing.append(at)
        elif not _says_all(label) and any(isinstance(one.values[at], Decimal) for one in numbers):
            unsure.append(at)
    return totals, unsure, differing


def _has_one_digit(numbers: Sequence[Column], at: int) -> bool:
    """Whether the first number of a row has one digit."""
    first = next((one for column in numbers if isinstance(one := column.values[at], Decimal)), Decimal(0))
    return unlabelled.digits_of(first) == 1


def _is_no_chance(
    numbers: Sequence[Column], at: int, totals: Collection[int], *, is_mean: bool, is_all: bool
) -> bool:  # fmt: skip
    """Whether a row has, in every column with a number there, the sum or the mean of all rows above, or as the first
    row of all below: in several columns that differ, in three digits, or because its label says that it is about all.
    """
    rows = [row for row in (range(at) if at else range(1, len(numbers[0].values))) if row not in totals]
    columns = [one for one in numbers if isinstance(one.values[at], Decimal)]
    if len(rows) < 2 or not columns or len({tuple(one.values[row] for one in columns) for row in rows}) < 2 - is_all:
        return False
    digits = 0
    for column in columns:
        found, wanted = [one for row in rows if isinstance(one := column.values[row], Decimal)], column.values[at]
        if not found or not isinstance(wanted, Decimal):
            return False
        if not unlabelled.restates(wanted, sum(found), len(found) if is_mean else 1):
            return False
        digits = max(digits, unlabelled.digits_of(wanted))
    return is_all or digits > 2 or len({tuple(one.values) for one in columns}) > 1


def _below(
    table: Table, numbers: Sequence[Column], labels: Mapping[int, str], totals: Sequence[int]
) -> dict[int, str]:  # fmt: skip
    """The rows below the last one that sums up others, if none above it is left out: what is paid, a deviation, a rest.

    They are rows of another group if they are more, or have days. If they have words in as many cells, too, unless the
    label says that it is the sum of all, or the first of them is the difference of two sums.
    """
    end, known = 0, {*totals}
    for at in totals[:_CHECKED]:
        column = next((one for one in numbers if isinstance(one.values[at], Decimal)), None)
        others = [row for row in range(end, at) if row not in known]
        count = sum(isinstance(column.values[row], Decimal) for row in others) if column is not None else 0
        if _sums_up(numbers, at, totals, is_mean=_says_mean(labels.get(at)), least=max(1, count)):
            end = at + 1
    rest = [at for at in range(end, len(table.rows)) if at not in known] if end else []
    words = [one for one in table.columns if one.type != "number" and not one.derived]
    above = [at for at in range(end) if at not in known]
    has_days = any(one.type != "text" and one.values[at] is not None for one in words for at in rest)
    if not rest or has_days or len(rest) > len(above):
        return {}
    filled = [sum(one.values[at] is not None for one in words) for at in range(len(table.rows))]
    least = min(filled[at] for at in above)
    is_other = max(filled[at] for at in rest) < least or _is_sum_of_all(labels.get(end - 1, ""))
    return dict.fromkeys(rest, "computed.below") if is_other or _is_difference(numbers, rest[0], totals) else {}


def _is_difference(numbers: Sequence[Column], at: int, totals: Sequence[int]) -> bool:
    """Whether a row has, in every column with a number there, the difference of the last two sums above it."""
    above = [one for one in totals if one < at][-2:]
    rows: list[Any] = [
        [one.values[row] for row in (*above, at)] for one in numbers if isinstance(one.values[at], Decimal)
    ]
    if len(above) < 2 or not rows or not all(isinstance(one, Decimal) for row in rows for one in row):
        return False
    return all(abs(a - b) == abs(rest) for a, b, rest in rows)


def _labels(table: Table) -> dict[int, str]:
    """The cells that say that their row sums up others, by the index of the row."""
    found: dict[int, str] = {}
    rows = {row: at for at, row in enumerate(table.rows)}
    for column in table.columns:
        if column.type == "text":
            saying = {str(one) for one in {*column.values} if _may_sum_up(one)}
            found |= {at: str(one) for at, one in enumerate(column.values) if one in saying and at not in found}
        else:
            unread = ((rows[row], cell) for row, cell in column.unread.items())
            found |= {at: cell for at, cell in unread if at not in found and _may_sum_up(cell)}
    return found


def _is_name(column: Column, *, is_first: bool) -> bool:
    """Whether the numbers of a column are years, or count its rows or sections."""
    numbers = [one for one in column.values if isinstance(one, Decimal)]
    whole = [int(one) for one in numbers if one == one.to_integral_value()]
    if is_first and numbers[:1] == [1] and len(numbers) > 2 and all(a < b for a, b in pairwise(numbers)):
        return True
    if len(whole) < max(2, len(numbers)):
        return False
    return all(1900 <= one <= 2100 for one in whole) or whole == [*range(1, len(whole) + 1)]


def _label(table: Table, at: int) -> str:
    """The words of a row."""
    return next((str(one.values[at]) for one in table.columns if one.type == "text" and one.values[at]), "")


def _parts(table: Table) -> dict[int, str]:
    """The rows that state a part of the one above them, as their labels say, and are not more than it."""
    found: dict[int, str] = {}
    whole = 0
    for at in range(1, len(table.rows)):
        if _PART.match(_label(table, at)) and all(
            abs(part) <= abs(one)
            for column in table.columns
            if isinstance(part := column.values[at], Decimal) and isinstance(one := column.values[whole], Decimal)
        ):
            found[at] = "computed.part_of"
        else:
            whole = at
    return found


def _taxes(table: Table, totals: Collection[int]) -> dict[int, str]:
    """The rows between two that sum up others that are a tax on these, as their labels say."""
    first, last = (min(totals), max(totals)) if totals else (0, 0)
    between = sorted({*range(first + 1, last)} - {*totals})
    return {at: "computed.tax" for at in between if _TAX.search(_label(table, at)[:80])}


def _ratios(table: Table, known: Collection[int]) -> dict[int, str]:
    """The rows that have shares only, in columns of other numbers."""
    mixed = [one for one in table.columns if one.unit == MIXED and one.unit_column]
    units = [
        (one, [str(unit or "") for unit in own.values])
        for one in mixed
        if (own := table.column(one.unit_column)) is not None
    ]
    found: dict[int, str] = {}
    for at in range(len(table.rows)):
        numbers = [one for one in table.columns if one.type == "number" and one.values[at] is not None]
        shares = [one for one, own in units if one.values[at] is not None and own[at] == "%"]
        if at not in known and shares and len(shares) == len(numbers):
            found[at] = "computed.shares"
    # A row of shares is one of few.
    return found if 2 * len(found) < len(table.rows) - len(known) else {}


def _settled(columns: Sequence[Column]) -> list[Column]:
    """The columns of a table, of which those whose units have differed in other rows only have one."""
    by_name = {one.name: one for one in columns}
    left_out: set[str] = set()
    for column in columns:
        units = by_name.get(column.unit_column)
        if units is None or not units.derived:
            continue
        own = {str(unit or "") for unit, one in zip(units.values, column.values, strict=True) if one is not None}
        if len(own) == 1:
            column.unit, column.unit_column = own.pop(), ""
            left_out.add(units.name)
    return [one for one in columns if one.name not in left_out]


def _is_uncomputed(numbers: Sequence[Column], at: int) -> bool:
    """Whether a row has formulas without a result in place of its numbers."""
    return all(one.values[at] is None for one in numbers) and any(
        text.startswith("=") for one in numbers for text in one.unread.values()
    )


def _some(column: Column, rows: Sequence[int]) -> Column:
    return replace(column, values=[column.values[at] for at in rows])


def _may_sum_up(label: object) -> bool:
    says = (says_total, _says_mean, _says_all, says_period, _extreme_of)
    return any(one(label) for one in says)


def says_total(label: object) -> bool:
    if not isinstance(label, str) or len(label) > 80:
        return False
    words = [word for word in _WORD.split(label.casefold()) if word]
    known = _TOTAL_WORDS | _CARRIED_WORDS | _OTHER_WORDS
    return bool(words) and (words[0] in known or words[-1] in known or words[:2] == ["grand", "total"])


def _only_says_total(label: str) -> bool:
    """Whether a label can be that of a sum only: `Total`, `Grand total`."""
    words = {*_WORD.split(label.casefold())} - {""}
    return bool(words & _TOTAL_WORDS) and words <= _TOTAL_WORDS | _WHOLE_WORDS


def _is_sure(label: str) -> bool:
    """Whether a label can be that of a sum or a mean only."""
    return _only_says_total(label) or (label.casefold().strip(" :.") in _MEAN_WORDS and not _says_other(label))


def _is_sum_of_all(label: str) -> bool:
    """Whether a label can be that of the sum or mean of a whole table only."""
    return (_is_sure(label) or _says_mean(label)) and label.casefold().strip(" :.") not in _PART_WORDS


def _names_above(table: Table, at: int, label: str) -> bool:
    """Whether the label of a sum names the group of the row above it: `Bonn Total` below `Bonn`."""
    named = " ".join(word for word in _WORD.split(label.casefold()) if word not in _TOTAL_WORDS)
    texts_above = (one.values[at - 1] for one in table.columns if one.type == "text") if at else ()
    return named != "" and any(
        isinstance(one, str) and " ".join(_WORD.split(one.casefold())) == named for one in texts_above
    )


def _says_other(label: str) -> bool:
    """Whether only words that name other things as well say that a row sums up others."""
    words = {*_WORD.split(label.casefold())}
    return bool(words & _OTHER_WORDS) and not words & (_TOTAL_WORDS | _CARRIED_WORDS)


def says_period(label: object) -> bool:
    """Whether a label is that of a quarter, half or year, which may sum up the months above it."""
    if not isinstance(label, str) or len(label) > 30:
        return False
    words = {*_WORD.split(_DIGITS.sub(" ", label.casefold()))} - {""}
    return words <= _PERIOD_WORDS if words else bool(_YEAR.fullmatch(label.strip()))


def _says_all(label: object) -> bool:
    return isinstance(label, str) and _WORD.split(label[:80].casefold(), maxsplit=1)[0] in _ALL_WORDS


def _says_mean(label: object) -> bool:
    words = [word for word in _WORD.split(label[:80].casefold()) if word] if isinstance(label, str) else []
    return bool(words) and bool({words[0], words[-1]} & _MEAN_WORDS) and not {*words} & _TOTAL_WORDS


def _extreme_of(label: object) -> Callable[[Iterable[Decimal]], Decimal] | None:
    """The function (minimum, maximum or median) that a row's label names; None if it names none of them."""
    return _EXTREMES.get(label.casefold().strip(" :.")) if isinstance(label, str) else None


def _is_extreme(
    numbers: Sequence[Column], at: int, totals: Collection[int], extreme: Callable[[Iterable[Decimal]], Decimal]
) -> bool:
    """Whether a row has, in its first column with a number, the extreme of all rows above it."""
    column = next((one for one in numbers if isinstance(one.values[at], Decimal)), None)
    above = [] if column is None else [one for row, one in enumerate(column.values[:at]) if row not in totals]
    values = [one for one in above if isinstance(one, Decimal)]
    return column is not None and len(values) > 1 and extreme(values) == column.values[at]


def _sums_up(numbers: Sequence[Column], at: int, totals: Sequence[int], *, is_mean: bool, least: int) -> int:
    """How many rows right above it, `least` or more, a row sums up in its first column with a number, or states the
    mean of; as the first row, all below it; 0 for none.
    """
    earlier = set(totals)
    for column in numbers:
        wanted = column.values[at]
        if not isinstance(wanted, Decimal):
            continue
        if not at:
            others = [one for one in column.values[1:] if isinstance(one, Decimal)]
            return len(others) if len(others) > 1 and not is_mean and sum(others) == wanted else 0
        running, count = Decimal(0), 0
        for above in range(at - 1, -1, -1):
            value = column.values[above]
            if above not in earlier and isinstance(value, Decimal):
                running, count = running + value, count + 1
            many = count if is_mean else 1
            if count >= least and unlabelled.restates(wanted, running, many):
                return count
        return 0
    return 0
