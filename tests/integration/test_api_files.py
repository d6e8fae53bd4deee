"""Downloads of a chat's files."""

import io
import zipfile

from leaf.services import chats
from leaf.services.files import ChatFiles
from tests.integration.web_fixtures import Browser, World


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
