"""Aligns statements of several files that say the same thing. Each group is one line of the comparison."""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leaf.comparison.statements import Statement

_ENOUGH: Final = 0.5
"""The minimum likeness of two statements that say the same thing in different words."""
_SAME_PLACE: Final = 0.15
"""Added to the likeness of two statements under the same heading, and again if the statements before them are
aligned.
"""
_SAME_BEGIN: Final = 0.2
"""Added to the likeness of two statements that begin with the same words."""
_RAREST: Final = 8
"""The number of words of a statement, the rarest ones, by which similar statements are found."""
_POSTINGS: Final = 20
"""The maximum number of statements that are considered for each of these words."""
_CANDIDATES: Final = 6
"""The number of statements for which the full likeness is computed."""


@dataclass
class Line:
    """Statements of several files about the same thing."""

    cells: dict[int, Statement]
    """The statements by the number of their file."""
    order: tuple[float, int, int]
    """The sort key of the line: the position of its statement in the first file, or the position after the preceding
    statement.
    """
    keys: set[str]
    """The keys of its statements."""
    first: Statement
    """The statement of the first file that has one."""

    def is_same(self, files: int) -> bool:
        """Whether all files have the statement in the same words."""
        return len(self.cells) == files and len(self.keys) == 1


def aligned(files: Mapping[int, Sequence[Statement]]) -> list[Line]:
    """Aligns the statements of files into lines, in the order of the first file.

    Each further file is matched with the existing lines. Statements with equal words are matched first, at any
    position, then the most similar ones.

    Args:
        files: The statements of each file, by its number.
    """
    weights = _weights(files)
    lines: list[Line] = []
    for column, statements in files.items():
        _add(lines, column, statements, weights)
    return sorted(lines, key=lambda line: line.order)


def _weights(files: Mapping[int, Sequence[Statement]]) -> dict[str, float]:
    """The weight of each word: rare words weigh more."""
    counts = Counter(word for statements in files.values() for one in statements for word in one.stems)
    total = sum(map(len, files.values()))
    return {word: math.log(1 + total / count) for word, count in counts.items()}


def _add(lines: list[Line], column: int, statements: Sequence[Statement], weights: Mapping[str, float]) -> None:
    known = {key: line for line in lines for key in line.keys}
    placed: dict[int, Line] = {}
    for at, one in enumerate(statements):
        if (line := known.get(one.key)) is not None and column not in line.cells:
            placed[at] = line
            line.cells[column] = one
    left = [at for at in range(len(statements)) if at not in placed]
    free = [line for line in lines if column not in line.cells]
    for at, line in _matched(statements, left, free, placed, weights):
        placed[at] = line
        line.cells[column] = statements[at]
        line.keys.add(statements[at].key)
    is_first, before = not lines, -1.0
    for at, one in enumerate(statements):
        line = placed.get(at)
        if line is None:
            order = (float(at), 0, 0) if is_first else (before, column + 1, at)
            line = Line({column: one}, order, {one.key}, one)
            lines.append(line)
        before = line.order[0]


def _matched(
    statements: Sequence[Statement], left: Sequence[int], free: Sequence[Line], placed: Mapping[int, Line],
    weights: Mapping[str, float],
) -> Iterator[tuple[int, Line]]:  # fmt: skip
    """Yields pairs of a statement's index and a line, the most similar first. Each statement and each line occurs
    once.
    """
    index: defaultdict[str, list[int]] = defaultdict(list)
    for number, line in enumerate(free):
        for word in line.first.stems:
            if len(index[word]) < _POSTINGS:
                index[word].append(number)
    sizes = [_size(line.first, weights) for line in free]
    headings = [line.first.heading.casefold() for line in free]
    scored: list[tuple[float, int, int]] = []
    for at in left:
        one, before = statements[at], placed.get(at - 1)
        size, heading = _size(one, weights), one.heading.casefold()
        for number in _candidates(one, index, weights):
            shared = sum([weights[word] for word in one.stems & free[number].first.stems])
            score = 2 * shared / (size + sizes[number]) + _SAME_PLACE * (heading != "" and heading == headings[number])
            score += _SAME_PLACE * _is_neighbour(free[number], before)
            score += _SAME_BEGIN * (one.begin == free[number].first.begin)
            if score >= _ENOUGH:
                scored.append((score, -at, -number))
    used_statements, used_lines = set[int](), set[int]()
    for _, at, number in sorted(scored, reverse=True):
        if at not in used_statements and number not in used_lines:
            used_statements.add(at)
            used_lines.add(number)
            yield -at, free[-number]


def _candidates(one: Statement, index: Mapping[str, Sequence[int]], weights: Mapping[str, float]) -> list[int]:
    """The indexes of the lines that share the rarest words with a statement."""
    shared: defaultdict[int, float] = defaultdict(float)
    for weight, word in sorted([(weights[word], word) for word in one.stems if word in index], reverse=True)[:_RAREST]:
        for number in index[word]:
            shared[number] += weight
    return heapq.nlargest(_CANDIDATES, shared, shared.__getitem__)


def _is_neighbour(line: Line, before: Line | None) -> bool:
    """Whether a line directly follows the other line in the first file."""
    return before is not None and line.order[1:] == before.order[1:] == (0, 0) and line.order[0] == before.order[0] + 1


def _size(one: Statement, weights: Mapping[str, float]) -> float:
    return sum([weights[word] for word in one.stems])
