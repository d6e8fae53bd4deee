"""Rows of a table that sum up others of it, state their mean, or are a part of them."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

from leaf import texts
from leaf.documents.tables import marks, outline, parts, results, row_labels, unlabelled
from leaf.documents.tables.model import MIXED, Column, Table, Value

_CHECKED = 100
"""Rows that say that they sum up others, and are checked."""
_DOUBTS = 5
"""Rows that say so and do not, and are named."""
_WORDS = re.compile(r"\w+")


def taken_out(table: Table) -> Table | None:
    """Takes the rows that sum up others out of a table, as a table of their own; None if there are none."""
    if len(table.rows) < 2:
        return None
    numbers = [one for one in table.columns if one.type == "number"]
    # Years and numbers of rows sum up nothing.
    numbers = [one for one in numbers if not _is_name(one, table.columns)] or numbers
    counts = dict.fromkeys(marks.rows_of(table), "computed.counts_above")
    totals = _kept_apart(table, numbers, counts) if numbers else [*counts]
    if not numbers:
        _say_all(table, counts)
    if not totals or len(totals) == len(table.rows):
        return None
    totals.sort()
    chosen = set(totals)
    table.totals = [table.rows[at] for at in totals]
    apart = Table(
        "", table.file_id, table.revision, table.file, table.part, table.header,
        [_as_numbers(_some(table, one, totals)) for one in table.columns], table.totals, table.title, is_totals=True,
    )  # fmt: skip
    others = [at for at in range(len(table.rows)) if at not in chosen]
    table.columns = _settled([_some(table, one, others) for one in table.columns])
    table.rows = [table.rows[at] for at in others]
    return apart


def _kept_apart(table: Table, numbers: Sequence[Column], counts: Mapping[int, str]) -> list[int]:
    """The rows of a table that restate others. Each of them is reported in a note.

    Args:
        table: The table.
        numbers: Its columns of numbers that may sum up others.
        counts: Rows that are known to restate others, with the texts that say so.
    """
    labels = {at: label for at, label in _labels(table).items() if at not in counts}
    aside = {**counts, **_limits(table, numbers)}
    words = parts.labels_of(table)
    sums = {at for at, label in labels.items() if row_labels.says_total(label) and not results.is_result(label)}
    left = results.rows_of(numbers, words, {*aside, *parts.ratios(table, aside)}, sums)
    others = {at for at, label in labels.items() if not row_labels.says_period(label)}
    heads = [] if left else outline.heads(numbers, others)
    heads += _heads_of_groups(numbers, labels)
    aside |= (
        dict.fromkeys(left, "computed.rest_above") | dict.fromkeys(heads, "computed.sums_below") | parts.of_rows(table)
    )
    labels = {at: label for at, label in labels.items() if at not in aside}
    ranks = {at: rank for at, label in labels.items() if (rank := row_labels.period_rank(label)) is not None}
    periods = {*ranks}
    sure = {at for at, label in labels.items() if row_labels.is_sure(label) or _names_above(table, at, label)}
    totals, unsure, differing = _confirmed(numbers, labels, periods, aside, sure)
    while not periods <= {*totals}:
        # Quarters of which one does not sum up the months above it are rows like all others, which a year may sum up.
        shortest = min(ranks[at] for at in periods)
        labels = {at: label for at, label in labels.items() if ranks.get(at) != shortest}
        periods &= labels.keys()
        totals, unsure, differing = _confirmed(numbers, labels, periods, aside, sure & labels.keys())
    called = _unlike(numbers, labels, [*totals, *unsure], [*totals, *aside])
    beside = results.beside_sums(numbers, called, {*totals, *aside} - {*differing})
    totals = sorted({*totals, *beside})
    unsure, differing = ([at for at in several if at not in beside] for several in (unsure, differing))
    aside |= {at: key for rows in beside.values() for at, key in rows.items()}
    unnamed = unlabelled.rows_of(table, numbers, {*totals, *aside}, max(totals)) if totals else {}
    below = _below(table, numbers, labels, sorted({*totals, *unnamed}))
    if not below and 0 not in totals:
        unnamed |= unlabelled.rows_of(table, numbers, {*totals, *aside, *unnamed}, len(table.rows) - 1)
    if not totals and not unnamed and not aside:
        unnamed = unlabelled.above_a_rest(table, numbers) or unlabelled.first_of_all(numbers)
        if "computed.may_sum_below" in unnamed.values():
            _say_all(table, unnamed)
            unnamed = {}
    unnamed = {at: key for at, key in unnamed.items() if at not in labels}
    _say_all(table, unnamed)
    totals += unnamed
    unsure = [at for at in unsure if at not in below]
    _fill_units(table, totals)
    aside |= parts.taxes(table, numbers, totals) | below
    aside |= parts.ratios(table, {*totals, *aside})
    _say_all(table, aside)
    _say(table, "computed.no_total", {at: labels[at] for at in unsure if at not in unnamed})
    _say(table, "computed.total_differs", {at: labels[at] for at in differing})
    _say_all(table, results.differences(numbers, {*totals, *aside}))
    return [*totals, *aside]


def _unlike(
    numbers: Sequence[Column], labels: Mapping[int, str], rows: Sequence[int], known: Sequence[int]
) -> dict[int, bool]:  # fmt: skip
    """The rows called sums that are no sum of rows above in some column, and whether they can be nothing else."""
    return {
        at: row_labels.only_says_total(labels[at])
        for at in rows
        if row_labels.says_total(labels[at])
        and not all(_sums_up([one], at, known, is_mean=False, least=1) for one in numbers if one.values[at])
    }


def _heads_of_groups(numbers: Sequence[Column], labels: Mapping[int, str]) -> list[int]:
    """The rows that their labels call sums, and that have the sums of all rows below them up to the next such row, in
    every column with a number there: two or more of them.
    """
    sums = [at for at, label in sorted(labels.items()) if row_labels.says_total(label) or row_labels.says_all(label)]
    found: list[int] = []
    for at, end in pairwise([*sums, len(numbers[0].values)]):
        columns = [one for one in numbers if isinstance(one.values[at], Decimal)]
        below = [[one for one in column.values[at + 1 : end] if isinstance(one, Decimal)] for column in columns]
        if columns and all(
            len(several) > 1 and sum(several) == column.values[at]
            for column, several in zip(columns, below, strict=True)
        ):
            found.append(at)
    return found if len(found) > 1 else []


def _say_all(table: Table, rows: Mapping[int, str]) -> None:
    """States what was assumed of rows that restate others, each with the text that says so."""
    for key in dict.fromkeys(rows.values()):
        _say(
            table,
            key,
            {at: label for at, one in sorted(rows.items()) if one == key and (label := parts.label_of(table, at))},
        )


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
        _sums_up(numbers, at, [*found[0], *aside], is_mean=row_labels.says_mean(labels[at]), least=1)
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
    extremes = (label for label in labels.values() if row_labels.extreme_of(label) is not None)
    names = len({label.casefold().strip(" :.") for label in extremes}) < 2
    last = len(numbers[0].values) - 1
    for at in sorted(labels)[:_CHECKED]:
        label, is_mean = labels[at], row_labels.says_mean(labels[at])
        is_last = 0 < at == last and not is_mean and row_labels.only_says_total(label)
        extreme = row_labels.extreme_of(label)
        if extreme is not None:
            fits = _is_extreme(numbers, at, [*totals, *aside], extreme)
            # Min and Max are people, too, unless both stand there.
            fits &= not (strict and names and row_labels.may_be_name(label))
        elif strict and at not in periods and (row_labels.says_other(label) or row_labels.says_all(label)):
            # The mean of three rows or more is below them, and only such rows follow it.
            closes = is_mean and at > 2 and labels.keys() >= {*range(at + 1, last + 1)}
            is_all = row_labels.says_all(label)
            # A label that has been confirmed may name the sum of each group.
            begins = [0, *(one + 1 for one in totals[-1:] if is_all and labels[one] == label)]
            fits = any(
                _is_no_chance(
                    numbers, at, {*range(begin), *totals, *aside}, is_mean=is_mean, is_all=is_all,
                    digits=2 if closes else 3,
                )
                for begin in begins
            )  # fmt: skip
        else:
            least = 2 if at in periods or is_mean or (strict and at not in sure) else 1
            # A single digit of a quarter or a mean is a sum by chance, unless all others are.
            is_chance = (is_mean or [at] == [*periods]) and _has_one_digit(numbers, at)
            checked = [[one] for one in numbers if one.values[at] is not None] if is_chance else [numbers]
            fits = all(_sums_up(one, at, [*totals, *aside], is_mean=is_mean, least=least) for one in checked)
            fits |= row_labels.says_total(label) and _is_uncomputed(numbers, at)
        if fits or is_last:
            totals.append(at)
            if not fits and any(isinstance(one.values[at], Decimal) for one in numbers):
                differing.append(at)
        elif not row_labels.says_all(label) and any(isinstance(one.values[at], Decimal) for one in numbers):
            unsure.append(at)
    return totals, unsure, differing


def _has_one_digit(numbers: Sequence[Column], at: int) -> bool:
    """Whether the first number of a row has one digit."""
    first = next((one for column in numbers if isinstance(one := column.values[at], Decimal)), Decimal(0))
    return unlabelled.digits_of(first) == 1


def _is_no_chance(
    numbers: Sequence[Column], at: int, totals: Collection[int], *, is_mean: bool, is_all: bool, digits: int
) -> bool:  # fmt: skip
    """Whether a row has, in every column with a number there, the sum or the mean of all rows above, or as the first
    row of all below: in several columns that differ, in enough digits, or because its label says that it is about all.
    """
    rows = [row for row in (range(at) if at else range(1, len(numbers[0].values))) if row not in totals]
    columns = [one for one in numbers if isinstance(one.values[at], Decimal)]
    if len(rows) < 2 or not columns or len({tuple(one.values[row] for one in columns) for row in rows}) < 2 - is_all:
        return False
    most = 0
    for column in columns:
        found, wanted = [one for row in rows if isinstance(one := column.values[row], Decimal)], column.values[at]
        if not found or not isinstance(wanted, Decimal):
            return False
        if not unlabelled.restates(wanted, sum(found), len(found) if is_mean else 1):
            return False
        most = max(most, unlabelled.digits_of(wanted))
    return is_all or most >= digits or unlabelled.differing_columns(columns) > 1


def _below(
    table: Table, numbers: Sequence[Column], labels: Mapping[int, str], totals: Sequence[int]
) -> dict[int, str]:  # fmt: skip
    """The rows below the last one that sums up others, if none above it is left out: what is paid, a deviation, a rest.

    They are rows of another group if they are more, or have days. If they have words in as many cells, too, unless the
    label says that it is the sum of all, the first of them is the difference of two sums, or the shares are complete.
    """
    end, known = 0, {*totals}
    for at in totals[:_CHECKED]:
        column = next((one for one in numbers if isinstance(one.values[at], Decimal)), None)
        others = [row for row in range(end, at) if row not in known]
        count = sum(isinstance(column.values[row], Decimal) for row in others) if column is not None else 0
        if _sums_up(numbers, at, totals, is_mean=row_labels.says_mean(labels.get(at)), least=max(1, count)):
            end = at + 1
    rest = [at for at in range(end, len(table.rows)) if at not in known] if end else []
    words = [one for one in table.columns if one.type != "number" and not one.derived]
    above = [at for at in range(end) if at not in known]
    has_days = any(one.type != "text" and one.values[at] is not None for one in words for at in rest)
    if not rest or has_days or len(rest) > len(above):
        return {}
    filled = [sum(one.values[at] is not None for one in words) for at in range(len(table.rows))]
    least = min(filled[at] for at in above)
    is_other = max(filled[at] for at in rest) < least or row_labels.is_sum_of_all(labels.get(end - 1, ""))
    is_other |= unlabelled.is_complete(numbers, end - 1, rest)
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
            saying = {str(one) for one in {*column.values} if row_labels.may_sum_up(one)}
            found |= {at: str(one) for at, one in enumerate(column.values) if one in saying and at not in found}
        else:
            unread = ((rows[row], cell) for row, cell in column.unread.items())
            found |= {at: cell for at, cell in unread if at not in found and row_labels.may_sum_up(cell)}
    return found


def _is_name(column: Column, columns: Sequence[Column]) -> bool:
    """Whether the numbers of a column are years, or count or name its rows or sections."""
    numbers = [one for one in column.values if isinstance(one, Decimal)]
    whole = [int(one) for one in numbers if one == one.to_integral_value()]
    is_first = column is columns[0]
    if is_first and numbers[:1] == [1] and len(numbers) > 2 and all(a < b for a, b in pairwise(numbers)):
        return True
    if len(whole) < max(2, len(numbers)):
        return False
    if is_first and len(columns) > 1 and columns[1].type == "text" and len({*whole}) == len(column.values):
        # A number of its own before the words of each row is that of an account.
        return not column.unit or _is_years(whole)
    return _is_years(whole)


def _is_years(whole: Sequence[int]) -> bool:
    """Whether numbers are years, or those of rows or sections."""
    return all(1900 <= one <= 2100 for one in whole) or whole == [*range(1, len(whole) + 1)]


def _limits(table: Table, numbers: Sequence[Column]) -> dict[int, str]:
    """The first or last row, if it says what can be reached at most, as its label says and no other row exceeds."""
    last = len(table.rows) - 1
    for at in (0, last) if last > 1 else ():
        label = parts.label_of(table, at)
        columns = [one for one in numbers if isinstance(one.values[at], Decimal)]
        if columns and row_labels.says_limit(label) and all(_is_most(one.values, at) for one in columns):
            is_round = len(columns) > 2 and all(Decimal(str(one.values[at])) % 5 == 0 for one in columns)
            if row_labels.is_limit(label) or (is_round and row_labels.is_just_max(label)):
                return {at: "computed.limit"}
    return {}


def _is_most(numbers: Sequence[Value], at: int) -> bool:
    """Whether no other number is larger than the one of a row."""
    return max(one for one in numbers if isinstance(one, Decimal)) == numbers[at]


def _fill_units(table: Table, totals: Collection[int]) -> None:
    """Gives amounts the currency of their sum where they have none, as in accounts: it stands at the sum, and at the
    first of them at most.
    """
    for column in [one for one in table.columns if one.unit == MIXED]:
        units = table.column(column.unit_column)
        if units is None or not units.derived:
            continue
        own = {str(unit or "") for unit, one in zip(units.values, column.values, strict=True) if one is not None}
        of_sums = {str(units.values[at] or "") for at in totals if column.values[at] is not None}
        if len(own) == 2 and len(of_sums) == 1 and of_sums < own and "" not in of_sums:
            (column.unit,) = of_sums
            count = sum(not unit and one is not None for unit, one in zip(units.values, column.values, strict=True))
            column.unit_column = ""
            table.columns.remove(units)
            table.assumed.append(
                texts.english("computed.unit_filled", count=count, column=column.label, unit=column.unit)
            )


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


def _some(table: Table, column: Column, rows: Sequence[int]) -> Column:
    unread = {row: column.unread[row] for at in rows if (row := table.rows[at]) in column.unread}
    return replace(column, values=[column.values[at] for at in rows], unread=unread)


def _as_numbers(column: Column) -> Column:
    """A column of rows that count marks in a column of text."""
    cells = [str(one) for one in column.values if one is not None]
    if column.type != "text" or column.derived or not cells or not all(map(marks.is_count, cells)):
        return column
    return replace(column, type="number", values=[None if one is None else Decimal(str(one)) for one in column.values])


def _names_above(table: Table, at: int, label: str) -> bool:
    """Whether the label of a sum names the group of the row above it: `Bonn Total` below `Bonn`."""
    named = row_labels.without_totals(label)
    texts_above = (one.values[at - 1] for one in table.columns if one.type == "text") if at else ()
    return named != "" and any(
        isinstance(one, str) and " ".join(_WORDS.findall(one.casefold())) == named for one in texts_above
    )


def _is_extreme(
    numbers: Sequence[Column], at: int, totals: Collection[int], extreme: Callable[[Iterable[Decimal]], Decimal]
) -> bool:
    """Whether a row has, in its first column with a number, the extreme of all rows above it."""
    column = next((one for one in numbers if isinstance(one.values[at], Decimal)), None)
    above = [] if column is None else [one for row, one in enumerate(column.values[:at]) if row not in totals]
    values = [one for one in above if isinstance(one, Decimal)]
    return column is not None and len(values) > 1 and extreme(values) == column.values[at]


def _sums_up(numbers: Sequence[Column], at: int, totals: Sequence[int], *, is_mean: bool, least: int) -> int:
    """The number of rows, at least `least`, whose sum or mean a row states in its first column with a number.

    They are directly above it; for the first row they are all rows below it. 0 if there are none.
    """
    earlier = set(totals)
    for column in numbers:
        wanted = column.values[at]
        if not isinstance(wanted, Decimal):
            continue
        if not at:
            others = [one for one in column.values[1:] if isinstance(one, Decimal)]
            # The same sum may stand below them, too.
            again = int(others[-1:] == [wanted] and sum(others[:-1]) == wanted)
            is_sum = sum(others) == wanted * (1 + again)
            return len(others) - again if len(others) - again > 1 and not is_mean and is_sum else 0
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
