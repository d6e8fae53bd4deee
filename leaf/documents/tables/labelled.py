"""Confirms, by the numbers, the rows whose labels say that they sum up other rows or state a figure about them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from leaf.documents.tables import row_labels, unlabelled
from leaf.documents.tables.model import Column

CHECKED: Final = 100
"""Maximum number of rows that are checked."""


@dataclass(frozen=True)
class Confirmed:
    """Rows whose labels say that they sum up others, in ascending order."""

    totals: list[int] = field(default_factory=list[int])
    """The rows that do."""
    unsure: list[int] = field(default_factory=list[int])
    """The rows of which it is not known."""
    differing: list[int] = field(default_factory=list[int])
    """The rows among `totals` whose numbers are not the sums of the others."""


def confirmed(
    numbers: Sequence[Column], labels: Mapping[int, str], periods: Collection[int], aside: Collection[int],
    sure: Collection[int],
) -> Confirmed:  # fmt: skip
    """The rows that sum up others, as their labels and numbers say.

    A player may be called Max and a product Total Repair. If all rows whose labels can only belong to sums fit the
    numbers, other labels count as well. Otherwise such a row must fit too well for a coincidence.

    Args:
        numbers: The columns of numbers.
        labels: The labels that may belong to sums, by row.
        periods: The rows among them that are labelled with a quarter, a half or a year.
        aside: Rows that are no part of any sum.
        sure: The rows whose labels can only belong to a sum or a mean.
    """
    found = _Check(numbers, labels, periods, aside, sure, strict=False).found()
    fits = [
        rows_summed_up(numbers, at, [*found.totals, *aside], is_mean=row_labels.says_mean(labels[at]), least=1)
        for at in sorted(sure)[:CHECKED]
    ]
    if sure and max(fits) > 1 and all(fits):
        return found
    return _Check(numbers, labels, periods, aside, sure, strict=True).found()


@dataclass
class _Check:
    """A check of all labelled rows, from the first to the last. Each may sum up rows that follow the previous sum."""

    numbers: Sequence[Column]
    labels: Mapping[int, str]
    periods: Collection[int]
    aside: Collection[int]
    sure: Collection[int]
    strict: bool
    """Whether a row that may fit by coincidence is left unsure."""
    totals: list[int] = field(default_factory=list[int])

    def found(self) -> Confirmed:
        unsure: list[int] = []
        differing: list[int] = []
        for at in sorted(self.labels)[:CHECKED]:
            label = self.labels[at]
            fits = self._fits(at)
            has_numbers = any(isinstance(one.values[at], Decimal) for one in self.numbers)
            if fits or self._can_only_be_the_last_sum(at):
                self.totals.append(at)
                differing += [at] * (not fits and has_numbers)
            elif has_numbers and not row_labels.says_all(label):
                unsure.append(at)
        return Confirmed(self.totals, unsure, differing)

    @property
    def _last(self) -> int:
        return len(self.numbers[0].values) - 1

    def _can_only_be_the_last_sum(self, at: int) -> bool:
        label = self.labels[at]
        return 0 < at == self._last and row_labels.only_says_total(label) and not row_labels.says_mean(label)

    def _fits(self, at: int) -> bool:
        """Whether the numbers of a row are what its label says."""
        label = self.labels[at]
        if (extreme := row_labels.extreme_of(label)) is not None:
            return self._has_extreme(at, extreme)
        is_doubtful = at not in self.periods and (row_labels.says_other(label) or row_labels.says_all(label))
        return self._is_no_coincidence(at) if self.strict and is_doubtful else self._sums_up(at)

    def _has_extreme(self, at: int, extreme: Callable[[Iterable[Decimal]], Decimal]) -> bool:
        """Whether a row has, in its first column with a number, the extreme of all rows above it."""
        if self.strict and row_labels.may_be_name(self.labels[at]) and self._extremes < 2:
            # Min and Max may be people, unless both occur.
            return False
        column = next((one for one in self.numbers if isinstance(one.values[at], Decimal)), None)
        if column is None:
            return False
        known = {*self.totals, *self.aside}
        above = [one for row, one in enumerate(column.values[:at]) if row not in known and isinstance(one, Decimal)]
        return len(above) > 1 and extreme(above) == column.values[at]

    @property
    def _extremes(self) -> int:
        """The number of different labels that name an extreme."""
        named = (label for label in self.labels.values() if row_labels.extreme_of(label) is not None)
        return len({label.casefold().strip(" :.") for label in named})

    def _is_no_coincidence(self, at: int) -> bool:
        """Whether a row whose label also names other things has the sum or the mean of all rows above it."""
        label = self.labels[at]
        is_mean, is_all = row_labels.says_mean(label), row_labels.says_all(label)
        # The mean of three or more rows is below them, and only labelled rows follow it.
        closes = is_mean and at > 2 and self.labels.keys() >= {*range(at + 1, self._last + 1)}
        # A label that has been confirmed may name the sum of each group.
        begins = [0, *(one + 1 for one in self.totals[-1:] if is_all and self.labels[one] == label)]
        digits = 2 if closes else 3
        return any(
            _restates_all(
                self.numbers, at, {*range(begin), *self.totals, *self.aside},
                is_mean=is_mean, is_all=is_all, digits=digits,
            )
            for begin in begins
        )  # fmt: skip

    def _sums_up(self, at: int) -> bool:
        """Whether a row has the sum or the mean of rows directly above it, or formulas without results."""
        label = self.labels[at]
        is_mean = row_labels.says_mean(label)
        least = 2 if at in self.periods or is_mean or (self.strict and at not in self.sure) else 1
        # A single digit of a quarter or a mean may be a sum by coincidence, unless all other columns fit as well.
        may_be_coincidence = (is_mean or [at] == [*self.periods]) and _has_one_digit(self.numbers, at)
        filled = [[one] for one in self.numbers if one.values[at] is not None]
        known = [*self.totals, *self.aside]
        fits = all(
            rows_summed_up(one, at, known, is_mean=is_mean, least=least)
            for one in (filled if may_be_coincidence else [self.numbers])
        )
        return fits or (row_labels.says_total(label) and _is_uncomputed(self.numbers, at))


def rows_summed_up(numbers: Sequence[Column], at: int, totals: Collection[int], *, is_mean: bool, least: int) -> int:
    """The number of rows, at least `least`, whose sum or mean a row states in its first column with a number.

    They are directly above it; for the first row they are all rows below it. 0 if there are none.
    """
    earlier = set(totals)
    for column in numbers:
        wanted = column.values[at]
        if not isinstance(wanted, Decimal):
            continue
        if not at:
            others = [
                one for row, one in enumerate(column.values) if row not in {0, *earlier} and isinstance(one, Decimal)
            ]
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


def _restates_all(
    numbers: Sequence[Column], at: int, totals: Collection[int], *, is_mean: bool, is_all: bool, digits: int
) -> bool:  # fmt: skip
    """Whether a row has, in every column with a number there, the sum or the mean of all rows above, or as the first
    row of all below: in several columns that differ, in enough digits, or because its label says that it is about all.
    Then a column may have a value between those of the other rows instead.
    """
    rows = [row for row in (range(at) if at else range(1, len(numbers[0].values))) if row not in totals]
    columns = [one for one in numbers if isinstance(one.values[at], Decimal)]
    if len(rows) < 2 or not columns or len({tuple(one.values[row] for one in columns) for row in rows}) < 2 - is_all:
        return False
    most, has_others = 0, False
    for column in columns:
        found, wanted = [one for row in rows if isinstance(one := column.values[row], Decimal)], column.values[at]
        if not found or not isinstance(wanted, Decimal):
            return False
        if unlabelled.restates(wanted, sum(found), len(found) if is_mean else 1):
            most = max(most, unlabelled.digits_of(wanted))
        elif is_all and min(found) <= wanted <= max(found):
            # Beside a sum, a rate of all is a weighted mean.
            has_others = True
        else:
            return False
    if has_others:
        return most >= digits
    return is_all or most >= digits or unlabelled.differing_columns(columns) > 1


def _has_one_digit(numbers: Sequence[Column], at: int) -> bool:
    """Whether the first number of a row has one digit."""
    first = next((one for column in numbers if isinstance(one := column.values[at], Decimal)), Decimal(0))
    return unlabelled.digits_of(first) == 1


def _is_uncomputed(numbers: Sequence[Column], at: int) -> bool:
    """Whether a row has formulas without a result in place of its numbers."""
    return all(one.values[at] is None for one in numbers) and any(
        text.startswith("=") for one in numbers for text in one.unread.values()
    )
