"""The files of a chat: uploads, and downloads of one file or of all."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from leaf import errors
from leaf.api import http, uploads
from leaf.api.archive import zipped
from leaf.api.callers import Caller, Known
from leaf.api.chat import ChatName
from leaf.api.routing import Route
from leaf.documents import SUFFIXES, Kind
from leaf.documents.kinds import DOCX, PPTX, XLSX
from leaf.services import chats
from leaf.services.files import ChatFiles, FileRow, Original
from leaf.texts.notes import note_text

_PLACE_CHARACTERS = 200
_QUOTE_CHARACTERS = 1000
_TYPES: dict[Kind, str] = {"pdf": "application/pdf", "word": DOCX, "excel": XLSX, "powerpoint": PPTX}


class ChatFile(BaseModel):
    """A file of a chat in a list."""

    path: str
    version: int
    kind: str
    size_bytes: int
    updated_at: datetime
    by: str
    """The author of the last change: agent, you or other."""
    read_only: bool
    """Whether the text of the file can be read but not edited."""


async def list_files(caller: Known, chat: ChatName) -> list[ChatFile]:
    """Lists the files of a chat by path."""
    files = await _files_of(caller, chat)
    return [
        ChatFile(
            path=row.path, version=row.version, kind=row.kind, size_bytes=row.size_bytes, updated_at=row.updated_at,
            by=row.by, read_only=row.read_only,
        )
        for row in await files.listed()
    ]  # fmt: skip


async def upload_file(request: Request, caller: Known, chat: ChatName) -> Response:
    """Stores the one file of a `multipart/form-data` request (field `file`).

    A caller who is not a participant of the chat is refused before the body is read. The answer is 201 with the stored
    file, or 200 if the same file already exists.

    Raises:
        errors.Invalid: The request is malformed, the file is empty, or the chat has no room for it.
        errors.NotFound: There is no such chat for this caller.
        errors.LimitReached: The caller has too many concurrent uploads.
        errors.LeafError: 413, the file is too large; 415, it is damaged or of a type that Leaf does not accept; 408, it
        does not arrive in time.
    """
    files = await _files_of(caller, chat)
    await files.check()
    async with uploads.turn(caller.person.user_id):
        name, data = await uploads.one_file(request)
        kept = await files.upload(name, data)
    say = http.words(request)
    file = {
        "path": kept.path, "version": kept.version, "kind": kept.kind, "size_bytes": kept.size_bytes,
        "created": kept.created, "read_only": kept.read_only, "notes": [note_text(one, say) for one in kept.notes],
    }  # fmt: skip
    return JSONResponse({"file": file}, status_code=201 if kept.created else 200, headers={"cache-control": "no-store"})


async def download_file(
    caller: Known,
    chat: ChatName,
    path: str,
    version: Annotated[str | None, Query(description="A whole number; the newest where it is not given")] = None,
) -> Response:
    """Returns the current or an earlier version of a file as an attachment.

    Uploads are returned byte for byte.

    Raises:
        errors.Invalid: The path or the version is malformed.
        errors.NotFound: There is no such file or version, or no such chat for this caller.
    """
    file = await (await _files_of(caller, chat)).original(path, _version(version))
    return Response(file.data, media_type=_media_type_of(file), headers=http.attachment(file.path.rpartition("/")[2]))


async def read_picture(
    caller: Known,
    chat: ChatName,
    path: str,
    place: Annotated[str, Query(max_length=_PLACE_CHARACTERS, description="The place, such as `page 3`")],
    quote: Annotated[str, Query(max_length=_QUOTE_CHARACTERS, description="The words to mark")] = "",
    version: Annotated[str | None, Query(description="A whole number; the newest where it is not given")] = None,
) -> Response:
    """Returns the picture of a page of a PDF, or of a picture in an upload, with the lines of a quote marked, as JPEG.

    Raises:
        errors.Invalid: The path or the version is malformed.
        errors.NotFound: There is no such chat for this caller, no such file or version, no picture at this place, or no
        text in the picture although words are to be marked.
    """
    picture = await (await _files_of(caller, chat)).picture(path, _version(version), place, quote)
    return Response(picture, media_type="image/jpeg", headers=http.FILE_HEADERS)


async def delete_file(caller: Known, chat: ChatName, path: str) -> Response:
    """Deletes a file of a chat; its history keeps the earlier versions."""
    await (await _files_of(caller, chat)).delete(path)
    return Response(status_code=204)


async def download_files(caller: Known, chat: ChatName) -> Response:
    """Returns all files of a chat as an archive; uploads byte for byte.

    Raises:
        errors.NotFound: There is no such chat for this caller.
    """
    files = await _files_of(caller, chat)
    body = zipped(_originals(files, await files.listed()))
    return StreamingResponse(body, media_type="application/zip", headers=http.attachment("files.zip"))


async def _originals(files: ChatFiles, rows: list[FileRow]) -> AsyncIterator[tuple[str, bytes]]:
    for row in rows:
        try:
            file = await files.original(row.path, row.version)
        except errors.NotFound:  # The file has changed so often since it was listed that this version is gone.
            continue
        yield file.path, file.data


async def _files_of(caller: Caller, chat: str) -> ChatFiles:
    return ChatFiles(caller.person.actor, await chats.named(caller.person.actor, chat))


def _version(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise errors.Invalid("version must be a whole number.", field="version")
    return int(text)


def _media_type_of(file: Original) -> str:
    if file.kind in _TYPES and file.path.lower().endswith(SUFFIXES[file.kind]):
        return _TYPES[file.kind]
    try:
        file.data.decode()
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "text/plain; charset=utf-8"


_BYTES = http.described("The file", "application/octet-stream")
_PICTURE = http.described("The picture", "image/jpeg")
_ARCHIVE = http.described("The files", "application/zip")
_KEPT: dict[int | str, Any] = {
    code: {"description": text, "content": {"application/json": {"schema": {"type": "object"}}}}
    for code, text in ((200, "The same file was there already"), (201, "What the file has become"))
}
_FILES, _FILE = "/api/chats/{chat}/files", "/api/chats/{chat}/files/{path:path}"

routes = [
    Route(_FILES, list_files, scope="read", tag="Files"),
    Route(
        _FILES, upload_file, method="POST", scope="write", takes_file=True,
        responses=_KEPT, status_code=201, tag="Files",
    ),
    Route(f"{_FILES}.zip", download_files, scope="read", responses=_ARCHIVE, tag="Files"),
    Route("/api/chats/{chat}/pictures/{path:path}", read_picture, scope="read", responses=_PICTURE, tag="Files"),
    Route(_FILE, download_file, scope="read", responses=_BYTES, tag="Files"),
    Route(_FILE, delete_file, method="DELETE", scope="write", status_code=204, tag="Files"),
]  # fmt: skip
