"""Charts: a request is checked against its result, and drawn as shapes in which no text becomes markup."""

import base64
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from leaf import charts, texts
from leaf.charts.drawing import ticks
from leaf.citations import redaction
from leaf.parts.portable import markdown
from leaf.parts.portable.format import Message, Tool
from leaf.texts import LANGUAGES

KINDS: tuple[charts.Kind, ...] = ("bar", "line", "area", "scatter", "pie")
HOSTILE = '</text><script>alert(1)</script><image href="https://x.example/"/>&lt;"\' ]]>\u202e\x00\x1b'
SHAPES = {"svg", "rect", "line", "path", "circle", "text", "title"}
ATTRIBUTES = re.compile(
    r"xmlns|viewBox|width|height|role|aria-label|class|color|fill|fill-opacity|stroke|stroke-width|stroke-dasharray"
    r"|font-(?:family|size|weight)|text-anchor|x|y|rx|r|cx|cy|d|[xy][12]"
)


def result(columns: dict[str, str], *rows: list[Any], more: bool = False) -> dict[str, Any]:
    return {"columns": [{"name": name, "unit": unit} for name, unit in columns.items()], "rows": [*rows], "more": more}


COSTS = result({"city": "", "cost": "EUR"}, ["Bonn", 12], ["Berlin", 1200.5], ["Rome", None])


def asked(kind: str = "bar", x: str = "city", y: str = "cost", **more: Any) -> charts.Request:
    return charts.Request.model_validate({"kind": kind, "x": x, "y": y.split(), "title": "Costs", **more})


def drawn(request: charts.Request, output: dict[str, Any]) -> str:
    chart = charts.check(request, output)
    return charts.markup(charts.picture(chart, "en", charts.summary(chart, texts.of("en"))))


def shapes(svg: str) -> list[ET.Element]:
    return [*ET.fromstring(svg).iter()]  # noqa: S314 - drawn by Leaf


def test_a_chart_shows_the_values_of_its_result() -> None:
    chart = charts.check(asked(), COSTS)
    assert (chart.labels, chart.series[0].points, chart.left_out) == (
        ["Bonn", "Berlin", "Rome"],
        [(0, 12), (1, 1200.5)],
        1,
    )
    svg = drawn(asked(), COSTS)
    marks = [one.text for one in shapes(svg) if one.tag.endswith("title")]
    assert marks == ["Bonn: 12 EUR", "Berlin: 1,200.5 EUR"]


@pytest.mark.parametrize("header", ["Revenue EUR", "Revenue (EUR)", "Revenue"])
def test_a_chart_names_a_unit_once(header: str) -> None:
    """The unit stands beside the name of its column. # 000-63"""
    output = result({"city": "", "cost": "EUR"}, ["Bonn", 12], ["Rome", 7])
    output["columns"][1]["label"] = header
    assert charts.check(asked(), output).y == "Revenue"


def test_bars_are_as_long_as_their_values() -> None:
    output = result({"city": "", "cost": ""}, ["Long names lie", 10], ["The other", -5], ["Nothing", 0])
    bars = [one for one in shapes(drawn(asked(), output)) if one.find("{*}title") is not None]
    first, second, third = (float(one.attrib["width"]) for one in bars)
    assert first == pytest.approx(2 * second, abs=0.2)
    assert third == 1
    assert float(bars[1].attrib["x"]) + second == pytest.approx(float(bars[0].attrib["x"]), abs=0.2)


def test_several_columns_and_a_column_of_names_are_series() -> None:
    wide = result({"month": "", "a": "", "b": ""}, ["2026-01-01", 1, 2], ["2026-02-01", 3, None])
    chart = charts.check(asked("line", "month", "a b"), wide)
    assert (chart.axis, [one.name for one in chart.series]) == ("time", ["a", "b"])
    assert [len(one.points) for one in chart.series] == [2, 1]
    tall = result(
        {"month": "", "v": "", "of": ""}, ["2026-02-01", 1, "x"], ["2026-01-01", 2, "x"], ["2026-01-01", 3, "y"]
    )
    chart = charts.check(asked("area", "month", "v", series="of"), tall)
    assert [(one.name, [value for _, value in one.points]) for one in chart.series] == [("x", [2, 1]), ("y", [3])]


@pytest.mark.parametrize(
    ("request_", "output", "why"),
    [
        (asked(x="town"), COSTS, "no column “town”. Its columns: city, cost"),
        (asked(y="city cost", x="city"), COSTS, "each column once"),
        (asked(y="cost", series="city", x="cost"), COSTS, "each column once"),
        (asked(y="a b", series="c"), COSTS, "one column as `y` beside `series`"),
        (asked(x="cost", y="city"), COSTS, "“city” has values that are no numbers, such as “Bonn”"),
        (asked(), {**COSTS, "more": True}, "Group the rows"),
        (asked(), result({"city": "", "cost": ""}), "no values"),
        (asked(), result({"city": "", "cost": ""}, ["Bonn", None]), "no values"),
        (asked(), result({"city": "", "cost": ""}, ["Bonn", float("nan")]), "no numbers, such as “nan”"),
        (asked(), result({"city": "", "cost": ""}, ["Bonn", float("inf")]), "no numbers, such as “inf”"),
        (asked(), result({"city": "", "cost": ""}, ["Bonn", True]), "no numbers"),
        (asked(), result({"city": "", "cost": ""}, ["Bonn", 1e300]), "numbers above 1e+15"),
        (asked(), result({"city": "", "cost": ""}, ["Bonn", 1], ["Bonn", 2]), "“city” has a value in several rows"),
        (asked(y="a b"), result({"city": "", "a": "EUR", "b": "%"}, ["Bonn", 1, 2]), "different units"),
        (asked("scatter"), COSTS, "two columns of numbers"),
        (asked("pie"), result({"city": "", "cost": ""}, ["Bonn", 1], ["Rome", -2]), "negative values"),
        (asked("pie"), result({"city": "", "cost": ""}, ["Bonn", 0]), "All values are zero"),
        (asked("pie"), result({"city": "", "cost": ""}, *([str(one), 1] for one in range(13))), "12 parts at most"),
        (asked("pie", y="a b"), result({"city": "", "a": "", "b": ""}, ["Bonn", 1, 2]), "shows one column"),
        (asked(series="s"), result({"city": "", "cost": "", "s": ""}, *(["x", 1, str(at)] for at in range(9))),
         "8 series at most"),
        (asked(y="a b c"), result({"city": "", **dict.fromkeys("abc", "")}, *([one, 1, 2, 3] for one in range(200))),
         "more than 500 points"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_with_a_sentence(
    request_: charts.Request, output: dict[str, Any], why: str
) -> None:
    with pytest.raises(charts.Refused, match=re.escape(why)):
        charts.check(request_, output)


@pytest.mark.parametrize("change", [{"kind": "vega"}, {"y": []}, {"title": "x" * 121}, {"spec": {}}, {"y": ["a"] * 9}])
def test_a_request_has_no_other_fields_and_kinds(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        charts.Request.model_validate({"kind": "bar", "x": "a", "y": ["b"], "title": "T", **change})


@pytest.mark.parametrize("kind", KINDS)
def test_texts_of_files_and_models_never_become_markup(kind: str) -> None:
    """Titles, names of columns, categories, series and units: no element and no attribute comes of them."""
    x: list[Any] = [1, 2] if kind == "scatter" else [HOSTILE, HOSTILE + "2"]
    output = result({HOSTILE: "", "v": HOSTILE, "s": ""}, [x[0], 1, HOSTILE], [x[1], 2, "other"])
    series = None if kind == "pie" else "s"
    request = charts.Request(kind=kind, x=HOSTILE, y=["v"], series=series, title=HOSTILE)  # pyright: ignore[reportArgumentType]
    svg = drawn(request, output)
    for one in shapes(svg):
        assert one.tag.rpartition("}")[2] in SHAPES
        assert all(ATTRIBUTES.fullmatch(name.rpartition("}")[2]) for name in one.attrib), one.attrib
    assert "<script" not in svg
    assert not {"\u202e", "\x00", "\x1b"} & {*svg}
    outside = [value for one in shapes(svg) for name, value in one.attrib.items() if name != "aria-label"]
    assert not any("x.example" in value or "url(" in value for value in outside)


CELLS = st.one_of(st.none(), st.integers(-(10**15), 10**15), st.floats(), st.booleans(), st.text(max_size=20))


@given(
    kind=st.sampled_from(KINDS), language=st.sampled_from([*LANGUAGES]), title=st.text(max_size=120),
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS).map(list), max_size=12), series=st.sampled_from([None, "c"]),
)  # fmt: skip
def test_any_result_is_drawn_or_refused(
    kind: charts.Kind, language: str, title: str, rows: list[list[Any]], series: str | None
) -> None:
    request = charts.Request(kind=kind, x="a", y=["b"], series=series, title=title)
    output = result({"a": "", "b": "kg", "c": ""}, *rows)
    try:
        chart = charts.check(request, output)
    except charts.Refused:
        return
    picture = charts.picture(chart, language, charts.summary(chart, texts.of(language)))
    assert all("nan" not in value and "inf" not in value for one in picture.iter() for name, value in one.attrib.items()
               if name in {"x", "y", "d", "width", "height", "viewBox", "cx", "cy"})  # fmt: skip
    assert shapes(charts.markup(picture))
    tag, attributes, _, children = charts.node(picture)
    assert tag == "svg"
    assert {"className", "fontSize", "aria-label"} <= attributes.keys()
    # Pages draw shapes, and a tooltip in them; nothing lies deeper (`leaf.components.displays`).
    assert {shape[0] for shape in children} <= {"rect", "line", "path", "circle", "text"}
    assert all(inner[0] == "title" and not inner[3] for shape in children for inner in shape[3])


@given(st.floats(-1e15, 1e15), st.floats(-1e15, 1e15))
@example(0.0, 5e-324)
@example(0.0, 0.0)
@example(-999999999999500.0, -999999999999501.0)
def test_a_scale_has_few_round_marks_around_its_values(one: float, other: float) -> None:
    low, high = sorted((one, other))
    marks = ticks(low, high)
    room = (high - low) * 1e-6
    assert marks[0] <= low + room
    assert marks[-1] >= high - room
    assert 2 <= len(marks) <= 8
    assert len({*marks}) == len(marks)


def test_a_scale_ends_close_to_its_values() -> None:
    """Bars fill most of their chart: the marks above 410 are 500, not 600."""
    assert ticks(0, 410) == [0, 100, 200, 300, 400, 500]
    assert ticks(0, 1_090_000) == [0, 250_000, 500_000, 750_000, 1_000_000, 1_250_000]


def test_a_stored_output_that_does_not_fit_has_no_chart() -> None:
    request = asked().model_dump()
    assert charts.of({**COSTS, "chart": request}) is not None
    for broken in (None, [], {}, {"chart": request}, {**COSTS, "chart": {}}, {**COSTS, "chart": request, "rows": [1]}):
        assert charts.of(broken) is None


def test_a_chart_goes_with_the_files_that_google_refuses() -> None:
    output = {**COSTS, "chart": asked().model_dump(), "tables": [{"file_id": "f"}]}
    assert charts.of(redaction.output_without(output, {"f": "refused"})) is None


def test_a_chart_stands_in_markdown_as_a_picture_over_its_values() -> None:
    call = Tool(
        name="compute", state="done", input={}, output={**COSTS, "chart": asked(title="Cost | [x](y)").model_dump()}
    )
    message = Message.model_validate(
        {"id": "1", "parent": None, "role": "assistant", "at": "2026-01-01T00:00:00Z", "parts": [call]}
    )
    written = markdown.message(message, "en")
    found = re.search(r"^!\[(.*)\]\(data:image/svg\+xml;base64,([\w+/=]+)\)$", written, re.MULTILINE)
    assert found is not None
    assert found[1].startswith(r"Bar chart: Cost \| \[x\](y). cost by city: 2 values, from 12 EUR to 1,200.5 EUR.")
    assert base64.b64decode(found[2]).startswith(b"<svg ")
    assert "| city | cost (EUR) |\n| --- | --- |\n| Bonn | 12 |\n| Berlin | 1,200.5 |\n| Rome | – |" in written
