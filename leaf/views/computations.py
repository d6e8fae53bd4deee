"""The card of a computation: its formula, query and result, and the cells that it uses, in a view of their sheet.

`leaf.components.panel` draws the card.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import Any

from leaf.citations.figures import condition_of, words_of
from leaf.parts.objects import objects_in
from leaf.services.cells import Edit
from leaf.texts import current, dates, number, say
from leaf.texts.places import place_text

_SHOWN_VALUES = 5


@dataclass(frozen=True)
class Cell:
    text: str
    used: bool = False


@dataclass(frozen=True)
class SheetRow:
    number: str
    cells: list[Cell] = field(default_factory=list[Cell])


@dataclass(frozen=True)
class Sheet:
    """The part of a sheet that a computation uses."""

    title: str = ""
    head: list[str] = field(default_factory=list[str])
    rows: list[SheetRow] = field(default_factory=list[SheetRow])
    notes: list[str] = field(default_factory=list[str])
    """Sentences about rows that were left out, cells that were not used, and assumptions."""


@dataclass(frozen=True)
class Edited:
    """The new version of a computation that was edited by hand, or that uses an edited one."""

    by_hand: bool = False
    title: str = ""
    """The sentence with the day of the edit."""
    query: str = ""
    formula: str = ""
    result: str = ""
    status: str = ""
    """A sentence: the result is the same, has changed, or could not be computed for a reason."""
    moved: bool = False
    sheets: list[Sheet] = field(default_factory=list[Sheet])


@dataclass(frozen=True)
class Computation:
    """A computation that was just repeated."""

    formula: str = ""
    query: str = ""
    status: str = ""
    moved: bool = False
    """Whether its result has changed, or could not be computed."""
    sheets: list[Sheet] = field(default_factory=list[Sheet])
    name: str = ""
    """The name by which later computations can use its result; empty if it has none."""
    rests_on: str = ""
    """The names of the computations whose results it uses, in a sentence; empty if there are none."""
    edited: Edited = field(default_factory=Edited)
    """The edited version; without a title if there is none."""


def computation(output: Mapping[str, Any], *, is_same: bool, kept: Mapping[str, Any]) -> Computation:
    """The card of a computation. `output` is the new output, and `kept` the one of the answer."""
    return replace(
        _named(kept),
        formula=words_of(output, current()),
        query=str(output.get("query") or ""),
        status=_status(output, is_same=is_same),
        moved=not is_same,
        sheets=_sheets(output),
    )


def failed(reason: str, kept: Mapping[str, Any]) -> Computation:
    """The card of a computation that could not be repeated."""
    status = say("computed.failed", reason=reason)
    return replace(_named(kept), query=str(kept.get("query") or ""), status=status, moved=True)


def _named(kept: Mapping[str, Any]) -> Computation:
    """A card with only the name of a computation, and the names of those that it uses."""
    names = ", ".join(say("trust.quoted", text=one["name"]) for one in kept.get("cells") or ())
    rests_on = say("computed.rests_on", cells=names) if names else ""
    return Computation(name=str(kept.get("cell") or ""), rests_on=rests_on)


def edited(edit: Edit, made: Mapping[str, Any] | None, *, is_same: bool, problem: str, zone: tzinfo) -> Edited:
    """The edited version of a computation.

    `made` is its new output; None if it could not be computed, for the reason `problem`.
    """
    by_hand = edit.query is not None
    key = "computed.by_hand_at" if by_hand else "computed.rests_on_edited"
    title = say(key, date=dates.day(edit.at.astimezone(zone)))
    query = str(edit.query or (edit.output if made is None else made).get("query") or "")
    if made is None:
        return Edited(by_hand, title, query, status=say("computed.failed", reason=problem), moved=True)
    return Edited(
        by_hand,
        title,
        query,
        formula=words_of(made, current()),
        result=values_after_formula(made),
        status=_status(made, is_same=is_same),
        moved=not is_same,
        sheets=_sheets(made),
    )


def _status(output: Mapping[str, Any], *, is_same: bool) -> str:
    return say("computed.kept") if is_same else say("computed.moved", result=result_text(output))


def values_after_formula(output: Mapping[str, Any]) -> str:
    """The values to show after the formula in words. It is empty for a single value, which these words include."""
    rows = output.get("rows") or ()
    return "" if len(rows) == 1 and len(rows[0]) == 1 else result_text(output)


def _sheets(output: Mapping[str, Any]) -> list[Sheet]:
    return [_sheet(one) for one in objects_in(output.get("tables"))]


def result_text(output: Mapping[str, Any]) -> str:
    """The first values of a result as text, with " …" if there are more."""
    values = [value for row in output.get("rows") or () for value in row]
    shown = ", ".join(number(one) if isinstance(one, int | float) else str(one) for one in values[:_SHOWN_VALUES])
    return shown + (" …" if len(values) > _SHOWN_VALUES else "")


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
        if condition := condition_of(table, current()):
            yield say("computed.filtered", count=filtered, condition=condition)
        else:
            yield say("computed.not_joined", count=filtered)
    if totals := table.get("totals"):
        yield say("computed.totals", count=len(totals), rows=", ".join(map(str, totals)))
    for label, count in (table.get("blank") or {}).items():
        yield say("computed.blank", count=int(count), label=label)
    for key, cells in (("computed.errors", table.get("errors")), ("computed.unread", table.get("unread"))):
        if cells:
            yield say(key, cells=", ".join(map(str, cells)))
    for assumed in table.get("assumed") or ():
        yield str(assumed.get(current()) or "") if isinstance(assumed, dict) else str(assumed)
