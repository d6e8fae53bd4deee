"""Files of a Drive that an answer compares: the tool, checked quotes of both sides, and the part that shows them."""

import json
from collections.abc import Iterator

import pytest

from leaf.citations import redaction
from leaf.citations.comparisons import COMPARISONS
from leaf.db import Actor
from sandbox import corpus
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.stack import Sandbox, Stack
from tests.acceptance.test_checked_answers import MODEL
from tests.acceptance.workers import Crew

DRAFT, SIGNED = "Storage contract draft.md", "Storage contract signed.md"
TEXTS = {
    DRAFT: "# Storage contract\n\n1. Fee\nThe monthly fee is €900.\n\n2. Notice\nThe notice period is 3 months.\n",
    SIGNED: "# Storage contract\n\n1. Fee\nThe monthly fee is €960.\n\n2. Notice\nThe notice period is a quarter.\n",
}


@pytest.fixture
def contracts(stack: Stack) -> Iterator[None]:
    """Two more files in ada's Drive."""
    for name, text in TEXTS.items():
        (stack.folder / "drive" / name).write_text(text)
    yield
    for name in TEXTS:
        (stack.folder / "drive" / name).unlink()


@pytest.mark.usefixtures("contracts")
async def test_an_answer_shows_what_it_compared_and_quotes_both_sides(
    crew: Crew, ada: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """The tool's result becomes a part of its own, and each side of a difference can be cited."""
    await crew.of(1)
    ids = [corpus.opaque_id(f"folder {name}") for name in (DRAFT, SIGNED)]
    first, second = (f"{sandbox.url}/file/d/{one}/view" for one in ids)
    said = (
        "The fee rises from €900[^1] to €960.[^2]\n\n"
        f'[^1]: "The monthly fee is €900" — [Draft]({first})\n[^2]: "The monthly fee is €960" — [Signed]({second})\n'
    )
    call = {"name": "compare_files", "arguments": {"files": ids, "on": "fee"}}
    steps = json.dumps([{"text": "", "calls": [call]}, {"text": said}])
    turn = await ask(ada, f"What differs?\n```json\n{steps}\n```", model=MODEL)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    (data,) = [part["data"] for part in stored.parts if part["type"] == COMPARISONS]
    (one,) = data
    assert [file["file_id"] for file in one["compared"]] == ids
    fee, notice = one["rows"]
    assert [cell["value"] for cell in fee["cells"]] == ["€900", "€960"]
    assert fee["kind"] == "value"
    assert notice["kind"] == "wording"
    cited = next(part["data"] for part in stored.parts if part["type"] == "data-citations")
    assert [(mark["verified"], mark["file_id"]) for mark in cited] == [(True, ids[0]), (True, ids[1])]
    receipt = next(part["data"] for part in stored.parts if part["type"] == "data-coverage")
    assert {read["id"]: read["parts"] for read in receipt["read"]} == {one: ["compared"] for one in ids}
    assert not [part for part in stored.parts if part["type"] == "data-conflicts"]
    # A reader to whom Google refuses one file sees nothing of what was made of both.
    shown = {one["type"]: one for one in redaction.without(stored.parts, {ids[1]: "refused"})}
    assert shown[COMPARISONS]["data"] == []
    output = shown["tool-compare_files"]["output"]
    assert output["compared"] == []
    assert "rows" not in output
