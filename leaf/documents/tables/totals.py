"""Rows of a table that sum up others of it, state their mean, or are a part of them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

from leaf import texts
from leaf.documents.tables import labelled, marks, outline, parts, results, row_labels, unlabelled
from leaf.documents.tables.model import MIXED, Column, Table, Value

_DOUBTS = 5
"""Maximum number of rows that a note of one kind mentions."""
_RUNNING = 8
"""Maximum number of columns that are compared with a running sum."""
_TESTED = 20
_WORDS = re.compile(r"\w+")


def taken_out(table: Table) -> Table | None:
    """Takes the rows that sum up others out of a table, as a table of their own; None if there are none."""
    if len(table.rows) < 2:
        return None
    numbers = [one for one in table.columns if one.type == "number"]
    # Years and numbers of rows sum up nothing.
    numbers = [one for one in numbers if not _is_name(one, table.columns)] or numbers
    counts = dict.fromkeys(marks.rows_of(table), "computed.counts_above")
    totals = _Restatements(table, numbers, counts).find() if numbers else [*counts]
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


@dataclass
class _Restatements:
    """The rows of a table that restate others, as far as the steps so far have found them.

    Each step ignores the rows that the steps before it have found.
    """

    table: Table
    numbers: Sequence[Column]
    """The columns of numbers that may be summed up."""
    aside: dict[int, str]
    """Rows that are kept apart although no label calls them a sum, each with the key of the text that says why."""
    labels: dict[int, str] = field(default_factory=dict[int, str])
    """The labels that may belong to sums, by row."""
    totals: list[int] = field(default_factory=list[int])
    unsure: list[int] = field(default_factory=list[int])
    """Rows that only their labels call sums."""
    heads: dict[int, str] = field(default_factory=dict[int, str])
    """Rows with the labels of heads of indented rows whose sums they do not have."""
    differing: list[int] = field(default_factory=list[int])
    """Rows among `totals` whose numbers are not the sums of the others."""

    def find(self) -> list[int]:
        """All such rows. Each of them is reported in a note."""
        self.labels = {at: label for at, label in _labels(self.table).items() if at not in self.aside}
        self._set_aside()
        self._confirm_labels()
        self._find_rows_beside_sums()
        unnamed = self._unnamed()
        below = self._below({*self.totals, *unnamed})
        if not below and 0 not in self.totals:
            shares = parts.ratios(self.table, self.aside)
            last = max((at for at in range(len(self.table.rows)) if at not in shares), default=0)
            unnamed |= self._unlabelled_up_to(last, {*unnamed, *shares})
        if not self.totals and not unnamed and not self.aside:
            unnamed = unlabelled.above_a_rest(self.table, self.numbers) or unlabelled.first_of_all(self.numbers)
        _say_all(self.table, unnamed := {at: key for at, key in unnamed.items() if at not in self.labels})
        self.totals += [at for at, key in unnamed.items() if key != "computed.may_sum_below"]
        _fill_units(self.table, self.totals)
        self.aside |= parts.taxes(self.table, self.numbers, self.totals) | below
        self.aside |= parts.ratios(self.table, {*self.totals, *self.aside})
        self._say([at for at in self.unsure if at not in below and at not in unnamed])
        return [*self.totals, *self.aside]

    def _set_aside(self) -> None:
        """Finds limits, what is left of a first row, sums above their rows, and parts of the row above."""
        self.aside |= _limits(self.table, self.numbers)
        sums = {at for at, one in self.labels.items() if row_labels.says_total(one) and not results.is_result(one)}
        shares = parts.ratios(self.table, self.aside)
        left = results.rows_of(self.numbers, parts.labels_of(self.table), {*self.aside, *shares}, sums)
        others = {at for at, label in self.labels.items() if not row_labels.says_period(label)}
        indented = outline.indented_heads(self.numbers, [self.table.indents.get(row) for row in self.table.rows])
        heads = [at for at, is_sum in indented.items() if is_sum]
        self.heads = {at: parts.label_of(self.table, at) for at, is_sum in indented.items() if not is_sum}
        if not heads and not left:
            heads = outline.heads(self.numbers, others)
        heads += _heads_of_groups(self.numbers, self.labels)
        self.aside |= dict.fromkeys(left, "computed.rest_above") | dict.fromkeys(heads, "computed.sums_below")
        self.aside |= parts.of_rows(self.table)
        self.labels = {at: label for at, label in self.labels.items() if at not in self.aside}

    def _confirm_labels(self) -> None:
        """Finds the labelled rows whose numbers sum up others.

        Quarters of which one does not sum up the months above it are ordinary rows, which a year may sum up.
        """
        ranks = {at: rank for at, label in self.labels.items() if (rank := row_labels.period_rank(label)) is not None}
        sure = {
            at for at, label in self.labels.items() if row_labels.is_sure(label) or _names_above(self.table, at, label)
        }
        while True:
            periods = ranks.keys() & self.labels.keys()
            found = labelled.confirmed(self.numbers, self.labels, periods, self.aside, sure & self.labels.keys())
            if periods <= {*found.totals}:
                break
            shortest = min(ranks[at] for at in periods)
            self.labels = {at: label for at, label in self.labels.items() if ranks.get(at) != shortest}
        self.totals, self.unsure, self.differing = found.totals, found.unsure, found.differing

    def _find_rows_beside_sums(self) -> None:
        """Finds the rows above a sum that it leaves out or subtracts, and the sum itself if it is only known so."""
        called = {
            at: row_labels.only_says_total(label)
            for at in (*self.totals, *self.unsure)
            if row_labels.says_total(label := self.labels[at]) and not self._sums_up_each_column(at)
        }
        beside = results.beside_sums(self.numbers, called, {*self.totals, *self.aside} - {*self.differing})
        self.totals = sorted({*self.totals, *beside})
        self.unsure = [at for at in self.unsure if at not in beside]
        self.differing = [at for at in self.differing if at not in beside]
        for rows in beside.values():
            self.aside |= rows

    def _sums_up_each_column(self, at: int) -> bool:
        """Whether a row has, in every column with a number there, the sum of rows directly above it."""
        known = [*self.totals, *self.aside]
        return all(
            labelled.rows_summed_up([one], at, known, is_mean=False, least=1) for one in self.numbers if one.values[at]
        )

    def _unnamed(self) -> dict[int, str]:
        """The rows up to the last sum that restate others without a label that says so, each with the key of a text."""
        return self._unlabelled_up_to(max(self.totals), {}) if self.totals else {}

    def _unlabelled_up_to(self, last: int, known: Collection[int]) -> dict[int, str]:
        return unlabelled.rows_of(self.table, self.numbers, {*self.totals, *self.aside, *known}, last)

    def _below(self, totals: Collection[int]) -> dict[int, str]:
        """The rows below the last sum, if no row above it is left out: what is paid, a deviation, a rest.

        More rows than above it, or rows with days, are another group. Rows with words in as many cells are one too,
        unless the sum can only be that of all rows, the first row below is the difference of two sums, or the shares
        are complete.
        """
        end = self._end_of_sums(totals)
        rest = [at for at in range(end, len(self.table.rows)) if at not in totals] if end else []
        above = [at for at in range(end) if at not in totals]
        words = [one for one in self.table.columns if one.type != "number" and not one.derived]
        has_days = any(one.type != "text" and one.values[at] is not None for one in words for at in rest)
        if not rest or has_days or len(rest) > len(above):
            return {}
        filled = [sum(one.values[at] is not None for one in words) for at in range(len(self.table.rows))]
        is_other = (
            max(filled[at] for at in rest) < min(filled[at] for at in above)
            or row_labels.is_sum_of_all(self.labels.get(end - 1, ""))
            or unlabelled.is_complete(self.numbers, end - 1, rest)
            or _is_difference(self.numbers, rest[0], sorted(totals))
        )
        return dict.fromkeys(rest, "computed.below") if is_other else {}

    def _end_of_sums(self, totals: Collection[int]) -> int:
        """The number of rows down to the last sum for which no row above is left out; 0 without such a sum."""
        end = 0
        for at in sorted(totals)[: labelled.CHECKED]:
            column = next((one for one in self.numbers if isinstance(one.values[at], Decimal)), None)
            others = [row for row in range(end, at) if row not in totals]
            count = sum(isinstance(column.values[row], Decimal) for row in others) if column is not None else 0
            is_mean = row_labels.says_mean(self.labels.get(at))
            if labelled.rows_summed_up(self.numbers, at, totals, is_mean=is_mean, least=max(1, count)):
                end = at + 1
        return end

    def _say(self, unsure: Sequence[int]) -> None:
        """States what was assumed of the rows, and which rows only look like sums or differences."""
        _say_all(self.table, self.aside)
        apart = {*self.totals, *self.aside}
        _say(self.table, "computed.no_head", {at: one for at, one in self.heads.items() if at not in apart})
        _say(self.table, "computed.no_total", {at: self.labels[at] for at in unsure})
        _say(self.table, "computed.total_differs", {at: self.labels[at] for at in self.differing})
        _say_all(self.table, results.differences(self.numbers, apart))


def say_running(table: Table) -> None:
    """States which columns add up another column, or the difference of two, from row to row, as balances do."""
    numbers = [one for one in table.columns if one.type == "number" and one.unit != "%"]
    for column in numbers:
        others = [one for one in numbers if one is not column][:_RUNNING]
        # A cheap test first: in nearly all tables, no column adds up others in the first rows.
        if unlabelled.added_up(column.values[:_TESTED], [one.values[:_TESTED] for one in others]) and (
            added := unlabelled.added_up(column.values, [one.values for one in others])
        ):
            other = ", ".join(others[at].label for at in added)
            table.assumed.append(texts.english("computed.running", column=column.label, other=other))


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
