"""Uploads: kept byte for byte, readable, told by reason where they cannot be taken, and nobody else's."""

import hashlib
from datetime import timedelta
from uuid import uuid4

import pytest

from leaf import errors
from leaf.documents import Unreadable
from leaf.documents.textfiles.ranges import LINE_GOES_ON, lines_of
from leaf.services import chats
from leaf.services.files import MAX_FILE_BYTES, MAX_UPLOAD_BYTES, ChatFiles, limits
from tests.integration.people import person
from tests.integration.web_fixtures import World
from tests.unit.test_scans import picture
from tests.uploads import packed, pdf, slides, word, workbook


async def _files(name: str = "ada") -> ChatFiles:
    actor = await person(name)
    return ChatFiles(actor, await chats.new(actor), uuid4())


async def test_an_upload_of_each_kind_is_kept_as_it_came_and_can_be_read(world: World) -> None:
    """# 001-26, 001-04"""
    files = await _files()
    for name, data, kind, text in (
        ("report.pdf", pdf(["First", "Second"]), "pdf", "[page 1]\nFirst\n[page 2]\nSecond\n"),
        ("plan.docx", word("Grow."), "word", "# Goals\n\nGrow.\n"),
        ("book.xlsx", workbook(Budget=[["a", 1]]), "excel", "[sheet Budget]\na,1\n"),
        ("talk.pptx", slides("Hello"), "powerpoint", "[slide 1]\nHello\n"),
    ):
        kept = await files.upload(name, data)
        assert (kept.path, kept.version, kept.kind, kept.size_bytes, kept.created, kept.read_only) == (
            name, 1, kind, len(data), True, True,
        )  # fmt: skip
        assert (await files.original(name)).data == data
        read = await files.read(name)
        assert (read.content, read.kind, read.read_only) == (text, kind, True)
    rows = {row.path: row for row in await files.listed()}
    assert [row.by for row in rows.values()] == ["you"] * 4
    assert (rows["report.pdf"].kind, rows["report.pdf"].size_bytes) == ("pdf", len(pdf(["First", "Second"])))
    assert (await files.read("report.pdf")).places == [(1, "page 1"), (3, "page 2")]


async def test_a_quote_from_an_uploaded_picture_shows_it_with_the_line_marked(world: World) -> None:
    """# 001-26, 000-66"""
    files = await _files()
    data = picture("Two lines are here", "Pallets wet, refused")
    await files.upload("note.png", data)
    (place,) = {part for _, part in (await files.read("note.png")).places}
    assert place == "picture 1, read by OCR"
    marked = await files.picture("note.png", 1, place, "Pallets wet, refused")
    plain = await files.picture("note.png", None, place, "")
    assert marked.startswith(b"\xff\xd8")
    assert marked != plain
    await files.upload("plan.md", b"# Plan\n")
    for path, part in (("note.png", "page 1"), ("plan.md", "picture 1"), ("none.png", place)):
        with pytest.raises(errors.NotFound):
            await files.picture(path, None, part, "x")


async def test_text_becomes_a_file_that_can_be_edited(world: World) -> None:
    """And what came in another charset is downloaded as it came, until it is edited. # 001-05, 001-06, 001-26"""
    files = await _files()
    kept = await files.upload("notes.md", b"# Notes\n")
    assert (kept.kind, kept.read_only, world.count("chat_file_originals")) == ("markdown", False, 0)
    assert (await files.edit("notes.md", "Notes", "Plan")).version == 2
    western = "Größe;5 €\n".encode("cp1252")
    kept = await files.upload("list.csv", western)
    assert (kept.read_only, "guess" in kept.notes[0]) == (False, True)
    assert (await files.read("list.csv")).content == "Größe;5 €\n"
    assert (await files.original("list.csv")).data == western
    await files.edit("list.csv", "5", "6")
    assert (await files.original("list.csv")).data == "Größe;6 €\n".encode()
    await files.restore("list.csv", 1)
    assert (await files.original("list.csv")).data == western
    assert (
        await files.difference("list.csv", 2) == "--- a/list.csv\n+++ b/list.csv\n@@ -1 +1 @@\n-Größe;5 €\n+Größe;6 €"
    )


async def test_the_text_of_an_upload_is_read_only_and_says_what_to_do(world: World) -> None:
    """# 001-05, 001-06"""
    files = await _files()
    data = pdf(["First"])
    await files.upload("report.pdf", data)
    for attempt in (files.write("report.pdf", "x"), files.edit("report.pdf", "First", "x")):
        with pytest.raises(errors.Invalid, match=r"uploaded as a PDF .* such as report\.md"):
            await attempt
    assert (await files.delete("report.pdf")).diff == ""
    assert (await files.write("report.pdf.md", "x")).created
    assert [row.path for row in await files.listed(deleted=True)] == ["report.pdf"]
    await files.restore("report.pdf", 1)
    assert (await files.original("report.pdf")).data == data
    assert await files.difference("report.pdf", 3) is None
    assert [one.action for one in await files.history("report.pdf")] == ["restore", "delete", "upload"]
    assert world.count("chat_file_originals") == 1


async def test_long_text_is_read_to_its_end(world: World) -> None:
    """A text of more than a megabyte is kept as well; to be edited it is too long. # 001-26, 001-04"""
    files = await _files()
    long = "".join(f"row {number}\n" for number in range(200_000))
    kept = await files.upload("log.txt", long.encode())
    assert (len(long) > MAX_FILE_BYTES, kept.read_only, kept.kind) == (True, True, "text")
    assert (await files.read("log.txt")).content == long
    with pytest.raises(errors.Invalid, match="read only"):
        await files.edit("log.txt", "row 1\n", "x")


async def test_a_text_of_one_long_line_is_read_to_its_end(world: World) -> None:
    """As programs write JSON: of a line no more can be read than fits at once. # 001-04, 001-26"""
    files = await _files()
    data = ("[" + ",".join(str(number) for number in range(40_000)) + "]").encode()
    assert len(data) < MAX_FILE_BYTES
    kept = await files.upload("numbers.json", data)
    assert kept.read_only
    text = (await files.read("numbers.json")).content
    read = [lines_of(text, number, 1) for number in range(1, len(text.splitlines()) + 1)]
    assert all(LINE_GOES_ON not in one.text for one in read)
    assert "".join(one.text for one in read).encode() == data == (await files.original("numbers.json")).data
    assert not (await files.upload("short.json", b"[1]")).read_only


async def test_a_name_that_is_taken_gets_a_number_and_the_same_bytes_are_kept_once(world: World) -> None:
    """Nothing is ever overwritten by an upload. # 001-26"""
    files = await _files()
    first, second = pdf(["one"]), pdf(["two"])
    assert [(await files.upload("a.pdf", data)).path for data in (first, second, first, second)] == [
        "a.pdf", "a (2).pdf", "a.pdf", "a (2).pdf",
    ]  # fmt: skip
    await files.write("b.md", "by Leaf", call_id="c1")
    assert [(await files.upload("b.md", data)).path for data in (b"by me", b"by me", b"by Leaf")] == [
        "b (2).md", "b (2).md", "b.md",
    ]  # fmt: skip
    assert (await files.read("b.md")).content == "by Leaf"
    await files.delete("a.pdf")
    again = await files.upload("a.pdf", second)
    assert (again.path, again.created) == ("a (2).pdf", False)
    assert (await files.upload("x/../../a.pdf", pdf(["three"]))).version == 3, "a name that was deleted is free"


async def test_what_cannot_be_taken_is_told_by_reason_and_leaves_nothing(world: World) -> None:
    """# 001-26, 001-10"""
    files = await _files()
    for name, data, reason in (
        ("a.pdf", pdf(["x"], password="pw"), "password"), ("a.pdf", b"%PDF-1.7", "damaged"), ("a.md", b"", "empty"),
        ("b.pdf", b"", "empty"), ("b.docx", b"", "empty"),
        ("a.docx", packed("word/document.xml", b"0" * 301_000_000), "unpacks to more"),
        ("a.png", b"\x89PNG", "PNG, JPEG or WebP"),
        ("a.md", b"x" * (MAX_UPLOAD_BYTES + 1), "larger than 20 MB"),
    ):  # fmt: skip
        with pytest.raises((Unreadable, errors.LeafError), match=reason):
            await files.upload(name, data)
    kept = await files.upload("scan.pdf", pdf([None]))
    assert "no text was recognised" in kept.notes[0]
    assert (await files.read("scan.pdf")).notes == kept.notes
    assert [row.path for row in await files.listed()] == ["scan.pdf"]


async def test_uploads_have_a_quota_and_old_originals_make_room(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """# 001-26"""
    files = await _files()
    one, two, three = (pdf([text]) for text in ("one", "two", "three"))
    monkeypatch.setattr(limits, "MAX_CHAT_UPLOADED_BYTES", len(one) + len(two) + 10)
    await files.upload("1.pdf", one)
    await files.upload("2.pdf", two)
    with pytest.raises(errors.Invalid, match="Delete some first"):
        await files.upload("3.pdf", three)
    await files.delete("1.pdf")
    await files.upload("3.pdf", three)
    digests = {bytes(row[0]) for row in world.sql("SELECT sha256 FROM chat_file_originals")}
    assert digests == {hashlib.sha256(data).digest() for data in (two, three)}
    with pytest.raises(errors.NotFound):
        await files.restore("1.pdf", 1)
    monkeypatch.setattr(limits, "MAX_CHAT_EXTRACTED_BYTES", 10)
    await files.delete("2.pdf")
    with pytest.raises(errors.Invalid, match="text of the uploads"):
        await files.upload("4.pdf", one)
    assert world.count("chat_file_originals") == 2, "what was refused is not kept"


async def test_the_text_of_old_uploads_is_bounded_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files can hold long texts: those that no file shows any more go first. # 001-26"""
    files = await _files()
    monkeypatch.setattr(limits, "MAX_CHAT_EXTRACTED_BYTES", 150)
    for number in range(4):
        await files.upload(f"{number}.pdf", pdf([f"{number} " + "word " * 12]))
        await files.delete(f"{number}.pdf")
    kept = world.sql("SELECT content_bytes FROM chat_file_originals")
    assert 0 < sum(row[0] for row in kept) <= 150
    with pytest.raises(errors.NotFound):
        await files.restore("0.pdf", 1)
    assert (await files.restore("3.pdf", 1)).created


async def test_originals_go_with_their_versions_and_their_chat(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """# 000-44"""
    monkeypatch.setattr(limits, "KEPT_VERSIONS", 2)
    files = await _files()
    await files.upload("a.csv", "ä".encode("cp1252"))
    assert world.count("chat_file_originals") == 1
    for text in ("b", "c"):
        await files.write("a.csv", text)
    assert world.count("chat_file_originals") == 0
    await files.upload("b.pdf", pdf(["x"]))
    await chats.delete(files.actor, files.chat_id)
    assert await chats.purge(timedelta(0)) == 1
    assert (world.count("chat_file_originals"), world.count("chat_file_versions")) == (0, 0)


async def test_nobody_else_reads_or_adds(world: World) -> None:
    """# 001-02, 000-40"""
    files = await _files()
    await files.upload("a.pdf", pdf(["mine"]))
    theirs = ChatFiles(await person("ben"), files.chat_id)
    for attempt in (
        theirs.check(), theirs.upload("b.md", b"x"), theirs.original("a.pdf"), theirs.difference("a.pdf", 1),
    ):  # fmt: skip
        with pytest.raises(errors.NotFound):
            await attempt
    assert [row.path for row in await files.listed()] == ["a.pdf"]
