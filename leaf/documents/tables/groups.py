"""Names of groups of rows, which stand in a column of their own or in a row above each group."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from leaf.documents.tables import row_labels, values

_DEEPEST = 2
"""Index of the last column that may name groups within the groups of the column before it."""
Row = tuple[int, Sequence[str]]
"""The number of a row in the sheet, and its cells."""


@dataclass(frozen=True)
class Names:
    """For each row, the name of its group, and the number of the row that contains this name (0 for no group)."""

    names: list[str]
    rows: list[int]

    def named_in(self, body: Sequence[Row]) -> dict[int, int]:
        """The number of the row that contains the group name, for each row that does not contain it itself."""
        return {number: row for (number, _), row in zip(body, self.rows, strict=True) if row not in {0, number}}


def filled_down(cells: Sequence[str], body: Sequence[Row], at: int = 0, outer: Names | None = None) -> Names | None:
    """The group names in a column, where each name stands for its row and the empty cells below it; None if the column
    does not name groups.

    Args:
        cells: The cells of the column.
        body: The rows of the table.
        at: The index of the column.
        outer: The group names of the column before, if there are any; each of its groups must start with a name here.
    """
    if all(cells) or not cells[0]:
        return None
    members = [number for number in range(len(body)) if _is_member(cells, body, number)]
    if not _names_groups(cells, body, at, members, outer):
        return None
    found, of_groups = Names([], []), {*members}
    for place, (cell, (number, _)) in enumerate(zip(cells, body, strict=True)):
        if cell:
            name, row = cell, number
        elif place in of_groups:
            name, row = found.names[-1], found.rows[-1]
        else:
            name, row = "", 0
        found.names.append(name)
        found.rows.append(row)
    return found


def _is_member(cells: Sequence[str], body: Sequence[Row], at: int) -> bool:
    """Whether a row belongs to a group. Sums do not; a last row without any words is one as well."""
    row = body[at][1]
    if any(map(row_labels.says_total, row)):
        return False
    return bool(cells[at]) or at < len(body) - 1 or any(map(_is_word, row))


def _names_groups(
    cells: Sequence[str], body: Sequence[Row], column: int, members: Sequence[int], outer: Names | None
) -> bool:
    """Whether the words of a column name groups of rows.

    There are several, each is used once (or once in each outer group), they are no numbers, and every row without a
    name of its own has words in a column further right.
    """
    names = [cells[at].casefold() for at in members if cells[at]]
    empty = [at for at in members if not cells[at]]
    if len(names) < 2 or 2 * len(empty) < len(names) or empty in ([], [len(cells) - 1]):
        return False
    is_once = len({*names}) == len(names)
    if outer is not None:
        in_groups = {(group, cell.casefold()) for group, cell in zip(outer.rows, cells, strict=True) if cell}
        is_once |= len(in_groups) == len(names)
        if any(outer.rows[at] == body[at][0] and not cells[at] for at in members):
            return False
    if not is_once or any(map(values.is_number, names)):
        return False
    # Numbers in the next column are no smaller groups, so words behind its empty cells are labels of sums.
    is_deep = not any(values.is_number(row[column + 1].strip()) for _, row in body if len(row) > column + 1)
    return all(_goes_on(body[at][1], column, is_deep=is_deep) for at in empty)


def _is_word(cell: str) -> bool:
    return bool(cell.strip()) and not values.is_number(cell.strip())


def _goes_on(row: Sequence[str], at: int, *, is_deep: bool) -> bool:
    """Whether a row has words in the next column, or in the column after it where the next one names smaller groups."""
    return (len(row) > at + 1 and bool(row[at + 1].strip())) or (
        is_deep and at < _DEEPEST and len(row) > at + 2 and _is_word(row[at + 2])
    )


def headed(body: Sequence[Row]) -> tuple[list[Row], Names, bool] | None:
    """Splits rows that only name a group from the others.

    A row names a group if only its first cell is filled and a row with more cells follows. The first row must be such a
    row, and there must be at least two. Sums belong to no group.

    Returns:
        The other rows, the group of each, and whether the first column of the other rows is empty, so that it can hold
        the names; None if no rows name groups.
    """
    if not body or any(map(str.strip, body[0][1][1:])):
        return None
    filled = [[at for at, cell in enumerate(row) if cell.strip()] for _, row in body]
    heads = [at for at, one in enumerate(filled) if one == [0] and not values.is_number(body[at][1][0].strip())]
    if len(heads) < 2 or heads[0] or heads[-1] == len(body) - 1 or any(b - a == 1 for a, b in pairwise(heads)):
        return None
    if len({body[at][1][0].strip().casefold() for at in heads}) < len(heads):
        return None
    heading = {*heads}
    labelled = [row[0].strip() for at, (_, row) in enumerate(body) if at not in heading]
    is_empty = {not label for label in labelled if not row_labels.says_total(label)}
    if len(is_empty) != 1 or any(len(one) < 2 - (0 in is_empty) and one != [0] for one in filled):
        return None
    names, rows, others = list[str](), list[int](), list[Row]()
    name, place = "", 0
    for at, (number, row) in enumerate(body):
        if at in heading:
            name, place = row[0].strip(), number
            continue
        sums = row_labels.says_total(row[0].strip())
        names.append("" if sums else name)
        rows.append(0 if sums else place)
        others.append((number, row))
    return others, Names(names, rows), True in is_empty
