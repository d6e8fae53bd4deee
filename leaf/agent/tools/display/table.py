"""The table that `displayTable` shows. Cells match the type of their column, so that pages can sort and format them."""

import math
import re
from collections.abc import Callable, Iterable
from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue, ValidationInfo, WithJsonSchema, field_validator
from pydantic_core import to_json

from leaf.agent.tools.display.fields import ADDRESS_CHARACTERS, TEXT_CHARACTERS, Line, Name, Text, web_address
from leaf.agent.tools.display.shapes import Place, Shown, unique
from leaf.agent.tools.strict import ToolInput, misfits

MAX_COLUMNS = 20
MAX_ROWS = 200
MAX_BYTES = 64 * 1024
"""The maximum size of all rows as JSON. They are sent to the model twice, and to the page once."""
MAX_EXACT = 2**53
"""Integers above this limit are not exact in a browser."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?)?")

_LINK = {
    "type": "object",
    "properties": {"url": {"type": "string"}, "label": {"type": "string"}},
    "required": ["url"],
    "additionalProperties": False,
}
Cell = Annotated[
    JsonValue,
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"}, _LINK]}),
]
Row = dict[str, Cell]

ColumnType = Literal["text", "number", "date", "currency", "percent", "link", "boolean"]


class Column(ToolInput):
    """A column."""

    key: Name = Field(description="The name of its cells in the rows.")
    label: Line = Field(description="What stands at its head.")
    type: ColumnType = Field(
        default="text",
        description="text; number, currency and percent: numbers without signs (12.5 is 12.5 %); date: 2026-03-01 or "
        '2026-03-01T09:30; link: an address, or {"url", "label"}; boolean.',
    )
    align: Literal["left", "center", "right"] | None = Field(None, description="Leave it out for the type's own.")
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] | None = Field(
        None, description="Of a column of the type currency: its code, such as EUR."
    )
    decimals: Annotated[int, Field(ge=0, le=8)] | None = Field(
        None, description="Of numbers: how many digits to show after the point."
    )

    @field_validator("currency")
    @classmethod
    def _belongs_to_the_type(cls, currency: str | None, info: ValidationInfo) -> str | None:
        if currency is not None and info.data.get("type", "currency") != "currency":
            raise ValueError("only columns of the type currency have one")
        return currency


class Table(Shown):
    """Show the user a table, which they can sort by its columns. Use it for figures and for comparing things."""

    title: Line
    description: Text | None = Field(None, description="What the table says, and where it is from.")
    columns: Annotated[list[Column], Field(min_length=1, max_length=MAX_COLUMNS)]
    rows: Annotated[list[Row], Field(max_length=MAX_ROWS)] = Field(
        description="Each row has its cells by the columns' keys; null, or nothing, where there is none."
    )

    @field_validator("columns")
    @classmethod
    def _have_distinct_keys(cls, columns: list[Column]) -> list[Column]:
        unique([column.key for column in columns], "key")
        missing = [column.key for column in columns if column.type == "currency" and column.currency is None]
        if missing:
            raise ValueError(f"name the currency of {', '.join(missing)}, such as EUR")
        return columns

    @field_validator("rows")
    @classmethod
    def _fit_the_columns(cls, rows: list[Row], info: ValidationInfo) -> list[Row]:
        columns: list[Column] | None = info.data.get("columns")
        if columns is None:
            return rows  # Errors of the columns are reported first.
        wrong: list[str] = []
        fitted = [_fitted(row, columns, f"rows[{place}]", wrong) for place, row in enumerate(rows)]
        size = len(to_json(fitted)) if not wrong else 0
        if size > MAX_BYTES:
            wrong.append(f"rows: {size:,} bytes are too many, {MAX_BYTES:,} can be shown")
        if wrong:
            raise misfits(wrong)
        return fitted

    def addresses(self) -> Iterable[Place]:
        """Returns the addresses of the links."""
        links = [column.key for column in self.columns if column.type == "link"]
        for place, row in enumerate(self.rows):
            for key in links:
                cell = row.get(key)
                if isinstance(cell, dict):
                    yield f"rows[{place}].{key}", str(cell["url"])


class _Misfit(ValueError):
    """A cell does not match the type of its column."""


def _fitted(row: Row, columns: list[Column], place: str, wrong: list[str]) -> Row:
    """The row with its cells in the order of the columns. A message about each wrong cell is appended to `wrong`."""
    known = {column.key for column in columns}
    wrong += [f"{place}.{key}: there is no such column" for key in row if key not in known]
    cells: Row = {}
    for column in columns:
        cell = row.get(column.key)
        if cell is None:
            continue
        try:
            cells[column.key] = _CELLS[column.type](cell)
        except ValueError as error:
            wrong.append(f"{place}.{column.key}: {error}")
    return cells


def _text(cell: JsonValue) -> JsonValue:
    if not isinstance(cell, str):
        raise _Misfit("must be a text")
    if len(cell) > TEXT_CHARACTERS:
        raise _Misfit(f"must have at most {TEXT_CHARACTERS:,} characters")
    return cell.strip()


def _number(cell: JsonValue) -> JsonValue:
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        raise _Misfit("must be a number, without quotation marks, signs or units")
    if isinstance(cell, int) and abs(cell) > MAX_EXACT:
        raise _Misfit("is too large to be shown exactly; make it a column of the type text")
    if not math.isfinite(cell):
        raise _Misfit("must be a finite number")
    return cell


def _date(cell: JsonValue) -> JsonValue:
    refused = _Misfit("must be a date such as 2026-03-01, or a time such as 2026-03-01T09:30")
    if not isinstance(cell, str) or not _DATE.fullmatch(cell):
        raise refused
    try:
        if len(cell) == len("2026-03-01"):
            return date.fromisoformat(cell).isoformat()
        return datetime.fromisoformat(cell).isoformat()
    except ValueError:
        raise refused from None


def _link(cell: JsonValue) -> JsonValue:
    link = {"url": cell} if isinstance(cell, str) else cell
    if not isinstance(link, dict) or not {"url"} <= link.keys() <= {"url", "label"}:
        raise _Misfit('must be a web address, or an object with "url" and "label"')
    url, label = link["url"], link.get("label")
    if not isinstance(url, str) or len(url) > ADDRESS_CHARACTERS:
        raise _Misfit(f"its url must be a text of at most {ADDRESS_CHARACTERS:,} characters")
    if label is not None and not isinstance(label, str):
        raise _Misfit("its label must be a text")
    if label is not None and label.strip():
        return {"url": web_address(url.strip()), "label": _text(label)}
    return {"url": web_address(url.strip())}


def _boolean(cell: JsonValue) -> JsonValue:
    if not isinstance(cell, bool):
        raise _Misfit("must be true or false")
    return cell


_CELLS: dict[ColumnType, Callable[[JsonValue], JsonValue]] = {
    "text": _text, "number": _number, "currency": _number, "percent": _number, "date": _date, "link": _link,
    "boolean": _boolean,
}  # fmt: skip
