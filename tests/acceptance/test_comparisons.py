"""Files of a Drive that an answer compares: the tool, checked quotes of both sides, and the part that shows them."""

import json
from collections.abc import Iterator

import pytest

from leaf import errors
from leaf.citations import comparisons, redaction
from leaf.citations.comparisons import COMPARISONS
from leaf.db import Actor
from leaf.parts import portable
from leaf.parts.portable import markdown
from leaf.services import chats, files, forks, shares
from leaf.views import comparisons as views
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


@pytest.mark.usefixtures("contracts")
async def test_a_file_of_the_chat_is_compared_with_one_of_the_drive_and_cited(
    crew: Crew, ada: Actor, ben: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """The card leads to the file in the version that was compared, in a fork to the fork's own, and nowhere in links
    and exports; who takes no part in the chat sees none of it.
    """
    await crew.of(1)
    chat_id = await chats.new(ada)
    await files.ChatFiles(ada, chat_id).upload("offers/Mine.md", TEXTS[SIGNED].encode())
    draft = corpus.opaque_id(f"folder {DRAFT}")
    said = (
        "The fee rises from €900[^1] to €960.[^2]\n\n"
        f'[^1]: "The monthly fee is €900" — [Draft]({sandbox.url}/file/d/{draft}/view)\n'
        '[^2]: "The monthly fee is €960" — [Mine.md](Mine.md)\n'
    )
    call = {"name": "compare_files", "arguments": {"files": [draft, "Mine.md"]}}
    steps = json.dumps([{"text": "", "calls": [call]}, {"text": said}])
    turn = await ask(ada, f"What differs?\n```json\n{steps}\n```", model=MODEL, chat_id=chat_id)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    (one,) = comparisons.stored(stored.parts)
    address = f"/api/chats/{chat_id}/files/Mine.md?version=1"
    assert [(file["file_id"], file["path"]) for file in one["compared"]] == [(draft, ""), ("", "Mine.md")]
    assert one["compared"][1]["url"] == address
    cited = next(part["data"] for part in stored.parts if part["type"] == "data-citations")
    assert [(mark["kind"], mark["verified"]) for mark in cited] == [("drive", True), ("chat", True)]
    assert cited[1]["url"] == address
    receipt = next(part["data"] for part in stored.parts if part["type"] == "data-coverage")
    assert [one["path"] for one in receipt["chat_files"]] == ["Mine.md"]
    shown = views.comparison(one)
    assert [(file.name, file.own) for file in shown.files] == [(DRAFT, False), ("Mine.md", True)]
    await shares.share(ada, chat_id)
    behind = json.dumps((await shares.preview(ada, chat_id)).content)
    assert "960" in behind
    assert address not in behind
    with pytest.raises(errors.NotFound):
        await chats.open(ben, chat_id)
    fork_id = await forks.fork(ada, stored.id)
    (copied,) = comparisons.stored((await chats.open(ada, fork_id)).messages[-1].parts)
    assert copied["compared"][1]["url"] == f"/api/chats/{fork_id}/files/Mine.md?version=1"
    row = {
        "id": stored.id, "parent_id": None, "role": "assistant", "created_at": "2026-11-26T10:00:00+00:00",
        "status": "completed", "parts": stored.parts,
    }  # fmt: skip
    exported = portable.to_portable(row)
    assert exported is not None
    assert [(file.path, file.url) for file in exported.comparisons[0].compared][1] == ("Mine.md", "")
    assert "960" in markdown.message(exported, "en")
    # A reader to whom Google refuses the Drive file sees nothing of the comparison, and the chat's file as before.
    refused = redaction.without(stored.parts, {draft: "refused"})
    assert next(part["data"] for part in refused if part["type"] == COMPARISONS) == []
