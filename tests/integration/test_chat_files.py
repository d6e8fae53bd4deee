"""The text files of a chat: versions, limits, one change for each call, and nobody else's."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from leaf import errors
from leaf.db import Actor
from leaf.redis import events
from leaf.services import chats
from leaf.services.files import KEPT_VERSIONS, MAX_CHAT_BYTES, MAX_FILE_BYTES, ChatFiles, limits
from tests.integration.people import person
from tests.integration.web_fixtures import World


async def _files(actor: Actor) -> ChatFiles:
    return ChatFiles(actor, await chats.new(actor), uuid4())


async def _paths(files: ChatFiles, glob: str = "**") -> list[str]:
    return [row.path for row in await files.listed(glob)]


async def test_a_file_is_written_edited_and_read_as_it_was(world: World) -> None:
    """# 001-03, 001-04, 001-05, 001-06, 001-14"""
    files = await _files(await person("ada"))
    made = await files.write("notes/plan.md", "one\ntwo\n")
    assert (made.created, made.version, made.size_bytes) == (True, 1, 8)
    edited = await files.edit("notes/plan.md", "two", "2")
    assert (edited.created, edited.version) == (False, 2)
    assert "-two\n+2" in edited.diff
    assert (await files.read("notes/plan.md")).content == "one\n2\n"
    assert (await files.read("notes/plan.md", 1)).content == "one\ntwo\n"
    replaced = await files.write("notes/plan.md", "")
    assert (replaced.created, replaced.version, replaced.size_bytes) == (False, 3, 0)
    assert [(one.number, one.action, one.by) for one in await files.history("notes/plan.md")] == [
        (3, "write", "you"), (2, "edit", "you"), (1, "write", "you"),
    ]  # fmt: skip
    for missing in (files.read("other.md"), files.read("notes/plan.md", 4), files.edit("x.md", "a", "b")):
        with pytest.raises(errors.NotFound):
            await missing
    for wrong in (files.edit("notes/plan.md", "a", "b"), files.write("../x", ""), files.read("/etc/passwd")):
        with pytest.raises(errors.Invalid):
            await wrong


async def test_what_was_deleted_can_be_restored(world: World) -> None:
    files = await _files(await person("ada"))
    await files.write("a.md", "first")
    gone = await files.delete("a.md")
    assert (gone.action, gone.version) == ("delete", 2)
    assert await _paths(files) == []
    for missing in (files.read("a.md"), files.delete("a.md"), files.edit("a.md", "first", "x")):
        with pytest.raises(errors.NotFound):
            await missing
    back = await files.restore("a.md", 1)
    assert (back.created, back.version) == (True, 3)
    assert (await files.read("a.md")).content == "first"
    assert await _paths(files) == ["a.md"]
    with pytest.raises(errors.NotFound):
        await files.restore("a.md", 9)
    with pytest.raises(errors.Invalid, match="was deleted"):
        await files.restore("a.md", 2)


async def test_the_newest_changes_are_undone(world: World) -> None:
    """A new file goes, and a former version or a deleted file comes back; later changes stay. # 001-05, 001-14"""
    files = await _files(await person("ada"))
    await files.write("a.md", "first")
    await files.edit("a.md", "first", "second")
    await files.edit("a.md", "second", "third")
    with pytest.raises(errors.Conflict, match="has changed since"):
        await files.undo("a.md", 2, 2)
    assert (await files.undo("a.md", 2, 3)).action == "restore"
    assert (await files.read("a.md")).content == "first"
    await files.delete("a.md")
    await files.undo("a.md", 5, 5)
    assert (await files.read("a.md")).content == "first"
    await files.delete("a.md")
    await files.write("a.md", "again")
    assert (await files.undo("a.md", 8, 8)).action == "delete"
    await files.write("b.md", "new")
    await files.undo("b.md", 1, 1)
    assert await _paths(files) == []
    with pytest.raises(errors.NotFound):
        await files.undo("c.md", 1, 1)


async def test_a_call_that_is_made_again_changes_nothing_again(world: World) -> None:
    """It gives what it gave before, even where the file has changed since. # 001-10"""
    files = await _files(await person("ada"))
    first = await files.write("log.md", "a", call_id="c1")
    second = await files.edit("log.md", "a", "aa", call_id="c2")
    third = await files.delete("log.md", call_id="c3")
    assert await files.write("log.md", "a", call_id="c1") == first
    assert await files.edit("log.md", "a", "aa", call_id="c2") == second
    assert await files.delete("log.md", call_id="c3") == third
    assert [one.number for one in await files.history("log.md")] == [3, 2, 1]
    again = await asyncio.gather(*(files.write("b.md", "b", call_id="c4") for _ in range(5)))
    assert {change.version for change in again} == {1}
    other_run = ChatFiles(files.actor, files.chat_id, uuid4())
    assert (await other_run.write("b.md", "b", call_id="c4")).version == 2, "ids of calls are known within their run"


async def test_changes_at_the_same_time_lose_nothing(world: World) -> None:
    files = await _files(await person("ada"))
    await files.write("list.md", "\n".join(f"item {n}." for n in range(8)))
    await asyncio.gather(*(files.edit("list.md", f"item {n}.", f"done {n}.") for n in range(8)))
    assert (await files.read("list.md")).content == "\n".join(f"done {n}." for n in range(8))
    assert len(await files.history("list.md")) == 9


async def test_limits_are_told_and_change_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    files = await _files(await person("ada"))
    await files.write("big.md", "x" * MAX_FILE_BYTES)
    for number in range(1, MAX_CHAT_BYTES // MAX_FILE_BYTES):
        await files.write(f"big{number}.md", "x" * MAX_FILE_BYTES)
    for path, content in (("new.md", "x"), ("big.md", "x" * MAX_FILE_BYTES + "x"), ("big.md", "ü" * MAX_FILE_BYTES)):
        with pytest.raises(errors.Invalid):
            await files.write(path, content)
    assert (await files.write("big.md", "less")).version == 2
    await files.write("new.md", "x")
    await files.delete("big1.md")
    monkeypatch.setattr(limits, "MAX_FILES", 21)
    await files.write("one-more.md", "x")
    with pytest.raises(errors.Invalid, match="at most 21 files"):
        await files.write("too-many.md", "x")
    await files.write("one-more.md", "still possible")
    assert "too-many.md" not in await _paths(files)


async def test_old_versions_are_dropped(world: World) -> None:
    files = await _files(await person("ada"))
    for number in range(KEPT_VERSIONS + 3):
        await files.write("a.md", str(number))
    assert [one.number for one in await files.history("a.md")] == list(range(KEPT_VERSIONS + 3, 3, -1))


async def test_what_a_chat_keeps_of_its_past_is_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest versions go first, whichever file they belong to; what a file is now stays."""
    files = await _files(await person("ada"))
    monkeypatch.setattr(limits, "MAX_CHAT_HISTORY_BYTES", 300)
    await files.write("old.md", "o" * 400)
    for number in range(5):
        await files.write("a.md", f"{number}" * 100)
    assert [one.number for one in await files.history("a.md")] == [5, 4, 3, 2]
    await files.write("gone.md", "ü" * 50)
    await files.delete("gone.md")
    # Letters count by their bytes: 100 of what was deleted, 200 of what was changed.
    assert [one.number for one in await files.history("gone.md")] == [2, 1]
    assert [one.number for one in await files.history("a.md")] == [5, 4, 3]
    assert (await files.read("old.md")).content == "o" * 400
    await asyncio.gather(*(files.write("a.md", f"{number}" * 100) for number in range(8)))
    assert [one.number for one in await files.history("a.md")] == [13, 12, 11, 10]
    assert [one.number for one in await files.history("gone.md")] == [2]
    with pytest.raises(errors.NotFound):
        await files.restore("gone.md", 1)
    assert (await files.write("gone.md", "again")).version == 3


async def test_deleted_files_are_not_remembered_without_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    files = await _files(await person("ada"))
    monkeypatch.setattr(limits, "MAX_PATHS", 2)
    for name in ("a.md", "b.md"):
        await files.write(name, "x")
        await files.delete(name)
    with pytest.raises(errors.Invalid, match="had 2 files of different names"):
        await files.write("c.md", "x")
    assert (await files.write("a.md", "again")).version == 3


async def test_files_are_found_by_glob_with_their_contents(world: World) -> None:
    """# 001-07"""
    files = await _files(await person("ada"))
    for path in ("notes/b.md", "notes/deep/a.md", "c.txt"):
        await files.write(path, path)
    assert await _paths(files, "notes/**/*.md") == ["notes/b.md", "notes/deep/a.md"]
    assert [(one.path, one.content) async for one in files.texts("*.txt")] == [("c.txt", "c.txt")]
    with pytest.raises(errors.Invalid):
        await files.listed("[z-a]")


async def test_what_the_database_cannot_store_is_replaced(world: World) -> None:
    files = await _files(await person("ada"))
    await files.write("a.md", "nul \0 and \ud800")
    assert (await files.read("a.md")).content == "nul \ufffd and \ufffd"


async def test_a_chat_has_its_own_files_and_a_stranger_none(world: World) -> None:
    """# 001-02, 000-40"""
    ada, ben = await person("ada"), await person("ben")
    first = await _files(ada)
    await first.write("a.md", "mine")
    theirs = ChatFiles(ben, first.chat_id, uuid4())
    for attempt in (
        theirs.listed(), anext(theirs.texts()), theirs.read("a.md"), theirs.history("a.md"), theirs.write("b.md", "x"),
        theirs.edit("a.md", "mine", "x"), theirs.delete("a.md"), theirs.restore("a.md", 1),
        theirs.undo("a.md", 1, 1),
    ):  # fmt: skip
        with pytest.raises(errors.NotFound):
            await attempt
    other = await _files(ben)
    assert await _paths(other) == []
    await other.write("a.md", "theirs")
    assert (await first.read("a.md")).content == "mine"
    await chats.delete(ada, first.chat_id)
    assert await chats.purge(timedelta(0)) == 1
    assert (world.count("chat_files"), world.count("chat_file_versions")) == (1, 1)


async def test_open_pages_are_told_of_a_change(world: World) -> None:
    """# 001-05"""
    files = await _files(await person("ada"))
    async with events.subscribe([events.chat(files.chat_id)]) as told:
        await files.write("a.md", "x")
        assert await told.changed(within_seconds=10)
