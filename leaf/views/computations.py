"""A computation as a card shows it: formula, query, result, and the cells that it rests on in a view of their sheet.

The card is drawn by `leaf.components.panel`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from leaf.citations.figures import words_of
from leaf.texts import current, number, say
from leaf.texts.places import place_text

SHOWN_VALUES = 5


@dataclass(frozen=True)
class Cell:
    """A cell of a sheet."""

    text: str
    used: bool = False


@dataclass(frozen=True)
class SheetRow:
    """A row of a sheet by its number there."""

    number: str
    cells: list[Cell] = field(default_factory=list[Cell])


@dataclass(frozen=True)
class Sheet:
    """The part of a sheet that a computation rests on."""

    title: str = ""
    head: list[str] = field(default_factory=list[str])
    rows: list[SheetRow] = field(default_factory=list[SheetRow])
    notes: list[str] = field(default_factory=list[str])
    """The rows that were left out and why, and what was assumed."""


@dataclass(frozen=True)
class Computation:
    """A computation that was made anew just now."""

    formula: str = ""
    query: str = ""
    status: str = ""
    moved: bool = False
    """Whether its result has changed, or could not be had."""
    sheets: list[Sheet] = field(default_factory=list[Sheet])


def computation(output: Mapping[str, Any], *, is_same: bool) -> Computation:
    """The card of a computation.

    Args:
        output: The output of `leaf.services.computations.again`.
        is_same: Whether the result equals the one in the answer.
    """
    status = say("computed.kept") if is_same else say("computed.moved", result=result_text(output))
    sheets = [_sheet(one) for one in output.get("tables") or () if isinstance(one, dict)]
    return Computation(words_of(output, current()), str(output.get("query") or ""), status, not is_same, sheets)


def failed(reason: str) -> Computation:
    """The card of a computation that could not be made anew."""
    return Computation(status=say("computed.failed", reason=reason), moved=True)


def result_text(output: Mapping[str, Any]) -> str:
    """The first values of a result."""
    values = [value for row in output.get("rows") or () for value in row]
    shown = ", ".join(number(one) if isinstance(one, int | float) else str(one) for one in values[:SHOWN_VALUES])
    return shown + (" …" if len(values) > SHOWN_VALUES else "")


def _sheet(table: Mapping[str, Any]) -> Sheet:
    view = table.get("view") or {}
    rows = [
        SheetRow(str(row["number"]), [Cell(str(text), used) for text, used in row["cells"]])
        for row in view.get("rows") or ()
    ]
    title = f"{table.get('file')}, {place_text(str(table.get('part')))}"
    return Sheet(title, [str(one) for one in view.get("head") or ()], rows, [*_notes(table, len(rows))])


def _notes(table: Mapping[str, Any], shown: int) -> Iterator[str]:
    if int(table.get("rows") or 0) > shown:
        yield say("computed.first_rows", shown=shown, count=int(table["rows"]))
    if filtered := int(table.get("filtered") or 0):
        condition = str(table.get("condition") or "")
        yield (
            say("computed.filtered", count=filtered, condition=condition)
            if condition
            else say("computed.not_joined", count=filtered)
        )
    if totals := table.get("totals"):
        yield say("computed.totals", count=len(totals), rows=", ".join(map(str, totals)))
    for label, count in (table.get("blank") or {}).items():
        yield say("computed.blank", count=int(count), label=label)
    if unread := table.get("unread"):
        yield say("computed.unread", cells=", ".join(map(str, unread)))
    for assumed in table.get("assumed") or ():
        yield str(assumed.get(current()) or "") if isinstance(assumed, dict) else str(assumed)
