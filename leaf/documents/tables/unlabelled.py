"""Finds rows that restate other rows without a label that says so: sums, sums of stretches, means."""

from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from itertools import accumulate, pairwise, permutations, takewhile

from leaf.documents.tables.model import Column, Table, Value

_Numbers = Sequence[tuple[int, Sequence[Value]]]
"""Rows by their index, each with its cells in the columns of numbers."""
_KIN = 5
"""Minimum number of letters that the labels of two balances share."""
_REST = 4
"""Maximum number of rows below an unlabelled sum."""
_FEW = 2
"""Number of rows whose sum may occur as one more number by coincidence."""
_TELLING = 4
"""Minimum number of digits for a sum of more rows to be no coincidence."""
_DOUBTED = 2
"""Minimum number of digits for such a sum to be mentioned as possible."""
_NO_CHANCE = 5
"""Minimum number of digits in all sums or means together to be no coincidence."""


def rows_of(table: Table, numbers: Sequence[Column], known: Collection[int], last: int) -> dict[int, str]:
    """The rows that restate others in every column of numbers, although no label says so, each with the key of a text.

    Only columns with a number in the row `last` count; percentages are ignored.

    Args:
        table: The table.
        numbers: Its columns of numbers.
        known: Rows whose labels say what they are.
        last: The last row that is examined. If it is a known row, it must be a sum as well.
    """
    columns = [one for one in numbers if one.unit != "%" and isinstance(one.values[last], Decimal)]
    if not columns:
        return {}
    rows = [(at, [one.values[at] for one in columns]) for at in range(last + 1) if at == last or at not in known]
    named = [one for one in table.columns if one.type != "number"]
    has_label = not named or any(one.values[last] is not None for one in named)
    differing = differing_columns(columns)
    is_kin = _are_kin(table, rows[0][0], last)
    found: list[int] = []
    if _has_a_running_sum(rows):
        found = _running_sums(rows, differing, is_named=has_label, is_kin=is_kin) or _sums_of_stretches(rows)
    if not found and last not in known and (_closes(rows) or (not has_label and _is_sum_of_all(rows))):
        found = [last]
    if found:
        return dict.fromkeys((at for at in found if at not in known), "computed.sums_above")
    is_mean = last not in known and differing > 1 and _is_mean(rows)
    return {last: "computed.mean_above"} if is_mean else {}


def _has_a_running_sum(rows: _Numbers) -> bool:
    """Whether the first column has a number that is the sum of all above it. The first row of sums has one there."""
    first = [one for _, row in rows if isinstance(one := row[0], Decimal)]
    return any(one == above for one, above in zip(first[1:], accumulate(first), strict=False))


def _running_sums(rows: _Numbers, differing: int, *, is_named: bool, is_kin: bool) -> list[int]:
    """The rows with the sum of all rows above them, provided that the last row is one; empty if it may be coincidence.

    It is no coincidence in any of these cases:
    - The sum of three rows or more has three digits, or is right in several different columns.
    - The sum has three digits and one of the numbers is negative.
    - The sums have five digits together, without zeros at the end.
    - The last row has no label.
    - The first row has a similar name (`is_kin`), and the sums have three such digits.
    """
    found: list[int] = []
    running, count = [Decimal(0)] * len(rows[0][1]), 0
    for at, row in rows:
        if count > 1 and any(running) and [*row] == running:
            found.append(at)
            continue
        running, count = _added(running, row), count + 1
    if found[-1:] != [rows[-1][0]]:
        return []
    has_three_digits = max(map(digits_of, running)) > 2
    has_negative = any(isinstance(one, Decimal) and one < 0 for _, row in rows for one in row)
    digits = sum(digits_of(one.normalize()) for one in running)
    is_no_coincidence = (
        (count > 2 and (has_three_digits or differing > 1))
        or (has_three_digits and has_negative)
        or digits >= _NO_CHANCE
        or not is_named
        or (is_kin and digits > 2)
    )
    return found if is_no_coincidence else []


def _is_sum_of_all(rows: _Numbers) -> bool:
    """Whether the last row has the sums of all rows above it, of which one may be the sum of others by coincidence."""
    *above, (_, last) = rows
    running = [Decimal(0)] * len(last)
    for _, row in above:
        running = _added(running, row)
    return len(above) > 1 and any(running) and [*last] == running


def _are_kin(table: Table, first: int, last: int) -> bool:
    """Whether the labels of two rows end alike or share a word, such as opening balance and closing balance."""
    labels = next((one for one in table.columns if one.type == "text" and not one.derived), None)
    both = [str(labels.values[at] or "").casefold() for at in (first, last)] if labels is not None else ["", ""]
    between = [str(one or "").casefold() for one in labels.values[first + 1 : last]] if labels is not None else []
    if any({*one.split()} & {*both[0].split()} for one in between):
        return False
    ending = sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(both[0][::-1], both[1][::-1], strict=False)))
    shared = max((len(one) for one in {*both[0].split()} & {*both[1].split()}), default=0)
    return both[0] != both[1] and max(ending, shared) >= _KIN


def _closes(rows: _Numbers) -> bool:
    """Whether the last row closes an account: it repeats the balance directly above it, and has the sums of all rows
    above it in the other columns, whose amounts change the balance.
    """
    sums: list[Sequence[Value]] = []
    balances: list[Sequence[Value]] = []
    digits = 0
    for column in zip(*(row for _, row in rows), strict=True):
        *above, value = column
        numbers = [one for one in above if isinstance(one, Decimal)]
        if numbers and value == sum(numbers):
            sums.append(column)
            digits += digits_of(value) if len(numbers) > 1 else 0
        elif numbers and value == numbers[-1]:
            balances.append(above)
        else:
            return False
    amounts = [*zip(*sums, strict=True)][:-1]
    return digits > 2 and any(_is_balance(one, amounts) for one in balances)


def _is_balance(balances: Sequence[Value], amounts: Sequence[Sequence[Value]]) -> bool:
    """Whether each row changes a balance by its amounts, of which the largest may have another sign than the others."""
    changed = False
    for (before, after), row in zip(pairwise(balances), amounts[1:], strict=True):
        if not isinstance(before, Decimal) or not isinstance(after, Decimal):
            return False
        own = [abs(one) for one in row if isinstance(one, Decimal)]
        whole, change = sum(own), abs(after - before)
        if change not in {whole, abs(2 * max(own, default=Decimal(0)) - whole)}:
            return False
        changed |= change > 0
    return changed


def is_complete(numbers: Sequence[Column], at: int, rest: Sequence[int]) -> bool:
    """Whether a row has the sum of all percentages (100), and no row below has more than half as many numbers."""
    count = sum(isinstance(one.values[at], Decimal) for one in numbers)
    most = max((sum(isinstance(one.values[row], Decimal) for one in numbers) for row in rest), default=count)
    wholes = [one.values[at] for one in numbers if one.unit == "%"]
    return 2 * most <= count and any(isinstance(one, Decimal) and abs(one - 100) < 1 for one in wholes)


def first_of_all(numbers: Sequence[Column]) -> dict[int, str]:
    """The first row with the key of a text, if it has the sums of all other rows.

    The sums are right in different columns, or one is the sum of three rows or more and has many digits. If it has few
    digits, the text says that the row still counts as a row.
    """
    columns = [one for one in numbers if one.unit != "%" and isinstance(one.values[0], Decimal)]
    digits, telling = 0, 0
    for first, *below in (one.values for one in columns):
        several = [one for one in below if isinstance(one, Decimal)]
        if len(several) < 2 or not isinstance(first, Decimal) or sum(several) != first:
            return {}
        digits += digits_of(first)
        telling = max(telling, digits_of(first.normalize())) if len(several) > _FEW and min(several) >= 0 else telling
    differing = differing_columns(columns)
    if (differing > 1 and digits >= _NO_CHANCE) or telling >= _TELLING:
        return {0: "computed.sums_below"}
    return {0: "computed.may_sum_below"} if telling >= _DOUBTED else {}


def above_a_rest(table: Table, numbers: Sequence[Column]) -> dict[int, str]:
    """The unlabelled row with the sums of all rows above it, and the few rows below it that do not belong to the sum.

    An example is the number of valid votes, followed by the invalid votes and the turnout. The sums must be right in
    different columns.
    """
    running = [Decimal(0)] * len(numbers)
    end = len(table.rows)
    if 2 * sum(isinstance(one.values[-1], Decimal) for one in numbers) > len(numbers):
        return {}
    for at in range(end):
        row = [one.values[at] for one in numbers]
        filled = [place for place, one in enumerate(row) if isinstance(one, Decimal)]
        is_sum = at > 1 and len(filled) > 1 and all(row[place] == running[place] for place in filled)
        if is_sum and at >= end - 1 - min(_REST, (at + 1) // 2):
            rest = range(at + 1, end)
            digits = sum(digits_of(row[place]) for place in filled)
            differing = len({tuple(numbers[place].values[:at]) for place in filled})
            if is_complete(numbers, at, rest) and digits > _NO_CHANCE and differing > 1:
                return {at: "computed.sums_above"} | dict.fromkeys(rest, "computed.below")
        running = _added(running, row)
    return {}


def _sums_of_stretches(rows: _Numbers) -> list[int]:
    """The rows that each have the sum of the rows since the previous such row, as weeks among their days have; and
    rows at the end with the sum of all rows.
    """
    found: list[int] = []
    zeros = [Decimal(0)] * len(rows[0][1])
    running, whole, since, longest, digits = zeros, zeros, 0, 0, 0
    for at, row in rows:
        if any(row) and ((since > 1 and [*row] == running) or (found and not since and [*row] == whole)):
            found.append(at)
            digits += max(digits_of(one) for one in row)
            running, since, longest = zeros, 0, max(since, longest)
            continue
        running, whole, since = _added(running, row), _added(whole, row), since + any(row)
    return found if len(found) > 1 and digits >= _NO_CHANCE and since <= longest else []


def _is_mean(rows: _Numbers) -> bool:
    """Whether the last row has the mean of all other rows in every column; only columns with different numbers tell."""
    digits = 0
    for mean, *values in zip(*reversed([row for _, row in rows]), strict=True):
        numbers = [one for one in values if isinstance(one, Decimal)]
        if not isinstance(mean, Decimal) or len(numbers) < 2 or not restates(mean, sum(numbers), len(numbers)):
            return False
        digits += digits_of(mean) if len({*numbers}) > 1 else 0
    return digits >= _NO_CHANCE


def added_up(sums: Sequence[Value], columns: Sequence[Sequence[Value]]) -> list[int]:
    """The indexes of one or two columns that a column adds up from row to row; empty for none.

    In each row it changes by the amount of the first column, or by that minus the amount of the second one. The rows
    may ascend or descend, and there may be a balance before them. At least three changes are needed, two of them
    different.
    """
    numbers = [one for one in sums if isinstance(one, Decimal)]
    if len(numbers) < max(3, len(sums)):
        return []
    up, down = [after - before for before, after in pairwise(numbers)], [a - b for a, b in pairwise(numbers)]
    amounts = [[one if isinstance(one, Decimal) else Decimal(0) for one in column] for column in columns]
    chosen = [*permutations(range(len(columns)), 1), *permutations(range(len(columns)), 2)]
    for first, changes in (1, up), (0, down), (0, [numbers[0], *up]), (0, [*down, numbers[-1]]):
        for several in chosen if sum(map(bool, changes)) > 2 and len({*changes}) > 1 else ():
            added, *taken = (amounts[at] for at in several)
            if all(added[at] - sum(one[at] for one in taken) == change for at, change in enumerate(changes, first)):
                return [*several]
    return []


def _added(running: Sequence[Decimal], row: Sequence[Value]) -> list[Decimal]:
    return [before + (one if isinstance(one, Decimal) else 0) for before, one in zip(running, row, strict=True)]


def differing_columns(columns: Iterable[Column]) -> int:
    """How many columns could each have a sum by coincidence: not those of zeros, nor multiples of another column."""
    found: set[tuple[Decimal | None, ...]] = set()
    for column in columns:
        numbers = [one if isinstance(one, Decimal) else None for one in column.values]
        if first := next(filter(None, numbers), None):
            found.add(tuple(None if one is None else one / first for one in numbers))
    return len(found)


def digits_of(value: Value) -> int:
    """The number of digits of a number; 0 for any other value."""
    return len(value.as_tuple().digits) if isinstance(value, Decimal) else 0


def restates(wanted: Decimal, whole: Decimal | int, count: int) -> bool:
    """Whether `wanted` equals `whole` divided by `count`, up to rounding in its last digit."""
    rounding = Decimal((0, (5,), int(wanted.as_tuple().exponent) - 1))
    return abs(whole - wanted * count) <= rounding * count
