"""Removes lines within a table that are no rows of it: repeated headers, and remarks between its rows or below it."""

import re
from collections.abc import Sequence

from leaf import texts
from leaf.documents.tables import days, values
from leaf.documents.tables.groups import Row

_SHOWN = 5
"""Maximum number of row numbers that a note lists."""
_MARKED = re.compile(r"[*†‡¹²³⁴⁵⁶]|[^\W\d_][^:]{0,40}:\s|\(.*\)\Z|[^\W\d_]{1,12}\s?=\s?\d")
"""The start of a remark, or a text in parentheses."""
_MOST = 20
"""Maximum number of remarks that are removed at the end of a table."""
_LOOKED_AT = 20
"""How many of the last rows are compared to tell a fact from a row."""
_FACT_WIDTH = 4
"""Minimum number of columns of a table in which a fact is recognised."""
_RARE = 3
"""Minimum number of rows, remarks among them, for each remark."""
_WORDS = 4
"""Minimum number of words of a remark that is recognised only by its length."""


def without(
    body: Sequence[Row], header: Sequence[Sequence[str]], width: int, title: Row | None = None
) -> tuple[list[Row], list[str]]:  # fmt: skip
    """The body without repeated headers and remarks, and sentences that say what was left out.

    Args:
        body: The rows below the header.
        header: The rows of the header.
        width: The number of columns.
        title: The line above the header, if there is one. If such lines stand above repeated headers too, they name
            sections, and it becomes the first row.
    """
    # The first cell of a header may name the part of the table below it, so it is not compared.
    labels = [bare for row in header if sum(map(bool, bare := _bare(row))) > 1]
    heads = [bare[sum(map(bool, bare)) > 2 :] for bare in labels]
    last = {one[-1] for one in heads}
    # A cheap test first: most rows end with a cell that ends no header.
    again = [
        number for number, row in body if _last(row) in last and ((bare := _bare(row)) in heads or bare[1:] in heads)
    ]
    known = {*again}
    left = [one for one in body if one[0] not in known]
    if title is not None and any(number + 1 in known and not any(map(str.strip, row[1:])) for number, row in left):
        left = [title, *left]
    assumed: list[str] = []
    if again:
        shown = ", ".join(map(str, again[:_SHOWN])) + (" …" if len(again) > _SHOWN else "")
        assumed.append(texts.english("computed.header_again", rows=shown, count=len(again)))
    for number, remark in _between(left).items():
        assumed.append(texts.english("computed.remark_between", row=number, text=remark[:60]))
        left = [one for one in left if one[0] != number]
    for _ in range(_MOST):
        rows = [row for _, row in left[-_LOOKED_AT:]]
        if width < 2 or len(left) < 3 or not (_is_remark([row for _, row in left]) or _is_fact(rows, width)):
            break
        number, row = left.pop()
        remark = " ".join(cell.strip() for cell in row if cell.strip())
        assumed.append(texts.english("computed.remark", row=number, text=remark[:60]))
    return left, assumed


def _bare(row: Sequence[str]) -> list[str]:
    cells = [cell.strip().casefold() for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _last(row: Sequence[str]) -> str:
    """The last cell of a row that is not blank, normalised as in `_bare`."""
    return next((bare for cell in reversed(row) if (bare := cell.strip())), "").casefold()


def _is_remark(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the last row is a remark: words in one cell only, unlike the items of the table.

    It is marked as a remark, is a sentence, or is more than twice as long as any other cell of its column.
    """
    filled = [at for at, cell in enumerate(rows[-1]) if cell.strip()]
    if len(filled) != 1 or values.is_number(remark := rows[-1][filled[0]].strip()):
        return False
    if all(sum(map(bool, map(str.strip, row))) < 2 for row in rows[:-1]):
        return False
    column = [row[filled[0]].strip() for row in rows[:-1] if filled[0] < len(row)]
    if _looks_like_one(remark):
        # If items of the table are sentences too, a sentence is no sign of a remark.
        items = (row for row in rows[:-1] if sum(map(bool, map(str.strip, row))) > 1 and filled[0] < len(row))
        return not any(_looks_like_one(row[filled[0]].strip()) for row in items)
    longest = max(map(len, column), default=0)
    return len(remark.split()) >= _WORDS and len(remark) > 2 * longest


def _between(body: Sequence[Row]) -> dict[int, str]:
    """The remarks between rows of a table, by the numbers of their rows: a marked text or a sentence in the first cell,
    and nothing in the others. There are few of them, and the items of the table are unlike them.
    """
    has_more = [any(map(str.strip, row[1:])) for _, row in body]
    found = {
        body[at][0]: remark
        for at in range(1, len(body) - 1)
        if has_more[at - 1] and not has_more[at] and has_more[at + 1]
        if _looks_like_one(remark := body[at][1][0].strip())
    }
    if not 0 < len(found) <= min(_SHOWN, len(body) // _RARE):
        return {}
    items = (row[0].strip() for number, row in body if row and number not in found)
    return {} if any(map(_looks_like_one, items)) else found


def _is_fact(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the last row is a fact about the table, such as a closing balance below columns of days.

    It has words in its first cell, a value in its second, and no others. Each of the two differs in kind from all cells
    above it.
    """
    *above, last = ([cell.strip() for cell in row] for row in rows)
    filled = [at for at, cell in enumerate(last) if cell]
    if filled != [0, 1] or width < _FACT_WIDTH or _kind(last[0]) != "words" or _kind(last[1]) == "words":
        return False
    kinds = [{_kind(row[at]) for row in above if at < len(row) and row[at]} for at in filled]
    return all(len(kind) == 1 and _kind(last[at]) not in kind for at, kind in zip(filled, kinds, strict=True))


def _kind(cell: str) -> str:
    return "day" if days.is_date(cell) else "number" if values.is_number(cell) else "words"


def _looks_like_one(text: str) -> bool:
    return bool(_MARKED.match(text)) or (text.endswith(".") and " " in text)
