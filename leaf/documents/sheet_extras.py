"""Properties of the cells of a sheet that calamine does not return, for all workbook formats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Units = tuple[tuple[int, str], ...]
"""Columns of a row that show a unit, each with its unit: `%` or a currency code."""


@dataclass
class SheetExtras:
    """Units, formulas, comments and hidden rows of a sheet. Rows and columns count from 0 unless stated otherwise."""

    units: dict[int, Units] = field(default_factory=dict[int, Units])
    """The columns that show a unit, by row."""
    errors: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    uncomputed: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    """Formulas without a stored result, by row and column."""
    zeros: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    """Formulas whose stored result may be a placeholder: 0 in a workbook that asks to be calculated on opening, or an
    empty string. They have no result if no formula of the workbook has another one.
    """
    has_results: bool = False
    """Whether a formula has a result other than such a placeholder."""
    hidden: list[int] = field(default_factory=list[int])
    """The numbers of hidden rows with values, from 1."""
    hidden_columns: list[str] = field(default_factory=list[str])
    """The letters of hidden columns with values, one entry per stretch, such as `B` or `D:F`."""
    comments: list[str] = field(default_factory=list[str])
    """The comments of cells, each after the name of its cell."""
    is_vast: bool = False
    """Whether calamine would need too much memory for the sheet, or cannot read its cells correctly."""


def units_by_row(marked: Mapping[int, Sequence[tuple[int, str]]]) -> dict[int, Units]:
    """The units by row. Rows with equal units share one value to save memory."""
    same: dict[Units, Units] = {}
    return {row: same.setdefault(one, one) for row, one in ((row, tuple(one)) for row, one in marked.items())}


def with_uncomputed(sheets: Mapping[str, SheetExtras]) -> Mapping[str, SheetExtras]:
    """The sheets. If no formula of the workbook has a real result, formulas with a placeholder become uncomputed."""
    if not any(one.has_results for one in sheets.values()):
        for one in sheets.values():
            one.uncomputed |= one.zeros
    return sheets
