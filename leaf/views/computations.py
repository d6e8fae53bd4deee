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

SHOWN_VALUES = 5


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
    """The change of a computation that was edited by hand, or that depends on an edited one."""

    by_hand: bool = False
    title: str = ""
    """The sentence that says that it was changed, and when."""
    query: str = ""
    formula: str = ""
    result: str = ""
    status: str = ""
    """The sentence that says whether the result is still the same, or why it could not be computed."""
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
    """The change of the computation; without a title if it was not changed."""


def computation(output: Mapping[str, Any], *, is_same: bool, kept: Mapping[str, Any]) -> Computation:
    """The card of a computation. `output` is the new output, and `kept` the one of the answer."""
    status = say("computed.kept") if is_same else say("computed.moved", result=result_text(output))
    query = str(output.get("query") or "")
    return replace(_with_name(kept), formula=words_of(output, current()), query=query, status=status, moved=not is_same,
                   sheets=_sheets(output))  # fmt: skip


def failed(reason: str, kept: Mapping[str, Any]) -> Computation:
    """The card of a computation that could not be repeated."""
    return replace(
        _with_name(kept), query=str(kept.get("query") or ""), status=say("computed.failed", reason=reason), moved=True
    )


def _with_name(kept: Mapping[str, Any]) -> Computation:
    names = ", ".join(say("trust.quoted", text=one["name"]) for one in kept.get("cells") or ())
    rests_on = say("computed.rests_on", cells=names) if names else ""
    return Computation(name=str(kept.get("cell") or ""), rests_on=rests_on)


def edited(edit: Edit, made: Mapping[str, Any] | None, *, is_same: bool, problem: str, zone: tzinfo) -> Edited:
    """The change of a computation, for the note beside it.

    `made` is None if the computation failed, for the reason `problem`.
    """
    by_hand = edit.query is not None
    title = say(
        "computed.by_hand_at" if by_hand else "computed.rests_on_edited", date=dates.day(edit.at.astimezone(zone))
    )
    output = made if made is not None else edit.output
    query = str(edit.query or output.get("query") or "")
    if made is None:
        return Edited(by_hand, title, query, status=say("computed.failed", reason=problem), moved=True)
    status = say("computed.kept") if is_same else say("computed.moved", result=result_text(made))
    rows = made.get("rows") or ()
    # A single value is shown after the formula.
    result = "" if len(rows) == 1 and len(rows[0]) == 1 else result_text(made)
    return Edited(by_hand, title, query, words_of(made, current()), result, status, not is_same, _sheets(made))


def _sheets(output: Mapping[str, Any]) -> list[Sheet]:
    return [_sheet(one) for one in objects_in(output.get("tables"))]


def result_text(output: Mapping[str, Any]) -> str:
    """The first values of a result as text, with " …" if there are more."""
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
        condition = condition_of(table, current())
        yield (
            say("computed.filtered", count=filtered, condition=condition)
            if condition
            else say("computed.not_joined", count=filtered)
        )
    if totals := table.get("totals"):
        yield say("computed.totals", count=len(totals), rows=", ".join(map(str, totals)))
    for label, count in (table.get("blank") or {}).items():
        yield say("computed.blank", count=int(count), label=label)
    for key, cells in (("computed.errors", table.get("errors")), ("computed.unread", table.get("unread"))):
        if cells:
            yield say(key, cells=", ".join(map(str, cells)))
    for assumed in table.get("assumed") or ():
        yield str(assumed.get(current()) or "") if isinstance(assumed, dict) else str(assumed)
