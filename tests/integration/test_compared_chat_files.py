"""Files of a chat that are compared with each other and with Drive files, against the sandbox."""

import json
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from pydantic_ai import ModelRetry

from leaf.agent.deps import Deps
from leaf.agent.tools.comparison import compare_files
from leaf.citations import Call, Library, comparisons, coverage_of, redaction
from leaf.db import Actor
from leaf.services import chats
from leaf.services.documents import UserDocuments
from leaf.services.files import ChatFiles
from leaf.services.integrations import UserDrive
from tests.integration import test_library
from tests.integration.people import person
from tests.integration.test_drive_tools import context
from tests.integration.test_library import add, connected
from tests.integration.web_fixtures import World
from tests.uploads import pdf, workbook

changing_sandbox, sandbox_process = test_library.changing_sandbox, test_library.sandbox_process

CLUB = "# Club\n\nIt was founded in 1987.\n\n## Members\n\nThere are 42 members.\n"
OLD, NEW = "The fee is 900 EUR a month. Dogs stay outside.", "The fee is 960 EUR a month. Dogs stay outside."


async def deps_of(actor: Actor, chat_id: UUID | None = None) -> Deps:
    """The surroundings of a run in a chat of a member, by default a new one."""
    files = ChatFiles(actor, chat_id or await chats.new(actor), uuid4())
    return Deps(actor.member_id, uuid4(), UserDrive(actor), UserDocuments(actor), files)


async def compared(deps: Deps, *files: str, **further: Any) -> dict[str, Any]:
    return await compare_files(context(deps), [*files], **further)


def values(output: dict[str, Any]) -> list[list[str]]:
    """The differing values of each row."""
    return [[one["value"] for one in row["cells"]] for row in output["rows"] if row["kind"] == "value"]


def as_part(output: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "tool-compare_files", "toolCallId": "c", "state": "output-available", "input": {}, "output": output,
    }  # fmt: skip


async def test_uploads_are_compared_without_a_drive(world: World) -> None:
    """Each by its places: a page, a row of a sheet, a line. The receipt names them as files of the chat."""
    deps = await deps_of(await person("ada"))
    files = cast("ChatFiles", deps.files)
    await files.upload("old.pdf", pdf(["These are the terms.", OLD]))
    await files.write("offers/new.txt", f"These are the terms.\n\n{NEW}\n")
    output = await compared(deps, "old.pdf", "offers/new.txt")
    assert values(output) == [["900 EUR", "960 EUR"]]
    assert [(one["path"], one["file_id"], one["url"], one["revision"]) for one in output["compared"]] == [
        ("old.pdf", "", "", "1"), ("offers/new.txt", "", "", "1"),
    ]  # fmt: skip
    assert output["rows"][0]["cells"][0]["part"] == "page 2"
    receipt = coverage_of([as_part(output)])
    assert receipt is not None
    assert [(one["path"], one["complete"]) for one in receipt["chat_files"]] == [
        ("old.pdf", True), ("offers/new.txt", True),
    ]  # fmt: skip
    assert receipt["read"] == receipt["skipped"] == []
    library = Library.of([Call("compare_files", output)])
    assert [passage.text for text in library.read["chat", "old.pdf"].texts for passage in text] == [
        "The fee is 900 EUR a month."
    ]
    for name, price in (("a.xlsx", 4), ("b.xlsx", 5)):
        await files.upload(name, workbook(Prices=[["Item", "Price"], ["Crate", price], ["Till", 90]]))
    rows = await compared(deps, "a.xlsx", "b.xlsx")
    assert values(rows) == [["Price: 4", "Price: 5"]]
    assert rows["rows"][0]["cells"][1]["part"] == "sheet Prices, row 2"


async def test_a_file_of_the_chat_is_compared_with_one_of_the_drive(world: World) -> None:
    """Of which nothing is left for whom Google refuses the Drive file."""
    async with connected(world) as (_, ada):
        file_id = add(world, "ada:/Club.md", CLUB)
        deps = await deps_of(ada)
        await cast("ChatFiles", deps.files).write("Club.md", CLUB.replace("1987", "1990"))
        output = await compared(deps, file_id, "Club.md")
    assert [(one["file_id"], one["path"]) for one in output["compared"]] == [(file_id, ""), ("", "Club.md")]
    assert [one.get("id") or one["path"] for one in output["files"]] == [file_id, "Club.md"]
    assert values(output) == [["1987", "1990"]]
    assert output["rows"][0]["cells"][1]["part"] == "section Club"
    assert redaction.files_in(output) == {file_id}
    withheld = json.dumps(redaction.output_without(output, {file_id: "refused"}))
    assert "1990" not in withheld
    assert "1987" not in withheld
    (stored,) = comparisons.linked(comparisons.made([as_part(output)]), lambda path, version: f"/at/{path}/{version}")
    assert [one["url"] for one in stored["compared"]] == [output["compared"][0]["url"], "/at/Club.md/1"]


async def test_what_cannot_be_compared_is_named(world: World) -> None:
    """An empty file beside others, a path that is not there, and versions of a file of the chat."""
    deps = await deps_of(await person("ada"))
    files = cast("ChatFiles", deps.files)
    await files.write("a.txt", OLD)
    await files.write("b.txt", NEW)
    await files.write("none.txt", "")
    output = await compared(deps, "a.txt", "none.txt", "b.txt")
    assert values(output) == [["900 EUR", "960 EUR"]]
    assert [(one["path"], one["reason"]) for one in output["left_out"]] == [("none.txt", "This file is empty.")]
    receipt = coverage_of([as_part(output)])
    assert receipt is not None
    assert [one["name"] for one in receipt["skipped"]] == ["none.txt"]
    assert (await compared(deps, "a.txt", "none.txt"))["skipped"]["name"] == "none.txt"
    with pytest.raises(ModelRetry, match="pass the path as list_files names it"):
        await compared(deps, "a.txt", "c.txt")
    with pytest.raises(ModelRetry, match="Only Drive files have versions"):
        await compared(deps, "a.txt", versions=["first", "current"])


async def test_nobody_else_compares_the_files_of_a_chat(world: World) -> None:
    """They are no files for who takes no part in the chat."""
    deps = await deps_of(await person("ada"))
    files = cast("ChatFiles", deps.files)
    await files.write("a.txt", OLD)
    await files.write("b.txt", NEW)
    with pytest.raises(ModelRetry) as refused:
        await compared(await deps_of(await person("ben"), files.chat_id), "a.txt", "b.txt")
    assert "900" not in refused.value.message
