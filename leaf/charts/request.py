"""A model's request for a chart, and its check against the result that the chart shows."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from leaf import errors

Kind = Literal["bar", "line", "area", "scatter", "pie"]
"""The kind of a chart. `leaf.charts.drawing` draws it, and `leaf.charts.words` describes it."""
Axis = Literal["category", "number", "time"]

MAX_POINTS: Final = 500
MAX_SERIES: Final = 8
MAX_SLICES: Final = 12
_LARGEST: Final = 1e15
"""Larger absolute values are refused, because their scale would not be readable."""
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")
_UNIT: Final = re.compile(r"\s*[(\[][^()\[\]]{1,20}[)\]]\s*\Z")
_SHOWN_CHARACTERS: Final = 40
_JOINERS: Final = "\u200c\u200d"
"""Invisible characters between letters that some scripts need."""


class Refused(errors.LeafError):
    """A chart cannot be drawn. The message tells the model why, and what it can do instead."""

    status, code = 422, "not_drawn"


class Request(BaseModel):
    """A chart of the result: which columns it shows, and how."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind = Field(description="bar compares; line and area show a course; scatter relates two numbers; pie shows "
                       f"parts of a whole, {MAX_SLICES} at most and none negative.")  # fmt: skip
    x: str = Field(max_length=200, description="The result's column of the categories, dates or numbers below.")
    y: Annotated[list[Annotated[str, Field(max_length=200)]], Field(min_length=1, max_length=MAX_SERIES)] = Field(
        description="The columns of numbers, of one unit; each is a series."
    )
    series: str | None = Field(
        None, max_length=200, description="With one y: the column whose values are series of their own."
    )
    title: str = Field(max_length=120, description="What the chart shows, in the language of the answer.")


@dataclass(frozen=True)
class Series:
    """A series of points with a name."""

    name: str
    points: Sequence[tuple[float, float]]
    """Pairs of x and y, sorted by x except in a scatter chart. x is a number, the index of a category, or a time in
    seconds since 1970."""


@dataclass(frozen=True)
class Chart:
    """A chart with its data, made from a valid request."""

    kind: Kind
    title: str
    axis: Axis
    x: str
    """The name of the x axis."""
    y: str
    """The name of the y axis; empty if there are several series with names of their own."""
    unit: str
    labels: Sequence[str]
    """The categories; empty if x is a number or a time."""
    series: Sequence[Series]
    left_out: int
    """The number of values that are missing and not drawn."""
    columns: Sequence[Mapping[str, str]]
    """The shown columns, each with `label` and `unit`."""
    rows: Sequence[Sequence[Any]]
    """The values of the shown columns."""


def of(output: Any) -> Chart | None:
    """The chart in a stored output of the tool `compute`; None if it has no chart or the chart cannot be drawn."""
    if not isinstance(output, dict) or not isinstance(output.get("chart"), dict):
        return None
    try:
        return check(Request.model_validate(output["chart"]), output)
    except (ValidationError, Refused, KeyError, TypeError, ValueError):
        return None


def check(request: Request, result: Mapping[str, Any]) -> Chart:
    """The chart of a result of `tables.engine.compute`.

    Raises:
        Refused: The request does not match the result.
    """
    columns, rows = result["columns"], result["rows"]
    names = [one["name"] for one in columns]
    if request.series is not None and len(request.y) > 1:
        raise Refused("Pass one column as `y` beside `series`, or several without it.")
    wanted = [request.x, *request.y, *([request.series] if request.series is not None else [])]
    for name in wanted:
        if name not in names:
            raise Refused(f"The result has no column “{name}”. Its columns: {', '.join(names)}.")
    if len({*wanted}) < len(wanted):
        raise Refused("Pass each column once.")
    places = [names.index(name) for name in wanted]
    kept = [[row[place] for place in places] for row in rows]
    points = len(kept) * len(request.y)
    if result.get("more") or points > MAX_POINTS:
        raise Refused(
            f"This would be more than {min(MAX_POINTS, points)} points, which nobody could read. "
            f"Group the rows, by month for example, or take the highest ones with ORDER BY and LIMIT."
        )
    amounts = [columns[names.index(name)] for name in request.y]
    if any(column.get("mixed") for column in amounts):
        raise Refused(
            "The rows in `y` have several units. Select one of them in the query, and draw one chart for each."
        )
    if len({column["unit"] for column in amounts}) > 1:
        raise Refused("The columns in `y` have different units. Draw one chart for each of them.")
    for index, name in enumerate(request.y, 1):
        _require_numbers(name, [row[index] for row in kept])
    shown = [{"label": _heading(columns[place]), "unit": _line(str(columns[place]["unit"] or ""))} for place in places]
    return _chart(request, shown, kept)


def _require_numbers(name: str, values: Sequence[Any]) -> None:
    for value in values:
        if value is not None and not _is_number(value):
            raise Refused(f"“{name}” has values that are no numbers, such as “{str(value)[:_SHOWN_CHARACTERS]}”.")
        if value is not None and abs(value) > _LARGEST:
            raise Refused(f"“{name}” has numbers above {_LARGEST:.0e}. Divide them first, for example into millions.")


def _chart(request: Request, columns: Sequence[Mapping[str, str]], rows: Sequence[Sequence[Any]]) -> Chart:
    axis = _axis(request.kind, [row[0] for row in rows])
    labels = [*dict.fromkeys(_text(row[0]) for row in rows)] if axis == "category" else []
    positions = {text: position for position, text in enumerate(labels)}
    found: dict[str, list[tuple[float, float]]] = {}
    left_out = 0
    for row in rows:
        values = row[1 : 1 + len(request.y)]
        named = [_text(row[-1])] if request.series is not None else [one["label"] for one in columns[1:]]
        x = positions[_text(row[0])] if axis == "category" else _position(row[0], axis)
        for name, value in zip(named, values, strict=True):
            points = found.setdefault(name, [])
            if value is None or x is None:
                left_out += 1
            else:
                points.append((x, value))
    if request.kind != "scatter":
        found = {name: sorted(points) for name, points in found.items()}
    series = [Series(name, points) for name, points in found.items() if points]
    _require_shape(request, series)
    y = columns[1]["label"] if len(request.y) == 1 else ""
    return Chart(
        request.kind, _line(request.title), axis, x=columns[0]["label"], y=y, unit=columns[1]["unit"], labels=labels,
        series=series, left_out=left_out, columns=columns, rows=rows,
    )  # fmt: skip


def _require_shape(request: Request, series: Sequence[Series]) -> None:
    if not series:
        raise Refused("The result has no values that could be drawn.")
    if len(series) > MAX_SERIES:
        raise Refused(f"“{request.series}” has {len(series)} values, and a chart {MAX_SERIES} series at most.")
    for one in series:
        if request.kind != "scatter" and len({x for x, _ in one.points}) < len(one.points):
            raise Refused(f"“{request.x}” has a value in several rows. Group the rows by it.")
    if request.kind == "pie":
        if len(series) > 1:
            raise Refused("A pie shows one column. Use a bar chart for several.")
        values = [value for _, value in series[0].points]
        if min(values) < 0:
            raise Refused(f"“{request.y[0]}” has negative values, which are no parts of a whole. Use a bar chart.")
        if not any(values):
            raise Refused("All values are zero, so there is no whole that a pie could show.")
        if len(values) > MAX_SLICES:
            raise Refused(f"A pie has {MAX_SLICES} parts at most, and these are {len(values)}. Use a bar chart.")


def _axis(kind: Kind, values: Sequence[Any]) -> Axis:
    """The kind of the x axis. Bars and slices are always categories, even if their names are numbers or dates.

    Raises:
        Refused: x of a scatter chart is neither a number nor a time.
    """
    known = [one for one in values if one is not None]
    if kind not in {"bar", "pie"} and known:
        if all(map(_is_number, known)):
            return "number"
        if all(isinstance(one, str) and _seconds(one) is not None for one in known):
            return "time"
    if kind == "scatter":
        raise Refused("A scatter chart relates two columns of numbers. Use a bar chart for categories.")
    return "category"


def _position(value: Any, axis: Axis) -> float | None:
    """The position of a value on an axis of times or numbers; None if the value is missing or too large."""
    if axis == "time":
        return _seconds(value)
    return None if value is None or abs(value) > _LARGEST else value


def _seconds(value: Any) -> float | None:
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return None
    try:
        return (datetime.fromisoformat(value).replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()  # noqa: DTZ001
    except ValueError:
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _text(value: Any) -> str:
    return "–" if value is None or value == "" else _line(str(value))


def label(name: str) -> str:
    """The name of a column for people."""
    return _line(name.replace("_", " ")) or name


def _heading(column: Mapping[str, Any]) -> str:
    """The name of a column for people, without its unit, which is shown separately."""
    name, header = str(column["name"]), str(column.get("label") or "")
    if column["unit"]:
        header = _UNIT.sub("", header).removesuffix(f" {column['unit']}")
    return _line(header) or label(name)


def _line(text: str) -> str:
    """A text on one line, without characters that XML cannot contain."""
    return " ".join("".join(one if one.isprintable() or one in _JOINERS else " " for one in text).split())
