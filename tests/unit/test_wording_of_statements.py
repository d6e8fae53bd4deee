"""Formulas of computations are told in words, with the names and conditions that people know from their sheet."""

import pytest

from leaf.citations import figures
from leaf.documents.model import Segment
from leaf.documents.tables import Cell, Source, engine

_ROWS = """Order;Date;City;Customer;Total EUR
1;2026-01-05;Berlin;Hotel Adler;100
2;2026-02-07;Lyon;;20
3;2026-02-09;Berlin;Roth;7
"""
_SOURCE = Source("file", "1", "orders.csv", "csv", [Segment("all", None, _ROWS)])
_CASES = {
    "SELECT sum(total_eur) FROM orders WHERE city ILIKE 'Berlin'": (
        "sum of Total EUR (City = “Berlin”) = 107 EUR",
        "Summe von Total EUR (City = „Berlin“) = 107 EUR",
    ),
    "SELECT coalesce(sum(total_eur), 0) FROM orders WHERE city = 'Berlin' AND NOT customer ILIKE '%adler%'": (
        "sum of Total EUR (City = “Berlin” and Customer ≠ “*adler*”) = 7 EUR",
        "Summe von Total EUR (City = „Berlin“ und Customer ≠ „*adler*“) = 7 EUR",
    ),
    "SELECT avg(total_eur) FROM orders WHERE (lower(city) = 'lyon' OR customer LIKE 'Roth%')": (
        "average of Total EUR (City = “lyon” or Customer = “Roth*”) = 13.5 EUR",
        "Durchschnitt von Total EUR (City = „lyon“ oder Customer = „Roth*“) = 13,5 EUR",
    ),
    "SELECT count(*) FROM orders WHERE customer IS NOT NULL AND date >= DATE '2026-02-01'": (
        "number of rows (Customer is not empty and Date ≥ “2026-02-01”) = 1",
        "Anzahl der Zeilen (Customer ist nicht leer und Date ≥ „2026-02-01“) = 1",
    ),
    "SELECT count(*) FROM orders WHERE city IN ('Lyon', 'Oslo') AND customer IS NULL": (
        "number of rows (City = “Lyon” or “Oslo” and Customer is empty) = 1",
        "Anzahl der Zeilen (City = „Lyon“ oder „Oslo“ und Customer ist leer) = 1",
    ),
    "SELECT date_trunc('month', date) AS part, sum(total_eur) FROM orders GROUP BY 1 ORDER BY 1": (
        "month of Date; sum of Total EUR",
        "Monat von Date; Summe von Total EUR",
    ),
    "SELECT year(date) AS part, sum(total_eur) FILTER (WHERE city <> 'Lyon') FROM orders GROUP BY 1": (
        "year of Date; sum of Total EUR (City ≠ “Lyon”)",
        "Jahr von Date; Summe von Total EUR (City ≠ „Lyon“)",
    ),
}


@pytest.mark.parametrize("query", _CASES)
def test_a_formula_has_the_names_of_the_sheet_and_no_sql(query: str) -> None:
    """# 000-21"""
    made = engine.compute([_SOURCE], query)
    assert (figures.words_of(made, "en"), figures.words_of(made, "de")) == _CASES[query]


def test_a_formula_built_on_another_one_names_it() -> None:
    """# 000-21"""
    first = "SELECT sum(total_eur) AS result FROM orders"
    query = "SELECT (SELECT result FROM total) - (SELECT sum(total_eur) FROM orders WHERE city = 'Lyon') AS result"
    made = engine.compute([_SOURCE], query, cells=[Cell("total", first, ("file",))])
    assert made["formula"]["en"] == "result of “total” − sum of Total EUR"


def test_a_condition_that_was_stored_in_sql_is_still_shown() -> None:
    """# 000-21"""
    stored = {"formula": {"en": "number of rows"}, "tables": [{"condition": "city = 'Lyon'"}]}
    assert figures.words_of(stored, "en") == "number of rows (city = 'Lyon')"
