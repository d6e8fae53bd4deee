"""Tables with typed columns, whose cells keep their place in the file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Literal

from leaf import errors, texts
from leaf.documents.model import LEFT_OUT, Document, Segment
from leaf.texts.notes import note_text

Type = Literal["number", "date", "time", "clock", "text"]
"""The type of a column. `time` is a date with a time; `clock` is a time of day without a date."""
Value = Decimal | date | datetime | time | str | None
Guess = Literal[
    "computed.day_first", "computed.comma_decimal", "computed.comma_thousands", "computed.point_decimal",
    "computed.point_thousands", "computed.hours", "computed.last_century", "computed.compact_days",
    "computed.unordered_days", "computed.unlike_decimals",
    "computed.percent_as_written", "computed.zones", "computed.padded", "computed.approximate", "computed.converted",
]  # fmt: skip
Assumption = tuple[Guess, str]
"""A guess, as the key of its text, and a cell to which it applies."""
MIXED = "mixed"
"""The unit of a column whose cells have different units."""
PURE = "pure"
"""The unit of counts and ratios, which certainly have none."""


class Refused(errors.LeafError):
    """A computation is refused. The message says why, and what would be accepted."""

    status, code = 422, "not_computed"


class TooMuch(Refused):
    """A computation takes too long or needs too much memory. It may succeed at another time."""


@dataclass(frozen=True)
class Source:
    """A file as it was read, with the text in which its tables are found."""

    file_id: str
    revision: str
    name: str
    kind: str
    segments: Sequence[Segment]
    notes: Sequence[str] = ()
    """Notes about the text (`Document.notes`)."""

    @classmethod
    def of(cls, document: Document, name: str) -> "Source":
        """A source made from a document.

        Raises:
            Refused: Some of its rows were left out because of a limit. A result over the others would be taken for a
                result over all rows.
        """
        left_out = next((one for one in document.notes if one.startswith(LEFT_OUT)), None)
        if left_out and document.kind in {"spreadsheet", "excel", "csv", "mail"}:
            note = note_text(left_out, texts.english)
            raise Refused(texts.english("computed.file_too_large", name=name, note=note))
        return cls(document.file_id, document.revision, name, document.kind, document.segments, document.notes)

    def body(self) -> dict[str, Any]:
        """The form in which the source is sent to a child process."""
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
    """A computation that later ones can read as a table under its name."""

    name: str
    query: str
    files: Sequence[str]
    """The ids of its files. Their order decides the names of the tables."""
    units: Mapping[str, str] = field(default_factory=dict[str, str])
    """Units of columns that have none in their file, as in `engine.compute`."""

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
        """The computation of a stored result, preceded by those that it uses; empty if the result has no name."""
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
    """A currency code, `%`, `kg` or the like; `MIXED` if `unit_column` has the unit of each row."""
    unit_column: str = ""
    """The name of the column with the unit of each row."""
    sides_column: str = ""
    """The name of the column with the account side (debit or credit) of each row, if amounts have no sign."""
    unread: dict[int, str] = field(default_factory=dict[int, str])
    """The text of cells that do not fit the column's type, errors of formulas among them, by row number."""
    derived: bool = False
    """Whether the column is not in the file, but was made from units or group names."""
    named_in: dict[int, int] = field(default_factory=dict[int, int])
    """For each row whose value stands in another row, the number of that row."""

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
    """The number of the last header row, from 1; None without a header."""
    columns: list[Column]
    rows: list[int]
    """The numbers of its rows in the sheet, from 1."""
    title: str = ""
    assumed: list[str] = field(default_factory=list[str])
    """Assumptions about it, in words."""
    totals: list[int] = field(default_factory=list[int])
    """Numbers of the sheet rows that sum up others. They form a table of their own."""
    is_totals: bool = False
    stem: str = ""
    """The text from which the name is made."""
    indents: Mapping[int, int] = field(default_factory=dict[int, int])
    """The number of blanks before the first words of each row, by the number of the row; empty if all are alike."""

    @property
    def place(self) -> str:
        """The place in the file: `sheet Budget, A1:F13`."""
        first = self.header or (self.rows[0] if self.rows else 1)
        last = max([first, *self.rows[-1:]])
        own = [one.place for one in self.columns if not one.derived]
        return f"{self.part}, {letters(min(own))}{first}:{letters(max(own))}{last}"

    def column(self, name: str) -> Column | None:
        """The column with a name in SQL; None if there is none."""
        return next((one for one in self.columns if one.name == name), None)


def letters(place: int) -> str:
    """The letters of a column in a spreadsheet, for an index from 0."""
    name = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
