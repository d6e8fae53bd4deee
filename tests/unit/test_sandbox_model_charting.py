"""Charts that the Sandbox model asks for: by the words of the question, over the table that it has seen."""

import re
from typing import Any

import pytest

from leaf import charts
from leaf.documents import Segment
from leaf.documents.tables import Source, engine
from sandbox.model import charting, questions

SHEET = (
    "Date,City,Kind,Pieces,Amount EUR\n2026-01-03,Bonn,Juice,3,12.50\n2026-01-20,Bonn,Cider,4,20\n"
    "2026-02-02,Rome,Juice,1,7\n2026-03-09,Oslo,Juice,5,-4\n"
)
SOURCE = Source("f", "1", "Sales.csv", "csv", [Segment("sheet Sales", None, SHEET)])


def drawn(text: str, *, by: str = "") -> charts.Chart:
    (table,) = engine.describe([SOURCE])["tables"]
    amounts = [one for one in table["columns"] if one["name"] == "amount_eur"]
    fit = {one["name"]: float(one["name"] == by) for one in table["columns"]}
    asked: dict[str, Any] | None = charting.arguments(questions.read(text), table, amounts, fit)
    assert asked is not None
    made = engine.compute([SOURCE], asked["query"])
    return charts.check(charts.Request.model_validate(asked["chart"]), made)


@pytest.mark.parametrize(
    ("text", "by", "kind", "values"),
    [
        ("Draw a bar chart of the amounts by city", "city", "bar", {"Bonn": 32.5, "Rome": 7, "Oslo": -4}),
        ("Draw a bar chart of the amounts by city and by line", "city", "bar", {"Bonn": 32.5, "Rome": 7, "Oslo": -4}),
        ("Show the amounts as a pie chart", "city", "pie", {"Bonn": 32.5, "Rome": 7}),
        ("Zeichne ein Balkendiagramm nach Kind und Line", "kind", "bar", {"Cider": 20, "Juice": 15.5}),
        ("Zeichne ein Säulendiagramm nach Kind", "kind", "bar", {"Cider": 20, "Juice": 15.5}),
        ("Zeig mir ein Liniendiagramm der Beträge", "", "line", [32.5, 7, -4]),
        ("Plot the amounts over time", "", "line", [32.5, 7, -4]),
        ("Area chart of the amounts", "date", "area", [32.5, 7, -4]),
    ],
)
def test_the_words_choose_the_kind_and_the_column(text: str, by: str, kind: str, values: Any) -> None:
    assert charting.is_asked(questions.read(text))
    chart = drawn(text, by=by)
    assert chart.kind == kind
    points = [value for _, value in chart.series[0].points]
    assert (dict(zip(chart.labels, points, strict=True)) if isinstance(values, dict) else points) == values


def test_a_scatter_chart_has_two_columns_of_numbers() -> None:
    chart = drawn("Scatter chart of the amounts")
    assert (chart.kind, chart.x, chart.y) == ("scatter", "Pieces", "Amount EUR")
    assert len(chart.series[0].points) == 4


@pytest.mark.parametrize(
    "text",
    ["What did the helicopter charter cost?", "Which plot has the oldest trees?", "Wer zeichnete den Vertrag?",
     "What is the total of the budget?"],
)  # fmt: skip
def test_other_questions_ask_for_none(text: str) -> None:
    assert not charting.is_asked(questions.read(text))


def test_the_words_for_a_chart_are_not_looked_for_in_files() -> None:
    question = charting.without_words(questions.read("Draw a bar chart of the operating budget by line"))
    assert re.search("budget", " ".join(question.subject))
    assert not {"draw", "bar", "chart"} & question.subject.keys()
