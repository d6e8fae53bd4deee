"""A question that asks several things: its parts are listed before the search and judged after the answer."""

import json
from typing import Any

import pytest

from leaf.citations.subquestions import SUBQUESTIONS
from leaf.db import Actor
from leaf.services.library import progress
from sandbox import corpus
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.stack import Sandbox, until
from tests.acceptance.test_checked_answers import MODEL, contracts  # noqa: F401 - the fixture is used by its name
from tests.acceptance.workers import Crew

HALVES = "Which day does the lease end on? And what does a tray cost?"


def _script(*steps: Any) -> str:
    return f"{HALVES}\n```json\n{json.dumps(steps)}\n```"


@pytest.mark.usefixtures("contracts")
async def test_the_parts_are_listed_first_and_an_unanswered_one_is_named(
    crew: Crew, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """The list precedes all calls, and its states replace it once the answer is there."""
    await crew.of(1)
    lease = corpus.opaque_id("folder Cold store lease.md")
    calls = [{"name": "read_drive_file", "arguments": {"file": lease}}]
    said = (
        "The lease ends on the last day of the year.[^1]\n\n"
        f'[^1]: "The lease ends on the last day of the year" — [Lease]({sandbox.url}/file/d/{lease}/view)\n'
    )
    turn = await ask(ada, _script({"text": "", "calls": calls}, {"text": said}), model=MODEL)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    kinds = [chunk["type"] for chunk in reader.chunks]
    assert kinds.index("start") < kinds.index(SUBQUESTIONS) < kinds.index("tool-input-available")
    first = next(chunk for chunk in reader.chunks if chunk["type"] == SUBQUESTIONS)
    assert [one["state"] for one in first["data"]["asked"]] == ["open", "open"]
    (part,) = [one for one in stored.parts if one["type"] == SUBQUESTIONS]
    assert [(one["text"], one["state"]) for one in part["data"]["asked"]] == [
        ("Which day does the lease end on?", "answered"),
        ("And what does a tray cost?", "unanswered"),
    ]


@pytest.mark.usefixtures("worker", "indexing")
async def test_the_stand_in_model_answers_both_halves(ada: Actor, ask: Ask) -> None:
    """It works on one part after the other, and each has a checked quote of its own."""

    async def is_read() -> bool:
        found = await progress.of(ada)
        return found.complete and found.files > 0

    await until(is_read, seconds=120)
    question = "How many crates are on the packing list? And what does a pallet to the depot in the north cost?"
    turn = await ask(ada, question)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    (part,) = [one for one in stored.parts if one["type"] == SUBQUESTIONS]
    assert [one["state"] for one in part["data"]["asked"]] == ["answered", "answered"]
