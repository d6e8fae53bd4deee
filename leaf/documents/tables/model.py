"""Tables with typed columns, each cell with its place in the file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Literal

from leaf import errors, texts
from leaf.documents.model import LEFT_OUT, Document, Segment
from leaf.texts.notes import note_text

Type = Literal["number", "date", "time", "clock", "text"]
"""`time` is a day with a time, and `clock` a time of any day."""
Value = Decimal | date | datetime | time | str | None
Guess = Literal[
    "computed.day_first", "computed.comma_decimal", "computed.comma_thousands", "computed.point_decimal",
    "computed.point_thousands", "computed.hours", "computed.last_century", "computed.compact_days",
]  # fmt: skip
Assumption = tuple[Guess, str]
"""A guess, by the key of its text, and a cell that was read by it."""
MIXED = "mixed"
"""The unit of a column whose cells have several units."""
PURE = "pure"
"""The unit of counts and ratios, which have none for certain."""


class Refused(errors.LeafError):
    """A computation that is not made. The message says why, and what would be accepted."""

    status, code = 422, "not_computed"


class TooMuch(Refused):
    """A computation that takes too long or needs too much memory here; on another day it may be made."""


@dataclass(frozen=True)
class Source:
    """A file as it was read: its text, from which its tables are recognised."""

    file_id: str
    revision: str
    name: str
    kind: str
    segments: Sequence[Segment]
    notes: Sequence[str] = ()
    """Notes about the text (`Document.notes`)."""

    @classmethod
    def of(cls, document: Document, name: str) -> "Source":
        """A document as a source.

        Raises:
            Refused: A limit kept rows of it out: a figure over the others would be taken for one over all.
        """
        left_out = next((one for one in document.notes if one.startswith(LEFT_OUT)), None)
        if left_out and document.kind in {"spreadsheet", "excel", "csv"}:
            note = note_text(left_out, texts.english)
            raise Refused(texts.english("computed.file_too_large", name=name, note=note))
        return cls(document.file_id, document.revision, name, document.kind, document.segments, document.notes)

    def body(self) -> dict[str, Any]:
        """The form in which it is sent to a child process."""
        return {
            "file_id": self.file_id, "revision": self.revision, "name": self.name, "kind": self.kind,
            "segments": [[one.part, one.text] for one in self.segments], "notes": [*self.notes],
        }  # fmt: skip

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> "Source":
        """A source from the result of `body`."""
        segments = [Segment(part, None, text) for part, text in body["segments"]]
        return cls(body["file_id"], body["revision"], body["name"], body["kind"], segments, [*body["notes"]])


@dataclass(frozen=True)
class Cell:
    """A computation that a later one reads as a table, by its name."""

    name: str
    query: str
    files: Sequence[str]
    """The ids of its files, in the order by which its tables have their names."""
    units: Mapping[str, str] = field(default_factory=dict[str, str])
    """The units of columns, as in `engine.compute`."""

    def data(self) -> dict[str, Any]:
        """The stored form."""
        units = {"units": dict(self.units)} if self.units else {}
        return {"name": self.name, "query": self.query, "files": [*self.files], **units}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Cell":
        """A cell from its stored form."""
        units = data.get("units") or {}
        return cls(str(data["name"]), str(data["query"]), [str(one) for one in data["files"]], dict(units))

    @classmethod
    def all_of(cls, output: Mapping[str, Any]) -> "list[Cell]":
        """The computation of a kept result, after those that it depends on; empty if the result has no name."""
        name, query, files = output.get("cell"), output.get("query"), output.get("files")
        if not isinstance(name, str) or not isinstance(query, str) or not isinstance(files, list):
            return []
        ids = [str(one["id"]) for one in files if isinstance(one, dict) and one.get("id")]
        earlier = [cls.of(one) for one in output.get("cells") or ()]
        return [*earlier, cls(name, query, ids, dict(output.get("units") or {}))]


@dataclass
class Column:
    """A column of a table."""

    name: str
    """Its name in SQL."""
    label: str
    """Its header in the file."""
    place: int
    """Its number in the sheet, from 0."""
    type: Type
    values: list[Value]
    unit: str = ""
    """A currency's code, `%`, `kg` and the like; `MIXED` if `unit_column` has one for each row."""
    unit_column: str = ""
    """The name of the column that has the unit of each row."""
    sides: str = ""
    """The name of the column that has the side of an account of each row, where amounts have no sign."""
    unread: dict[int, str] = field(default_factory=dict[int, str])
    """Cells without a value of the column's type, by the number of their row."""
    derived: bool = False
    """Whether no column of the file, but made of the units in one, or of the names of groups."""
    named_in: dict[int, int] = field(default_factory=dict[int, int])
    """The rows whose value is in the cell of another row: the number of the other row, by the number of the row."""

    @property
    def letters(self) -> str:
        """Its name in a spreadsheet: A, B, … AA."""
        return letters(self.place)


@dataclass
class Table:
    """A table of a file."""

    name: str
    file_id: str
    revision: str
    file: str
    """The name of the file."""
    part: str
    """The segment of the file that contains it, such as `sheet Budget`."""
    header: int | None
    """The number of its header's last row, from 1."""
    columns: list[Column]
    rows: list[int]
    """The numbers of its rows in the sheet, from 1."""
    title: str = ""
    assumed: list[str] = field(default_factory=list[str])
    """Assumptions about it, in words."""
    totals: list[int] = field(default_factory=list[int])
    """Rows of the sheet that sum up others; they are in a table of their own."""
    is_totals: bool = False
    stem: str = ""
    """The text of which its name is made."""

    @property
    def place(self) -> str:
        """The place in the file: `sheet Budget, A1:F13`."""
        first = self.header or (self.rows[0] if self.rows else 1)
        last = max([first, *self.rows[-1:]])
        own = [one.place for one in self.columns if not one.derived]
        return f"{self.part}, {letters(min(own))}{first}:{letters(max(own))}{last}"

    def column(self, name: str) -> Column | None:
        """The column with a name in SQL."""
        return next((one for one in self.columns if one.name == name), None)


def letters(place: int) -> str:
    """The name of a column in a spreadsheet, by its number from 0."""
    name = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
