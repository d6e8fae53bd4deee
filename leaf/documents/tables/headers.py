"""Reads the first rows of a table: its title, the labels of its columns, and a row of units."""

import re
from collections.abc import Sequence
from itertools import pairwise

from leaf.documents.tables import days, unit_names, values

TITLE_ROWS = 5
"""Maximum number of title lines above a table."""
_HEADER_ROWS = 3
_FACT_ROWS = 12
_UNIT_ROWS = 5
"""How many rows below a row of units are checked for numbers."""
_UNIT_LETTERS = 12
_LEAST_NUMBERS = 3
"""Minimum number of columns that are labelled by numbers; one less for years."""
_LOOKED_AT = 50
"""How many rows are compared with a first row of numbers."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_YEARLY = re.compile(r"(?:19|20)\d\d(?:\s?[^\d\s.,]{1,12})?")
"""A year, optionally followed by the unit of the numbers below it."""


def titles(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The texts of the first rows that describe the table, and are neither its header nor its data."""
    return facts_above(rows, width) or title_rows(rows) or record_above(rows)


def title_rows(rows: Sequence[Sequence[str]]) -> list[str]:
    """The texts of first rows with one cell each. Empty if no row with several cells follows within a few rows."""
    found: list[str] = []
    for row in rows[: TITLE_ROWS + 1]:
        filled = [cell.strip() for cell in row if cell.strip()]
        if len(filled) != 1:
            return found if len(rows) > len(found) + 1 else []
        found.append(filled[0])
    return []


def facts_above(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The texts of first rows with a name and a value each, above the header of a wider table; or none."""
    found: list[str] = []
    for at, row in enumerate(rows[: _FACT_ROWS + 1]):
        cells = [cell.strip() for cell in row]
        filled = [number for number, cell in enumerate(cells) if cell]
        if width > 2 and filled in ([0], [0, 1]) and cells[0]:
            found.append(" ".join(cells[number] for number in filled))
            continue
        labels = all(_is_label(cell) or _is_year(cell) for cell in cells[1:width]) and _is_label(cells[0])
        is_header = len(filled) == width and labels and at + 1 < len(rows)
        # A single row of two words is rather a header whose last label is missing, unless only numbers follow below.
        second = rows[0][1].strip() if len(rows[0]) > 1 else ""
        is_fact = len(found) != 1 or not second or not _is_label(second) or ":" in rows[0][0]
        is_fact |= not unit_names.unit_of_label(second) and _has_only_numbers(rows[at + 1 : at + 1 + _UNIT_ROWS], width)
        return found if is_header and is_fact else []
    return []


def _has_only_numbers(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether some rows have numbers, not only years, and nothing else behind their first cells."""
    cells = [cell.strip() for row in rows for cell in row[1:width] if cell.strip()]
    return all(map(values.is_number, cells)) and not all(map(_is_year, cells))


def record_above(rows: Sequence[Sequence[str]]) -> list[str]:
    """The text of a first row that describes the file, in a list of at most one.

    The row stands above a header with a label for each column, and its values differ in kind from the data below.
    """
    if len(rows) < 3:
        return []
    first, labels, below = ([cell.strip() for cell in row] for row in rows[:3])
    is_numbering = _numbers_columns(first, len(labels))
    while labels and not labels[-1]:
        labels.pop()
    if len(labels) < 3 or not all(labels) or len({*labels}) < len(labels) or any(map(is_typed, labels)):
        return []
    if any(below[len(labels) :]) or not any(map(is_typed, below)) or not any(map(is_typed, first)):
        return []
    pairs = [(one, other) for one, other in zip(first, below, strict=False) if one or other]
    unlike = sum(not one or not other or is_typed(one) != is_typed(other) for one, other in pairs)
    return [" ".join(cell for cell in first if cell)] if 2 * unlike >= len(pairs) or is_numbering else []


def _numbers_columns(row: Sequence[str], width: int) -> bool:
    """Whether the cells of a row number the columns from 1, as in forms."""
    cells = [cell.strip() for cell in row if cell.strip()]
    return width > 2 and cells == [str(at) for at in range(1, width + 1)]


def header(rows: Sequence[Sequence[str]], width: int) -> tuple[list[str], int]:
    """The labels of the columns, and the number of rows that they take up; 0 if there is no header."""
    count = _header_rows(rows, width)
    if not count:
        return [""] * width, 0
    labels = _joined_labels(rows[:count], width)
    below = rows[count + 1][:1] if len(rows) > count + 1 else []
    if below and below[0].strip() and _is_label(below[0]) and _numbers_columns(rows[count], width):
        return labels, count + 1
    if (units := _units_below(rows, count, width)) is not None:
        return [f"{label} ({unit})" if unit else label for label, unit in zip(labels, units, strict=True)], count + 1
    return labels, count


def _header_rows(rows: Sequence[Sequence[str]], width: int) -> int:
    """The number of rows at the beginning that label the columns; at most `_HEADER_ROWS`."""
    count = 0
    for row in rows[:_HEADER_ROWS]:
        cells = [cell.strip() for cell in row]
        is_header = _has_labels(cells, is_first=count == 0)
        is_header |= count == 0 and (_counts_on(rows) or _has_labels_below(rows, width))
        is_header &= not _begins_with_a_number(cells)
        is_header |= count == 0 and is_of_numbers(rows)
        if not is_header or len(rows) <= count + 1:
            break
        count += 1
        # A second row belongs to the header only if the first one has gaps (merged cells) above it and numbers follow.
        has_gaps = len(cells) < width or not all(cells[1:width])
        if not has_gaps or not _is_merged(rows, count, width):
            break
    return count


def _has_labels(cells: Sequence[str], *, is_first: bool) -> bool:
    """Whether all cells that are filled are labels. Years are labels, but a row of several years is not enough as the
    first one.
    """
    filled = [cell for cell in cells if cell]
    years = sum(map(_is_year, filled))
    has_words = years < len(filled) or len(filled) == 1 or not is_first
    return has_words and all(
        not days.is_date(cell) and (not values.is_number(cell) or _is_year(cell) or _is_thousands(cell))
        for cell in filled
    )


def _begins_with_a_number(cells: Sequence[str]) -> bool:
    """Whether a row has a number in its first cell, and labels that are years."""
    if not cells or not cells[0] or not values.is_number(cells[0]) or _is_thousands(cells[0]):
        return False
    return any(_is_year(cell) and not days.is_date(cell) for cell in cells)


def _is_year(cell: str) -> bool:
    return _YEAR.fullmatch(cell) is not None


def _joined_labels(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The label of each column, joined from all rows of the header."""
    labels = [""] * width
    for depth, row in enumerate(rows):
        last = ""
        for at in range(width):
            cell = row[at].strip() if at < len(row) else ""
            # A merged cell stores its label only in its first column.
            last = cell or (last if depth < len(rows) - 1 else "")
            labels[at] = f"{labels[at]} {last}".strip() if last and last != labels[at] else labels[at]
    return [" ".join(one.split())[:120] for one in labels]


def is_typed(cell: str) -> bool:
    """Whether a cell is a number or a date."""
    bare = cell.strip()
    return bool(bare) and (values.is_number(bare) or days.is_date(bare)) and not _is_thousands(bare)


def _is_thousands(cell: str) -> bool:
    """Whether a cell is a unit that looks like a number, such as £000."""
    return cell.rstrip(") ").endswith("000") and unit_names.scaled(cell) is not None


def _is_label(cell: str) -> bool:
    return not is_typed(cell)


def _counts_on(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row labels columns by years, dates or consecutive numbers, after an empty cell or a label."""
    cells, below = ([cell.strip() for cell in row] for row in (*rows[:2], *([[]] * (2 - len(rows)))))
    if len(cells) < 3 or not below or not below[0] or (cells[0] and not _is_label(cells[0])):
        return False
    named = [(at, cell) for at, cell in enumerate(cells[1:], 1) if cell and not _is_label(cell)]
    names = [cell for _, cell in named]
    if len(names) < 2 or len({*names}) < len(names):
        return False
    under = [below[at] for at, _ in named if at < len(below) and below[at]]
    if all(map(_YEARLY.fullmatch, names)):
        return _is_label(below[0]) or not cells[0]
    if all(map(days.is_date, names)):
        return not any(map(days.is_date, under))
    numbers = [int(one) for one in names if one.isascii() and one.isdigit() and len(one) < 4]
    consecutive = numbers == [*range(numbers[0], numbers[0] + len(names))] if numbers else False
    return consecutive and len(names) > (2 if numbers[0] < 2 else 3) and under != names


def is_of_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row labels columns by numbers that are unlike all numbers below: consecutive ones of which no
    other row has any, or numbers with as many digits as no number below. There, the first cell may be a word.
    """
    cells = [cell.strip() for cell in rows[0]]
    has_words = bool(cells) and _is_label(cells[0])
    names = cells[has_words:]
    least = _LEAST_NUMBERS - all(map(_is_year, names))
    if len(names) < least or not all(one.isascii() and one.isdigit() for one in names):
        return False
    below = [[cell.strip() for cell in row[has_words : has_words + len(names)]] for row in rows[1 : 1 + _LOOKED_AT]]
    numbers = [cell for row in below for cell in row if values.is_number(cell)]
    if not numbers or (has_words and not all(_is_label(row[0]) for row in rows[1 : 1 + _LOOKED_AT] if row)):
        return False
    if _are_consecutive(names) and (not has_words or len(names[0]) > 2):
        ends = sorted((int(names[0]), int(names[-1])))
        within = (one for one in numbers if one.isascii() and one.isdigit() and ends[0] <= int(one) <= ends[1])
        if next(within, None) is None and not any(map(_are_consecutive, below)):
            return True
    digits = {*map(len, names)}
    is_unlike = all(len(one) not in digits or not one.isdigit() for one in numbers)
    return has_words and len(digits) == 1 and min(digits) > 2 and len({*names}) == len(names) and is_unlike


def _are_consecutive(cells: Sequence[str]) -> bool:
    """Whether cells have numbers that ascend or descend by one."""
    if not all(one.isascii() and one.isdigit() and len(one) < _UNIT_LETTERS for one in cells):
        return False
    return {int(after) - int(before) for before, after in pairwise(cells)} in ({1}, {-1})


def _has_labels_below(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the first row has years with gaps between them, and one of the next two has labels in all columns."""
    filled = [cell.strip() for cell in rows[0] if cell.strip()]
    if not filled or len(filled) >= width - 1 or not all(map(_YEAR.fullmatch, filled)):
        return False
    for row in rows[1 : min(_HEADER_ROWS, len(rows) - 1)]:
        below = [cell.strip() for cell in row]
        if any(map(is_typed, below)):
            return False
        if len(below) == width and all(below[1:]):
            return True
    return False


def _units_below(rows: Sequence[Sequence[str]], count: int, width: int) -> list[str] | None:
    """The units in the row below the labels, by column; None if that row has anything else, or no numbers follow.

    At least one unit is known, and the others are as short. The first cell may be empty or a word for unit. It may also
    be another word, if the row has a known unit in every other column.
    """
    if len(rows) <= count + 1:
        return None
    row = rows[count]
    first, *others = (row[at].strip() if at < len(row) else "" for at in range(width))
    units = [one.strip("()[] ") for one in others]
    filled = [at for at, one in enumerate(units, 1) if one]
    known = [_is_unit(units[at - 1]) for at in filled]
    if not any(known) or any(map(is_typed, others)):
        return None
    bare = first.strip("()[] ")
    is_said = values.is_empty(bare) or unit_names.names_units(bare) or _is_unit(bare)
    if not is_said and not (bool(bare) and _is_label(bare) and len(filled) == width - 1 and all(known)):
        return None
    below = [
        cell
        for one in rows[count + 1 : count + 1 + _UNIT_ROWS]
        for at in filled
        if at < len(one) and not values.is_empty(cell := one[at].strip())
    ]
    are_short = all(len(unit) <= _UNIT_LETTERS for unit in units)
    if not below or not all(map(values.is_number, below)) or not are_short:
        return None
    return [bare if _is_unit(bare) else "", *units]


def _is_unit(text: str) -> bool:
    """Whether a text names a unit or a power of ten. In `l/100 km`, the part before the slash decides."""
    named = any(map(unit_names.unit_of_cell, (text, text.partition("/")[0])))
    return named or unit_names.scaled(text) is not None or len(unit_names.SCALES.get(text.casefold(), ())) == 1


def _is_merged(rows: Sequence[Sequence[str]], count: int, width: int) -> bool:
    """Whether the row after `count` header rows belongs to the header: only words, below gaps, above numbers."""
    if len(rows) <= count + 1:
        return False
    below = [cell.strip() for cell in rows[count]]
    above = [cell.strip() for cell in rows[count - 1]]
    filled = [at for at, cell in enumerate(below) if cell]
    gaps = [at for at in range(1, width) if at >= len(above) or not above[at]]
    words = all(not values.is_number(below[at]) or bool(_YEAR.fullmatch(below[at])) for at in filled)
    data = [cell.strip() for row in rows[count + 1 : count + 4] for cell in row]
    # The first cell may be merged downwards; it then stands in each of its rows.
    if above[:1] != [""] and below[:1] not in ([""], above[:1]):
        # Both rows begin with a word, as data rows do. They are a header only if there are just numbers below the gaps.
        under = [row[at].strip() for row in rows[count + 1 : count + 4] for at in gaps if at < len(row)]
        return len(filled) == width and words and any(under) and all(not one or values.is_number(one) for one in under)
    return bool(set(gaps) & set(filled)) and words and any(values.is_number(cell) for cell in data)
