"""The same quantity or day in other units and ways of writing is no conflict. 000-21."""

from typing import Any

import pytest

from leaf.citations import conflicts
from leaf.citations.compared_files import File
from leaf.citations.quote_search import Passage

HEADS = ("Inventory Maple House\n\n", "Report Maple House\n\n")


def found(question: str, *sentences: str) -> list[dict[str, Any]]:
    """The conflicts of an answer that quotes the first of two sentences, each of a file of its own."""
    files = [
        File(name, name, f"https://d.example/{name}", f"2026-0{month}-03", [Passage("all", head + text)], whole=True)
        for month, name, head, text in zip((5, 9), ("A.pdf", "B.docx"), HEADS, sentences, strict=True)
    ]  # fmt: skip
    return conflicts.found(question, ["As the file says."], [("A.pdf", sentences[0])], files)


@pytest.mark.parametrize(
    ("question", "first", "second", "other"),
    [
        (
            "How many chairs are there?",
            "There are 69 chairs in the hall.",
            "It is 69 pieces, chairs in the hall.",
            "There are 96 chairs in the hall.",
        ),
        (
            "How long is the cable?",
            "The cable is 1.5 m long.",
            "The cable is 150 cm long.",
            "The cable is 15 cm long.",
        ),
        (
            "How long is the cable?",
            "The cable is 150 cm long.",
            "The cable is 1.5 metres long.",
            "The cable is 2 m long.",
        ),
        (
            "How warm is the store?",
            "The store is kept at 4 °C.",
            "The store is kept at 39.2 °F.",
            "The store is kept at 8 °C.",
        ),
        (
            "When does the lease end?",
            "The lease ends on 31 March 2027.",
            "The lease ends on 31.3.27.",
            "The lease ends on 30.4.27.",
        ),
        (
            "When does the lease end?",
            "The lease ends on 2027-03-31.",
            "The lease ends on March 31st, 2027.",
            "The lease ends on 2028-03-31.",
        ),
        (
            "How much power?",
            "The plant delivers 1.5 MW.",
            "The plant delivers 1,500 kW.",
            "The plant delivers 1,800 kW.",
        ),
        (
            "How big is the disk?",
            "The disk holds 2 TB.",
            "The disk holds 2,000 GB.",
            "The disk holds 500 GB.",
        ),
        (
            "How much water?",
            "The tank holds 3.6 m³ of water.",
            "The tank holds 3,600 litres of water.",
            "The tank holds 6,300 litres of water.",
        ),
        (
            "How much is the budget?",
            "The budget is 1.25 million euros.",
            "The budget is €1,249,800.",
            "The budget is €1,520,000.",
        ),
        (
            "How big is the area?",
            "The area is 249.63 m².",
            "The area is 249.6 m².",
            "The area is 294.6 m².",
        ),
    ],
)
def test_only_another_quantity_is_a_conflict(question: str, first: str, second: str, other: str) -> None:
    assert not found(question, first, second)
    assert found(question, first, other)
