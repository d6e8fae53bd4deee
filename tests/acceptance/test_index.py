"""A connected Drive is listed and read by a worker, and a question is answered from the index with a checked quote."""

import json

import pytest

from leaf import citations
from leaf.db import Actor
from leaf.services import chats
from leaf.services.library import progress
from leaf.views import receipts
from sandbox import corpus
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.stack import Sandbox, Stack, until
from tests.acceptance.workers import Crew

MODEL = "sandbox:sandbox-script"
PACKING = corpus.opaque_id("folder Packing list.txt")
QUOTE = "six crates of Northwind Crisp"


@pytest.mark.usefixtures("indexing")
async def test_a_question_is_answered_from_the_index(
    crew: Crew, ada: Actor, ask: Ask, stack: Stack, sandbox: Sandbox
) -> None:
    """Names, then texts, then a passage that is quoted without the file having been opened. # 000-37, 000-63"""
    await crew.of(1)

    async def is_complete() -> bool:
        found = await progress.of(ada)
        return found.complete and found.read >= 2

    await until(is_complete, seconds=60)
    url = f"{sandbox.url}/file/d/{PACKING}/view"
    call = {"name": "search_files", "arguments": {"queries": ["Northwind crates", "Kisten Northwind"]}}
    steps = [{"text": "", "calls": [call]}, {"text": f'Six crates.[^1]\n\n[^1]: "{QUOTE}" — [the list]({url})\n'}]
    turn = await ask(ada, f"```json\n{json.dumps(steps)}\n```", chat_id=await chats.new(ada), model=MODEL)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    data = {part["type"]: part.get("data") for part in stored.parts}
    (one,) = data[citations.CITATIONS]
    assert (one["verified"], one["file_id"]) == (True, PACKING)
    state = await progress.of(ada)
    index = data[citations.COVERAGE]["index"]
    assert (index["files"], index["read"], index["complete"]) == (state.files, state.read, True)
    assert not index["asked_google"]
    assert receipts.coverage_of(stored.parts).lines[0].text.startswith(f"Index: {state.read} of {state.files} files")
