"""Draws charts as SVG of plain shapes, without scripts, style sheets, links, pictures or foreign elements.

Each shape has presentation attributes with its colours on a light background, and classes with which the style sheets
of pages set the colours of their theme (`assets/styles/charts.css`).
"""

import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from xml.etree import ElementTree as ET

from leaf import texts
from leaf.charts.request import Chart

Node = list[Any]
"""An element as JSON: its tag, its attributes by the names that React has for them, its text, its children."""

WIDTH: Final = 480
_FONT: Final = "Inter, Arial, Helvetica, sans-serif"
_FONT_SIZE: Final = 12
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SMALLEST: Final = 1e-100
"""Smaller absolute values are drawn as zero."""
_LETTER_WIDTH: Final = 6.8
"""The estimated width of a letter. The width of a wide (East Asian) letter is `_FONT_SIZE`."""
_PLOT_HEIGHT: Final = 220
"""The height of the plot. Horizontal bars may need more."""
_MAX_HORIZONTAL: Final = 40
"""The maximum number of categories whose bars are horizontal because of long names. With more categories, the bars are
vertical, and some names are left out."""
_NAME_WIDTH: Final = 130
_LABEL_WIDTH: Final = 72
"""The maximum width of a name under a plot."""
_INK, _SOFT = ("ink", "#1b1f1a"), ("soft", "#565e52")
_GRID_LINE: Final = {"class_": "grid", "color": "#c9cdc1", "stroke": "currentColor"}
_COLOURS: Final = (
    "#1f6b45", "#b4541a", "#2f5fa8", "#8a3d8f", "#7a6100", "#0f7c86", "#a83250", "#5c6470", "#3f8f68", "#a5622f",
    "#5f7fc0", "#a566ab",
)  # fmt: skip
_DASHES: Final = ("", "7 3", "2 3", "9 3 2 3", "12 4", "4 4", "1 4", "9 3 2 3 2 3")
"""The dashes of each series, so that lines differ not only by their colours."""


def picture(chart: Chart, language: str, description: str) -> ET.Element:
    """The picture of a chart.

    Args:
        chart: The chart.
        language: The language in which numbers are formatted.
        description: The text for people who cannot see the picture.
    """
    return _Drawing(chart, language).element(description)


def markup(drawn: ET.Element) -> str:
    """A picture as XML, which can be a file."""
    return ET.tostring(drawn, encoding="unicode")


def node(drawn: ET.Element) -> Node:
    """A picture as JSON, from which pages make its elements (`leaf.components.displays`)."""
    attributes = {_react_name(name): value for name, value in drawn.attrib.items()}
    return [drawn.tag, attributes, drawn.text or "", [node(one) for one in drawn]]


def _react_name(name: str) -> str:
    first, *others = name.split("-")
    return {"class": "className", "aria-label": name}.get(name, first + "".join(map(str.capitalize, others)))


class _Drawing:
    def __init__(self, chart: Chart, language: str) -> None:
        self._chart, self._language = chart, language
        self._svg = ET.Element("svg")
        self._time_format = _time_format([x for _, x, _ in self._values()]) if chart.axis == "time" else ""
        self._top = 0.0

    def element(self, description: str) -> ET.Element:
        chart, svg = self._chart, self._svg
        _add(svg, "rect", class_="ground", fill="#ffffff", width="100%", height="100%")
        self._text(16, 24, chart.title, _INK, size=15, weight=600, most=WIDTH - 32)
        self._top = 40.0
        scale = " · ".join(filter(None, (chart.y, chart.unit))) if chart.kind != "pie" else ""
        if scale:
            self._text(16, 42, scale, _SOFT, most=WIDTH - 32)
            self._top = 56.0
        if chart.kind == "pie":
            height = self._pie()
        else:
            self._legend()
            height = self._horizontal_bars() if self._is_horizontal() else self._upright()
        svg.attrib.update({
            "xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {_attribute(height)}", "width": str(WIDTH),
            "height": _attribute(height), "role": "img", "aria-label": description, "font-family": _FONT,
            "font-size": str(_FONT_SIZE), "class": "chart-picture",
        })  # fmt: skip
        return svg

    def _legend(self) -> None:
        if len(self._chart.series) < 2:
            return
        x, y = 16.0, self._top + 6
        for place, one in enumerate(self._chart.series):
            name = _cut(one.name, _NAME_WIDTH)
            if x > 16 and x + 20 + _width(name) > WIDTH - 16:
                x, y = 16.0, y + 18
            if self._chart.kind == "line":
                _add(self._svg, "line", x1=x, x2=x + 14, y1=y - 4, y2=y - 4, **_stroke(place))
            else:
                _add(self._svg, "rect", x=x, y=y - 9, width=10, height=10, rx=2, **_series(place))
            self._text(x + 18, y, name, _INK)
            x += 34 + _width(name)
        self._top = y + 14

    def _is_horizontal(self) -> bool:
        labels = self._chart.labels
        named = any(_width(one) > 56 and not one[:4].isdigit() for one in labels)
        return self._chart.kind == "bar" and named and len(labels) <= _MAX_HORIZONTAL

    def _horizontal_bars(self) -> float:
        chart, count = self._chart, len(self._chart.series)
        left = 24 + min(_NAME_WIDTH, max(map(_width, chart.labels)))
        band = max(22, 11 * count + 8)
        bottom = self._top + band * len(chart.labels)
        marks, at = self._value_scale(left, WIDTH - 40)
        for value, text in marks:
            _add(self._svg, "line", x1=at(value), x2=at(value), y1=self._top, y2=bottom, **_GRID_LINE)
            self._text(at(value), bottom + 16, text, _SOFT, anchor="middle")
        thick = (band - 8) / count
        for place, name in enumerate(chart.labels):
            self._text(left - 8, self._top + band * (place + 0.5) + 4, name, _INK, anchor="end", most=left - 20)
        for number, x, value in self._values():
            top = self._top + band * x + 4 + thick * number
            begin, end = sorted((at(0), at(value)))
            width = max(end - begin, 1)
            self._mark("rect", number, x, value, x=begin, y=top, width=width, height=max(1, thick - 1), rx=1.5)
        return bottom + 32

    def _upright(self) -> float:
        chart, bottom = self._chart, self._top + _PLOT_HEIGHT
        marks, at = self._value_scale(bottom, self._top + 6)
        left, right = 26 + max(_width(text) for _, text in marks), WIDTH - 20.0
        for value, text in marks:
            _add(self._svg, "line", x1=left, x2=right, y1=at(value), y2=at(value), **_GRID_LINE)
            self._text(left - 8, at(value) + 4, text, _SOFT, anchor="end")
        along, step = self._x_scale(left, right)
        most = _LABEL_WIDTH if chart.labels else WIDTH
        for x, text in self._x_labels(step):
            self._text(along(x), bottom + 18, text, _SOFT, anchor="middle", most=most)
        if chart.kind == "bar":
            thick = step * 0.8 / len(chart.series)
            for number, x, value in self._values():
                top, end = sorted((at(0), at(value)))
                start = along(x) - step * 0.4 + thick * number
                width, height = max(0.5, thick - min(1, thick / 4)), max(end - top, 1)
                self._mark("rect", number, x, value, x=start, y=top, width=width, height=height, rx=min(1.5, thick / 4))
        else:
            self._lines_and_dots(along, at)
        self._text(WIDTH / 2, bottom + 38, chart.x, _SOFT, anchor="middle", most=WIDTH - 40)
        return bottom + 54

    def _lines_and_dots(self, along: Callable[[float], float], at: Callable[[float], float]) -> None:
        """Draws lines, areas and dots."""
        kind = self._chart.kind
        for number, one in enumerate(self._chart.series if kind != "scatter" else ()):
            points = " L".join(f"{_attribute(along(x))} {_attribute(at(y))}" for x, y in one.points)
            if kind == "area":
                first, last, zero = (_attribute(v) for v in (along(one.points[0][0]), along(one.points[-1][0]), at(0)))
                path = f"M{first} {zero} L{points} L{last} {zero} Z"
                _add(self._svg, "path", d=path, fill_opacity=0.25, **_series(number))
            _add(self._svg, "path", d=f"M{points}", **_stroke(number))
        values = [*self._values()]
        radius = 4 if kind == "scatter" else 3 if len(values) <= 60 else 1.5
        for number, x, value in values:
            self._mark("circle", number, x, value, cx=along(x), cy=at(value), r=radius)

    def _pie(self) -> float:
        chart = self._chart
        points = [one for one in chart.series[0].points if one[1] > 0]
        whole, radius = math.fsum(value for _, value in points), 88
        x, y, end = 108.0, self._top + radius + 4, 0.0
        line = max(20.0, min(26.0, 2 * radius / len(points)))
        below = y - line * (len(points) - 1) / 2
        for number, (at, value) in enumerate(points):
            share = value / whole
            begin, end = end, end + share
            (x1, y1), (x2, y2) = (
                (x + radius * math.sin(math.tau * one), y - radius * math.cos(math.tau * one)) for one in (begin, end)
            )
            if len(points) == 1:
                self._mark("circle", number, at, value, cx=x, cy=y, r=radius)
            else:
                arc = f"A{radius} {radius} 0 {int(share > 0.5)} 1 {_attribute(x2)} {_attribute(y2)}"
                path = f"M{_attribute(x)} {_attribute(y)} L{_attribute(x1)} {_attribute(y1)} {arc} Z"
                self._mark("path", number, at, value, d=path, class_=f"s{number} slice", stroke="#ffffff")
            _add(self._svg, "rect", x=218, y=below - 6, width=12, height=12, rx=2, **_series(number))
            value_text = f"{self._number(value)} · {self._number(round(100 * share, 1))} %"
            most = WIDTH - 264 - _width(value_text)
            name = self._text(238, below + 4, self._label(at), _INK, most=most)
            self._text(238 + _width(name) + 12, below + 4, value_text, _SOFT)
            below += line
        return max(y + radius, below) + 16

    def _value_scale(self, begin: float, end: float) -> tuple[list[tuple[float, str]], Callable[[float], float]]:
        """The ticks of the values' scale with their labels, and a function from a value to its position.

        Args:
            begin: The position of the lowest tick.
            end: The position of the highest tick.
        """
        values = [value for _, _, value in self._values()]
        if self._chart.kind not in {"line", "scatter"}:
            values.append(0.0)
        marks = ticks(min(values), max(values))
        low, high = marks[0], marks[-1]
        share = (end - begin) / (high - low)
        return [(one, self._number(one)) for one in marks], lambda value: begin + (value - low) * share

    def _x_scale(self, left: float, right: float) -> tuple[Callable[[float], float], float]:
        """A function from an x to its position, and the width that is available for each x."""
        if self._chart.axis == "category":
            step = (right - left) / len(self._chart.labels)
            return lambda x: left + (x + 0.5) * step, step
        known = [x for _, x, _ in self._values()]
        low, high = min(known), max(known)
        left, width = left + 24, right - left - 48
        if low == high:
            return lambda _: left + width / 2, width
        return lambda x: left + (x - low) / (high - low) * width, width

    def _x_labels(self, step: float) -> Iterator[tuple[float, str]]:
        """Yields the labels under the plot, each with its x. Labels without enough room are left out."""
        if self._chart.axis == "category":
            labels = self._chart.labels
            each = math.ceil((min(_LABEL_WIDTH, max(map(_width, labels))) + 8) / step)
            yield from ((place, labels[place]) for place in range(0, len(labels), each))
            return
        known = sorted({x for _, x, _ in self._values()})
        if self._chart.axis == "number" and len(known) > 8:
            known = [x for x in ticks(known[0], known[-1], 8) if known[0] <= x <= known[-1]]
        place, end = self._x_scale(0, WIDTH - 80)[0], -math.inf
        room = 14 + max(_width(self._label(x)) for x in known)
        for x in known:
            if place(x) - end >= room:
                end = place(x)
                yield x, self._label(x)

    def _values(self) -> Iterator[tuple[int, float, float]]:
        """Yields the index of the series, the x and the value of each point."""
        for number, one in enumerate(self._chart.series):
            yield from ((number, x, value) for x, value in one.points)

    def _label(self, x: float) -> str:
        if self._chart.axis == "category":
            return self._chart.labels[int(x)]
        if self._chart.axis == "time":
            return (_EPOCH + timedelta(seconds=x)).strftime(self._time_format)
        # Years have no thousands separator.
        return str(int(x)) if x == int(x) and abs(x) < 10_000 else self._number(x)

    def _mark(self, tag: str, number: int, x: float, value: float, /, **attributes: Any) -> None:
        """Draws the shape of a value, with the value as its tooltip."""
        drawn = _add(self._svg, tag, **{**_series(number), **attributes})
        series = self._chart.series
        name = f", {series[number].name}" if len(series) > 1 else ""
        tooltip = f"{self._label(x)}{name}: {self._number(value)} {self._chart.unit}"
        ET.SubElement(drawn, "title").text = tooltip.strip()

    def _number(self, value: float) -> str:
        exact = int(value) if value == int(value) else float(f"{value:.10g}")
        return texts.number(exact, self._language)

    def _text(
        self, x: float, y: float, text: str, ink: tuple[str, str], *, anchor: str = "", size: int = 0, weight: int = 0,
        most: float = WIDTH,
    ) -> str:  # fmt: skip
        """Draws a text, cut to the width `most`; returns the text as drawn."""
        shown = _cut(text, most * _FONT_SIZE / (size or _FONT_SIZE))
        more = {"text_anchor": anchor, "font_size": size, "font_weight": weight}
        drawn = _add(self._svg, "text", x=x, y=y, class_=ink[0], color=ink[1], fill="currentColor",
                     **{name: value for name, value in more.items() if value})  # fmt: skip
        drawn.text = shown
        return shown


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers that span `low` to `high` in about `about` steps."""
    largest = max(abs(low), abs(high))
    if largest < _SMALLEST:
        low, high = -1.0, 1.0
    elif high - low <= largest * 1e-9:
        # If the numbers are almost equal, the scale includes zero.
        low, high = min(low, 0.0), max(high, 0.0)
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * min((1, 2, 2.5, 5, 10), key=lambda one: abs(math.log(one * power / rough)))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


def _time_format(moments: Sequence[float]) -> str:
    """The shortest format (month, day or minute) that distinguishes the moments.

    Args:
        moments: Seconds since 1970.
    """
    if all((_EPOCH + timedelta(seconds=one)).day == 1 and one % 86400 == 0 for one in moments):
        return "%Y-%m"
    return "%Y-%m-%d" if all(one % 86400 == 0 for one in moments) else "%Y-%m-%d %H:%M"


def _series(number: int) -> dict[str, Any]:
    return {"class_": f"s{number}", "color": _COLOURS[number], "fill": "currentColor"}


def _stroke(number: int) -> dict[str, Any]:
    dashes = {"stroke_dasharray": _DASHES[number]} if _DASHES[number] else {}
    return {**_series(number), "fill": "none", "stroke": "currentColor", "stroke_width": 2, **dashes}


def _add(parent: ET.Element, tag: str, /, **attributes: Any) -> ET.Element:
    written = {name.rstrip("_").replace("_", "-"): _attribute(value) for name, value in attributes.items()}
    return ET.SubElement(parent, tag, written)


def _attribute(value: Any) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def _width(text: str) -> float:
    return sum(_FONT_SIZE if unicodedata.east_asian_width(one) in "WF" else _LETTER_WIDTH for one in text)


def _cut(text: str, most: float) -> str:
    """Cuts a text to the width `most` at the font size `_FONT_SIZE`."""
    text = text[:WIDTH]
    if _width(text) <= most:
        return text
    room, kept = most - _LETTER_WIDTH, 0
    for one in text:
        room -= _width(one)
        if room < 0:
            break
        kept += 1
    return f"{text[:kept].rstrip()}…"
