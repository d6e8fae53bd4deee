"""Rows of tables within a text: which lines are rows, and what their cells are."""

import csv
import re
from collections.abc import Iterator

_MARKER = re.compile(
    r"\[((?:pages?|sheet|slides?|section|rows?|lines?|tab|part|notes)\b[^\[\]]{0,120})\]", re.IGNORECASE
)


def marker(line: str) -> str | None:
    """The place that a line such as `[page 3]` names; None where it is no such line."""
    found = _MARKER.fullmatch(line)
    return found[1].strip() if found else None


def plain(text: str) -> str:
    """A line without the signs that begin a block in Markdown; its words stay as they are."""
    return re.sub(r"^(?:>\s*)+", "", " ".join(text.split()))


def paired(columns: tuple[str, ...], cells: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for place, cell in enumerate(cells):
        yield (columns[place] if place < len(columns) else ""), cell


def separators(lines: list[str], *, tabular: bool) -> list[str]:
    """For each line the sign that separates its cells, or nothing where the line is no row of a table."""
    found = [""] * len(lines)
    for place, line in enumerate(lines):
        text = line.strip()
        if text.startswith("|") and text.count("|") >= 2:
            found[place] = "|"
    for separator, needed in (("\t", 1), (";", 1 if tabular else 2), (",", 1 if tabular else 2)):
        counts = [
            0 if found[i] or marker(line.strip()) else len(cells_of(line, separator)) - 1
            for i, line in enumerate(lines)
        ]
        for start, end in _runs(counts, needed, 2 if tabular or separator == "\t" else 3):
            found[start:end] = [separator] * (end - start)
    return found


def _runs(counts: list[int], needed: int, length: int) -> Iterator[tuple[int, int]]:
    """Where lines with the same count, at least `needed`, follow one another at least `length` times."""
    start = 0
    for place in range(1, len(counts) + 1):
        if place == len(counts) or counts[place] != counts[start]:
            if counts[start] >= needed and place - start >= length:
                yield start, place
            start = place


def cells_of(line: str, separator: str) -> tuple[str, ...]:
    if separator == "|":
        inner = line.strip().removeprefix("|").removesuffix("|")
        return tuple(plain(cell.replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", inner))
    if separator not in line:
        return (line.strip(),)
    try:
        row = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        row = line.split(separator)
    return tuple(cell.strip() for cell in row)
