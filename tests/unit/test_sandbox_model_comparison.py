"""The stand-in model compares the files that a question names, in four languages, and leaves other questions alone."""

import json
from typing import Any

import pytest

from sandbox.conversation import Call, Conversation, Message, Step
from sandbox.model import comparison, questions

TOOLS: dict[str, dict[str, Any]] = {"search_files": {}, "read_drive_file": {}, "compare_files": {}}
FILES = [
    {"id": name, "name": name, "kind": "text", "url": f"https://drive.google.com/file/d/{number}/view"}
    for number, name in enumerate(("Price list 2023", "Price list 2026", "Transport agreement", "Transportvertrag",
                                   "Contrat de transport", "Acuerdo de alquiler"))
]  # fmt: skip
FOUND = {"queries": ["x"], "files": FILES, "passages": []}


def step(question: str, *results: tuple[str, dict[str, Any]]) -> Step | None:
    messages = [Message("user", question)]
    for number, (tool, output) in enumerate(results):
        messages += [
            Message("assistant", calls=(Call(f"c{number}", tool, {}),)),
            Message("tool", json.dumps(output), call_id=f"c{number}"),
        ]
    return comparison.step(Conversation(tuple(messages), TOOLS), questions.read(question))


@pytest.mark.parametrize(
    ("question", "names", "more"),
    [
        ("Compare the price list 2023 and the price list 2026", [0, 1], {}),
        ("What is the difference between price list 2026 and price list 2023 on crates?", [1, 0], {"on": "crates"}),
        ("Compare the rent in the transport agreement with the rent in the price list 2026", [2, 1], {"on": "rent"}),
        ("Vergleiche Price list 2023 mit Price list 2026", [0, 1], {}),
        ("Quelles sont les différences entre Price list 2023 et Price list 2026 ?", [0, 1], {}),
        ("¿Cuáles son las diferencias entre Price list 2023 y Price list 2026?", [0, 1], {}),
        ("What has changed in the transport agreement since 2025-10-10?", [2],
         {"versions": ["2025-10-10", "current"]}),
        ("Was hat sich im Transportvertrag geändert?", [3], {}),
        ("Qu'est-ce qui a changé dans le contrat de transport ?", [4], {}),
        ("¿Qué ha cambiado en el acuerdo de alquiler?", [5], {}),
    ],
)  # fmt: skip
def test_a_question_names_its_files(question: str, names: list[int], more: dict[str, Any]) -> None:
    searched = step(question)
    assert searched is not None
    assert searched.calls[0].name == "search_files"
    found = step(question, ("search_files", FOUND))
    assert found is not None
    (call,) = found.calls
    assert call.name == "compare_files"
    assert call.arguments == {"files": [FILES[at]["url"] for at in names], **more}


@pytest.mark.parametrize(
    "question",
    [
        "Compare the price of Northwind Crisp in the price list 2026 with the Greenleaf framework contract.",
        "Compare the weather and the tides",
        "How long is the notice period of the transport agreement?",
    ],
)
def test_other_questions_go_the_usual_way(question: str) -> None:
    """Also those that compare two figures, and name no two files by their words alone."""
    assert step(question, ("search_files", FOUND)) is None


def test_the_answer_quotes_both_sides() -> None:
    columns = [{"file_id": one["id"], "name": one["name"], "url": one["url"]} for one in FILES[:2]]
    cells = [{"part": "page 1", "quote": f"A crate costs €{price}.", "value": f"€{price}"} for price in (4, 5)]
    output = {
        "files": FILES[:2], "compared": columns, "differences": 2, "same": 3, "notes": [{"text": "Cut."}],
        "rows": [
            {"kind": "value", "about": "Crates", "cells": cells},
            {"kind": "only", "about": "Lids", "cells": [None, {"part": "", "quote": "A lid is free.", "value": ""}]},
        ],
    }  # fmt: skip
    made = step(
        "Compare the price list 2023 and the price list 2026", ("search_files", FOUND), ("compare_files", output)
    )
    assert made is not None
    assert "- **Crates** Price list 2023: €4[^1] · Price list 2026: €5[^2]" in made.text
    assert f"[^2]: “A crate costs €5.” — [Price list 2026]({FILES[1]['url']}), page 1" in made.text
    assert "- **Lids** Price list 2023: – · Price list 2026: A lid is free.[^3]" in made.text
    skipped = step("Compare a and b", ("search_files", FOUND), ("compare_files", {"skipped": {"reason": "No access."}}))
    assert skipped is not None
    assert skipped.text.startswith("No access.")
