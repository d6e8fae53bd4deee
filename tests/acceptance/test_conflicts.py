"""Two files of a Drive that disagree: the answer shows both, whatever the model wrote."""

import json
from collections.abc import Iterator

import pytest

from leaf.citations.conflicts import CONFLICTS
from leaf.db import Actor
from sandbox import corpus
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.stack import Sandbox, Stack
from tests.acceptance.test_checked_answers import MODEL
from tests.acceptance.workers import Crew

LEASE, CHANGE = "Halden lease.md", "Halden amendment.md"
TEXTS = {
    LEASE: "# Lease of the Halden depot\n\nRent from 2027 is €12,000.\n",
    CHANGE: "# Amendment to the lease of the Halden depot\n\nFrom 2027 on the rent is €13,500.\n",
}


@pytest.fixture
def disagreeing(stack: Stack) -> Iterator[None]:
    """Two more files in ada's Drive."""
    for name, text in TEXTS.items():
        (stack.folder / "drive" / name).write_text(text)
    yield
    for name in TEXTS:
        (stack.folder / "drive" / name).unlink()


@pytest.mark.usefixtures("disagreeing")
async def test_an_answer_of_one_side_shows_both(crew: Crew, ada: Actor, ask: Ask, sandbox: Sandbox) -> None:
    """The model quotes one file, and the other one was read as well."""
    await crew.of(1)
    lease, change = (corpus.opaque_id(f"folder {name}") for name in (LEASE, CHANGE))
    calls = [{"name": "read_drive_file", "arguments": {"file": one}} for one in (lease, change)]
    said = f'It is €12,000.[^1]\n\n[^1]: "Rent from 2027 is €12,000" — [Lease]({sandbox.url}/file/d/{lease}/view)\n'
    steps = json.dumps([{"text": "", "calls": calls}, {"text": said}])
    turn = await ask(ada, f"What is the rent from 2027?\n```json\n{steps}\n```", model=MODEL)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    (one,) = [part["data"] for part in stored.parts if part["type"] == CONFLICTS]
    (conflict,) = one
    assert {(side["file_id"], side["value"]) for side in conflict["sides"]} == {(lease, "€12,000"), (change, "€13,500")}
    assert all(side["date"] and side["url"] for side in conflict["sides"])
    assert [chunk["type"] for chunk in reader.chunks].count(CONFLICTS) == 1
