"""Properties of the cells of a sheet that calamine leaves out, whatever the format of the workbook."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Units = tuple[tuple[int, str], ...]
"""Columns of a row, each with the unit that it shows: `%`, or the code of a currency."""


@dataclass
class Marks:
    """The marks of a sheet. Rows and columns count from 0."""

    units: dict[int, Units] = field(default_factory=dict[int, Units])
    """The columns that show a unit, by row."""
    errors: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    uncomputed: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    """Formulas without a result."""
    zeros: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    """Formulas that have no result before somebody calculates: with 0 in a workbook that asks to be calculated, or with
    an empty text."""
    has_results: bool = False
    """Whether a formula has another result."""
    hidden: list[int] = field(default_factory=list[int])
    """The numbers of hidden rows with values, from 1."""
    hidden_columns: list[str] = field(default_factory=list[str])
    """The letters of hidden columns with values, one or two for each stretch of them."""
    is_vast: bool = False
    """Whether calamine would need too much memory, or cannot distinguish its cells."""


def of_rows(marked: Mapping[int, Sequence[tuple[int, str]]]) -> dict[int, Units]:
    """The units of rows. Most rows are marked as the one before is: they have one value together."""
    same: dict[Units, Units] = {}
    return {row: same.setdefault(one, one) for row, one in ((row, tuple(one)) for row, one in marked.items())}


def without_results(sheets: Mapping[str, Marks]) -> Mapping[str, Marks]:
    """The sheets of a workbook, with the formulas that nobody has calculated, if no formula of it has a result."""
    if not any(one.has_results for one in sheets.values()):
        for one in sheets.values():
            one.uncomputed |= one.zeros
    return sheets
