"""Uploads into a chat, and downloads of its files."""

import asyncio
import io
import tempfile
import zipfile
from collections.abc import AsyncIterator

import pytest

from leaf.services import chats
from leaf.services.files import MAX_UPLOAD_BYTES, ChatFiles
from leaf.services.files.store import Store
from tests.integration.web_fixtures import Browser, World
from tests.uploads import pdf


async def test_a_file_and_all_files_are_downloaded(world: World) -> None:
    """As an attachment that no browser takes for a page. # 001-26"""
    async with Browser() as ada:
        who = await ada.sign_in("ada")
        chat_id = await chats.new(who.actor)
        files = ChatFiles(who.actor, chat_id)
        await files.write("notes/ü & <b>.md", "ä <script>alert(1)</script>")
        await files.write("a.txt", "first")
        one = await ada.get(f"/api/chats/{chat_id}/files/notes/%C3%BC%20%26%20%3Cb%3E.md")
        assert (one.status_code, one.text) == (200, "ä <script>alert(1)</script>")
        assert one.headers["content-type"] == "text/plain; charset=utf-8"
        assert one.headers["content-disposition"] == "attachment; filename*=UTF-8''%C3%BC%20%26%20%3Cb%3E.md"
        assert one.headers["x-content-type-options"] == "nosniff"
        every = await ada.get(f"/api/chats/{chat_id}/files.zip")
        with zipfile.ZipFile(io.BytesIO(every.content)) as archive:
            assert {name: archive.read(name).decode() for name in archive.namelist()} == {
                "a.txt": "first",
                "notes/ü & <b>.md": "ä <script>alert(1)</script>",
            }
        for path in ("missing.md", "../../etc/passwd", "%2e%2e/x", "/etc/passwd"):
            assert (await ada.get(f"/api/chats/{chat_id}/files/{path}")).status_code in {400, 404}


async def test_an_upload_is_kept_and_downloaded_byte_for_byte(world: World) -> None:
    """# 001-26"""
    async with Browser() as ada:
        who = await ada.sign_in("ada")
        chat_id = await chats.new(who.actor)
        url, data = f"/api/chats/{chat_id}/files", pdf(["Hello"])
        told = await ada.post(url, files={"file": ("../ü \u202efdp.pdf", data, "text/html")})
        assert told.status_code == 201, told.text
        assert told.json() == {
            "file": {
                "path": "ü fdp.pdf", "version": 1, "kind": "pdf", "size_bytes": len(data), "created": True,
                "read_only": True, "notes": [],
            }
        }  # fmt: skip
        assert (await ada.post(url, files={"file": ("ü fdp.pdf", data)})).status_code == 200
        one = await ada.get(f"{url}/ü fdp.pdf")
        assert one.content == data
        assert one.headers["content-type"] == "application/pdf"
        assert one.headers["content-disposition"].startswith("attachment;")
        assert one.headers["x-content-type-options"] == "nosniff"
        assert one.headers["content-security-policy"] == "sandbox; default-src 'none'"
        await ada.post(url, files={"file": ("a.html", b"<script>alert(1)</script>")})
        page = await ada.get(f"{url}/a.html")
        assert page.headers["content-type"] == "text/plain; charset=utf-8"
        await ChatFiles(who.actor, chat_id).edit("a.html", "alert(1)", "2")
        assert (await ada.get(f"{url}/a.html?version=1")).text == "<script>alert(1)</script>"
        assert [(await ada.get(f"{url}/a.html?version={n}")).status_code for n in ("9", "x", "-1")] == [404, 400, 400]
        with zipfile.ZipFile(io.BytesIO((await ada.get(f"{url}.zip")).content)) as archive:
            assert archive.testzip() is None
            assert archive.read("ü fdp.pdf") == data
            assert archive.namelist() == ["a.html", "ü fdp.pdf"]


async def test_the_notes_of_an_upload_are_in_the_language_of_its_page(world: World) -> None:
    """Programs have them in English, as they are kept. # 001-26"""
    async with Browser() as ada:
        who = await ada.sign_in("ada")
        url = f"/api/chats/{await chats.new(who.actor)}/files"
        data = "Straße und Größe in Köln, für alle Bürger".encode("cp1252")
        shown = await ada.post(url, files={"file": ("a.txt", data)}, headers={"x-leaf-language": "de"})
        (note,) = shown.json()["file"]["notes"]
        assert note.startswith("Diese Datei ist nicht in UTF-8; sie wurde als ")
        (kept,) = (await ada.post(url, files={"file": ("b.txt", data + b"!")})).json()["file"]["notes"]
        assert kept.startswith("This file is not in UTF-8; it was read as ")
        assert world.sql("SELECT DISTINCT notes FROM chat_file_originals") == [([kept],)]


async def test_a_refused_upload_says_why(world: World) -> None:
    """# 001-26"""
    async with Browser() as ada:
        who = await ada.sign_in("ada")
        url = f"/api/chats/{await chats.new(who.actor)}/files"
        most = b"x" * (MAX_UPLOAD_BYTES + 1)
        for files, status, said in (
            ({"file": ("a.png", b"\x89PNG\r\n")}, 415, "picture"),
            ({"file": ("a.pdf", pdf(["x"], password="pw"), "text/plain")}, 415, "password"),
            ({"file": ("a.md", most)}, 413, "20 MB"), ({"file": ("a.md", b"")}, 400, "empty"),
            ({"other": ("a.md", b"x")}, 400, "no file"),
            ([("file", ("a.md", b"x")), ("file", ("b.md", b"x"))], 400, "one file"),
        ):  # fmt: skip
            answer = await ada.post(url, files=files)
            assert (answer.status_code, said in answer.json()["error"]["message"]) == (status, True), answer.text
        for body, kind in (
            (b"x", "text/plain"),
            (b"x", "multipart/form-data"),
            (b"--x", "multipart/form-data; boundary=x"),
            (_FORM, "multipart/form-data; boundary=x; charset=undefined"),
        ):
            answer = await ada.post(url, content=body, headers={"content-type": kind})
            assert answer.status_code == 400, answer.text
        elsewhere = await ada.post(url, files={"file": ("a.md", b"x")}, headers={"origin": "https://evil.example"})
        assert elsewhere.status_code == 403
        assert world.count("chat_files") == 0


_FORM = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.md"\r\n\r\nx\r\n--x--\r\n'


async def _endless(taken: list[int]) -> AsyncIterator[bytes]:
    yield b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.md"\r\n\r\n'
    while True:
        taken.append(1)
        yield b"x" * 1_000_000


async def test_a_body_is_not_read_further_than_it_may_be(world: World) -> None:
    """The body of somebody who is not in the chat is not read at all. # 001-26, 000-40"""
    kind = {"content-type": "multipart/form-data; boundary=x"}
    async with Browser() as ada, Browser() as ben, Browser() as nobody:
        who = await ada.sign_in("ada")
        await ben.sign_in("ben")
        url = f"/api/chats/{await chats.new(who.actor)}/files"
        for browser, status, most in ((nobody, 401, 0), (ben, 404, 0), (ada, 413, 21)):
            taken: list[int] = []
            scope = {**kind, "cookie": browser.cookie_header, "transfer-encoding": "chunked"}
            answer = await _posted(url, scope, _endless(taken))
            assert (answer, len(taken) <= most) == (status, True), (answer, len(taken))


async def _posted(url: str, headers: dict[str, str], body: AsyncIterator[bytes]) -> int:
    """The status of the answer; the body is made as it is read."""
    from leaf import api

    raw = [(name.encode(), value.encode()) for name, value in {**headers, "host": "localhost:4555"}.items()]
    scope = {
        "type": "http", "method": "POST", "path": url, "raw_path": url.encode(), "query_string": b"", "headers": raw,
        "scheme": "http", "server": ("localhost", 4555), "client": ("127.0.0.1", 1), "root_path": "",
        "http_version": "1.1",
    }  # fmt: skip
    statuses: list[int] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": await anext(body), "more_body": True}

    async def send(message: dict[str, object]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(int(str(message["status"])))

    await api.application(pages_port=None)(scope, receive, send)  # pyright: ignore[reportArgumentType]
    return statuses[0]


async def test_one_person_sends_few_files_at_once_and_none_of_it_lies_on_the_disk(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """# 001-10, 001-26"""
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    held, begin = asyncio.Event(), Store.begin

    async def slow(store: Store) -> None:
        await held.wait()
        await begin(store)

    monkeypatch.setattr(Store, "begin", slow)
    async with Browser() as ada:
        who = await ada.sign_in("ada")
        url = f"/api/chats/{await chats.new(who.actor)}/files"
        big = b"some text\n" * 1_500_000
        sent = [asyncio.create_task(ada.post(url, files={"file": (f"{n}.md", big)})) for n in range(4)]
        done, _ = await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
        assert [task.result().status_code for task in done] == [429]
        held.set()
        assert sorted(answer.status_code for answer in await asyncio.gather(*sent)) == [201] * 3 + [429]
