"""Computations and charts that the Sandbox model asks for: by the words of the question, over the table that it has
seen.
"""

import json
from typing import Any

import pytest

from leaf import charts
from leaf.documents import Segment
from leaf.documents.tables import Cell, Source, engine
from sandbox.conversation import Call, Conversation, Message
from sandbox.model import brain, columns, questions, tables, words

SHEET = (
    "Date,City,Kind,Pieces,Amount EUR\n2026-01-03,Bonn,Juice,3,12.50\n2026-01-20,Bonn,Cider,4,20\n"
    "2026-02-02,Rome,Juice,1,7\n2026-03-09,Oslo,Juice,5,-4\n"
)
SOURCE = Source("f", "1", "Sales.csv", "csv", [Segment("sheet Sales", None, SHEET)])


def plan(source: Source, amount: str) -> tables.Plan:
    (table,) = engine.describe([source])["tables"]
    return tables.Plan(table, [one for one in table["columns"] if one["name"] == amount])


def drawn(text: str) -> charts.Chart:
    asked = tables.chart(questions.read(text), plan(SOURCE, "amount_eur"))
    assert asked is not None
    made = engine.compute([SOURCE], asked["query"])
    return charts.check(charts.Request.model_validate(asked["chart"]), made)


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("Draw a bar chart of the amounts by city", "bar", {"Bonn": 32.5, "Rome": 7, "Oslo": -4}),
        ("Draw a bar chart of the amounts by city and by line", "bar", {"Bonn": 32.5, "Rome": 7, "Oslo": -4}),
        ("Show the amounts as a pie chart by kind", "pie", {"Cider": 20, "Juice": 15.5}),
        ("Draw the amounts by pieces as a bar chart", "bar", {"1": 7, "3": 12.5, "4": 20, "5": -4}),
        ("Draw a line chart of the amounts by city", "line", [32.5, 7, -4]),
        ("Draw the amounts by year as a bar chart", "bar", [35.5]),
        ("Zeichne ein Balkendiagramm nach Kind und Line", "bar", {"Cider": 20, "Juice": 15.5}),
        ("Zeichne ein Säulendiagramm nach Kind", "bar", {"Cider": 20, "Juice": 15.5}),
        ("Zeig mir ein Liniendiagramm der Beträge", "line", [32.5, 7, -4]),
        ("Plot the amounts over time", "line", [32.5, 7, -4]),
        ("Area chart of the amounts", "area", [32.5, 7, -4]),
    ],
)
def test_the_words_choose_the_kind_and_the_column(text: str, kind: str, values: Any) -> None:
    assert words.find("chart", text)
    chart = drawn(text)
    assert chart.kind == kind
    points = [value for _, value in chart.series[0].points]
    assert (dict(zip(chart.labels, points, strict=True)) if isinstance(values, dict) else points) == values


def test_a_column_that_is_not_there_is_not_replaced_by_another() -> None:
    asked = questions.read("Draw the amounts by supplier as bars")
    assert tables.chart(asked, plan(SOURCE, "amount_eur")) is None


def test_a_line_over_names_keeps_the_order_of_the_file() -> None:
    sheet = "Month,Cost EUR\nJan,30\nFeb,10\nMar,20\nFeb,1\n"
    source = Source("f", "1", "Plan.csv", "csv", [Segment("sheet Plan", None, sheet)])
    asked = tables.chart(questions.read("Line chart of the cost by month"), plan(source, "cost_eur"))
    assert asked is not None
    made = engine.compute([source], asked["query"])
    assert made["rows"] == [["Jan", 30], ["Feb", 11], ["Mar", 20]]
    bars = tables.chart(questions.read("Show the cost per month as a bar chart"), plan(source, "cost_eur"))
    assert bars is not None
    assert engine.compute([source], bars["query"])["rows"] == made["rows"]


def test_a_pie_with_negative_values_is_asked_for_and_refused_rather_than_cut() -> None:
    with pytest.raises(charts.Refused, match="negative"):
        drawn("Show the amounts as a pie chart by city")


def test_a_scatter_chart_has_two_columns_of_numbers() -> None:
    chart = drawn("Scatter chart of the amounts")
    assert (chart.kind, chart.x, chart.y) == ("scatter", "Pieces", "Amount")
    assert len(chart.series[0].points) == 4


@pytest.mark.parametrize(
    "text",
    ["What did the helicopter charter cost?", "Which plot has the oldest trees?", "Wer zeichnete den Vertrag?",
     "What is the total of the budget?"],
)  # fmt: skip
def test_other_questions_ask_for_none(text: str) -> None:
    assert not words.find("chart", text)


def answered(*asked: str, sources: tuple[Source, ...]) -> tuple[str, list[dict[str, Any]]]:
    """The stand-in's answer to the last of these questions over these files, and the results of its computations."""
    files = [
        {
            "id": one.file_id,
            "name": one.name,
            "kind": one.kind.replace("xlsx", "excel"),
            "url": f"https://d.example/{one.file_id}",
        }
        for one in sources
    ]
    messages: list[Message] = []
    made: list[dict[str, Any]] = []
    for number, question in enumerate(asked):
        messages.append(Message("user", question))
        text = said(messages, made, files, sources, number)
    return text, made


def said(
    messages: list[Message],
    made: list[dict[str, Any]],
    files: list[dict[str, Any]],
    sources: tuple[Source, ...],
    at: int,
) -> str:
    for number in range(10):
        step = brain.decide(Conversation(tuple(messages), {"search_files": {}, "read_drive_file": {}, "compute": {}}))
        calls = tuple(Call(f"{at}-{number}-{place}", one.name, one.arguments) for place, one in enumerate(step.calls))
        messages.append(Message("assistant", step.text, calls))
        if not calls:
            return step.text
        for call in calls:
            output = called(call, files, sources, made)
            failed = "refused" in output
            messages.append(Message("tool", output["refused"] if failed else json.dumps(output), (), call.id, failed))
            made += [output] if call.name == "compute" and not failed else []
    raise AssertionError(made)


def called(
    call: Call, files: list[dict[str, Any]], sources: tuple[Source, ...], made: list[dict[str, Any]]
) -> dict[str, Any]:
    if call.name == "search_files":
        passages = [{"file_id": one.file_id, "text": one.segments[0].text[:600]} for one in sources]
        found = {"queries": call.arguments["queries"], "files": files, "passages": passages}
        return found | {"index": {}, "partial": False}
    if call.name == "read_drive_file":
        return {"skipped": {"id": "f", "name": "Sales.csv", "url": "", "reason": "It is closed."}}
    assert call.name == "compute", call
    wanted = [one for one in sources if any(one.file_id in reference for reference in call.arguments["files"])]
    cells = {cells[-1].name: cells for one in made if (cells := Cell.all_of(one))}
    earlier = [one.data() for name in call.arguments.get("cells", ()) for one in cells[name]]
    request = {"query": call.arguments.get("query"), "cells": earlier, "taken": [*cells]}
    output = engine.answer(request, [one.body() for one in wanted])
    if "chart" in call.arguments and "refused" not in output:
        try:
            charts.check(charts.Request.model_validate(call.arguments["chart"]), output)
        except charts.Refused as refused:
            return {"refused": refused.message}
    return {"files": files, **output, **({"chart": call.arguments["chart"]} if "chart" in call.arguments else {})}


def test_a_pie_that_cannot_be_drawn_becomes_bars_and_says_so() -> None:
    text, made = answered("Show the amount of the sales by city as a pie chart", sources=(SOURCE,))
    assert made[-1]["chart"]["kind"] == "bar"
    assert made[-1]["rows"] == [["Bonn", 32.5], ["Rome", 7], ["Oslo", -4]]
    assert "A pie cannot show these values" in text
    text, _ = answered("Zeig den Amount der Sales nach City als Kreisdiagramm", sources=(SOURCE,))
    assert "Ein Kreis kann diese Werte nicht" in text


def test_a_column_whose_word_is_in_the_name_of_the_file_is_computed() -> None:
    sheet = "City,Cost EUR,Hours\nBonn,30,1\nUlm,10,2\n"
    source = Source("costs", "1", "Cost of heating.csv", "csv", [Segment("all", None, sheet)])
    text, made = answered("What is the total cost of heating?", sources=(source,))
    assert made[-1]["rows"] == [[40]]
    assert "40 EUR" in text


def test_a_question_builds_on_the_sum_before_it() -> None:
    """It reads the earlier result by its name."""
    asked = ("What is the total amount of the sales?", "And without Bonn?")
    text, made = answered(*asked, sources=(SOURCE,))
    assert made[-1]["rows"] == [[3]]
    assert [one["name"] for one in made[-1]["cells"]] == ["result"]
    assert "**3 EUR**" in text
    text, _ = answered(asked[0], "Und ohne Oslo?", sources=(SOURCE,))
    assert "**39,5 EUR**" in text
    # What stands in no row is no arithmetic.
    _, made = answered(asked[0], "And without Paris?", sources=(SOURCE,))
    assert all("cells" not in one for one in made)


def test_prices_are_no_pieces() -> None:
    """000-21."""
    text = "Article,Price EUR,Stock\nLamp,12.50,30\nChair,80,7\n"
    source = Source("f", "1", "List.csv", "csv", [Segment("sheet List", None, text)])
    (table,) = engine.describe([source])["tables"]
    question = questions.read("How many pieces are in stock in total, over all prices?")
    assert [one["name"] for one in columns.named(question, "sum", table)] == ["stock"]


FUEL = Source(
    "fuel", "1", "Fuel log.csv", "csv",
    [Segment("all", None, "Date,Driver,Kind,Litres,Cost EUR\n2026-01-03,Ann,Car,40,70.50\n2026-02-01,Ben,Car,50,90\n"
    "2026-03-07,Ann,Van,30,54.5\n2025-12-30,Cem,Van,20,35\n")],
)  # fmt: skip
GASTOS = Source(
    "gastos", "1", "Gastos.csv", "csv",
    [Segment("all", None, "Fecha;Ciudad;Importe (€)\n03/01/2026;Bilbao;120,50\n14/02/2026;Cádiz;80,00\n"
    "20/02/2026;Bilbao;99,50\n02/03/2026;Soria;200,00\n")],
)  # fmt: skip


@pytest.mark.parametrize(
    ("source", "asked", "rows"),
    [
        (FUEL, "What is the total cost in the fuel log without Ann?", [[125]]),
        (FUEL, "What is the total cost in the fuel log without Ann and Ben?", [[35]]),
        (FUEL, "What is the total cost in the fuel log without Ann or van?", [[90]]),
        (FUEL, "What is the total cost in the fuel log for Ann and Ben?", [[215]]),
        (FUEL, "What is the total cost in the fuel log of Ann for the kind van?", [[54.5]]),
        (FUEL, "What is the total cost in the fuel log in January 2026?", [[70.5]]),
        (FUEL, "What is the total cost in the fuel log in January and February 2026?", [[160.5]]),
        (FUEL, "What is the total cost in the fuel log in 2025 and 2026?", [[250]]),
        (FUEL, "What is the total cost in the fuel log since February 2026?", [[144.5]]),
        (FUEL, "What is the total cost in the fuel log between January and February 2026?", [[160.5]]),
        (FUEL, "What is the total cost in the fuel log until February 2026?", [[195.5]]),
        (FUEL, "What is the total cost in the fuel log after January 2026?", [[144.5]]),
        (FUEL, "What is the total cost in the fuel log before 3 January 2026?", [[35]]),
        (FUEL, "What is the total cost in the fuel log in Q1 2026?", [[215]]),
        (FUEL, "What is the total cost in the fuel log in the fourth quarter of 2025?", [[35]]),
        (FUEL, "What is the total cost in the fuel log on 7 March 2026?", [[54.5]]),
        (FUEL, "What is the total cost in the fuel log from 30 December 2025 to 3 January 2026?", [[105.5]]),
        (FUEL, "Wie hoch sind die Cost im Fuel log insgesamt vom 3. Januar bis zum 7. März 2026?", [[215]]),
        (FUEL, "How much higher is the cost in Q1 2026 than in Q4 2025 in the fuel log?", [[180]]),
        (FUEL, "What is the total cost in the fuel log by driver?", [["Ann", 125], ["Ben", 90], ["Cem", 35]]),
        (FUEL, "Wie hoch sind die Cost im Fuel log insgesamt seit Februar 2026?", [[144.5]]),
        (GASTOS, "¿Cuál es el total de los gastos por ciudad?", [["Bilbao", 220], ["Soria", 200], ["Cádiz", 80]]),
        (GASTOS, "¿Cuál es el importe máximo de los gastos?", [["Soria", 200]]),
        (GASTOS, "¿Cuál es el total de los gastos sin Bilbao ni Soria?", [[80]]),
    ],
)
def test_the_rows_of_a_result_are_those_that_the_question_names(source: Source, asked: str, rows: list[Any]) -> None:
    """000-21."""
    _, made = answered(asked, sources=(source,))
    found = made[-1]["rows"]
    # The column beside a maximum is the first one that is no number.
    assert [one[-len(rows[0]) :] for one in found] == rows or [one[-1] for one in found] == [one[-1] for one in rows]


@pytest.mark.parametrize(
    "asked",
    [
        "What is the total cost in the fuel log between 3 January and 7 March?",
        "What is the total cost in the fuel log on 31 February 2026?",
        "What is the total cost in the fuel log in the first half of 2026?",
        "What is the total cost in the fuel log without Zoe?",
        "What is the total cost in the fuel log without Ann and Zoe?",
        "What is the total cost of Zoe in the fuel log?",
    ],
)
def test_rows_that_no_rule_can_tell_are_not_replaced_by_all(asked: str) -> None:
    """000-21."""
    _, made = answered(asked, sources=(FUEL,))
    assert all(not one.get("query") or "LIMIT" in one["query"] for one in made)


@pytest.mark.parametrize("without", ["¿Y sin Bilbao?", "Et sans Bilbao ?", "E senza Bilbao?"])
def test_what_is_left_out_of_the_sum_before_is_known_in_five_languages(without: str) -> None:
    """000-21."""
    _, made = answered("¿Cuál es el total de los gastos?", without, sources=(GASTOS,))
    assert made[-1]["rows"] == [[280]]


@pytest.mark.parametrize("cell", ["=B2*5", "etwa 20"])
def test_no_other_column_stands_for_one_that_is_none_of_numbers(cell: str) -> None:
    sheet = f"Item,Qty,Amount\nA,2,{cell}\nB,3,{cell}1\n"
    source = Source("f", "1", "Dover.csv", "csv", [Segment("all", None, sheet)])
    (table,) = engine.describe([source])["tables"]
    asked = questions.read("What is the sum of Amount in Dover?")
    assert columns.named(asked, "sum", table) == []
    (other,) = columns.named(questions.read("What is the sum of Qty in Dover?"), "sum", table)
    assert other["name"] == "qty"
