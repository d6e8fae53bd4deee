"""The files of a chat: taking uploads, and downloads of one or all."""

from collections.abc import AsyncIterator
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from leaf import errors
from leaf.api import http, uploading
from leaf.api.archive import zipped
from leaf.documents import Kind
from leaf.documents.kinds import DOCX, PPTX, XLSX
from leaf.services.files import ChatFiles, FileRow, Original

_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
}
_TYPES: dict[Kind, str] = {"pdf": "application/pdf", "word": DOCX, "excel": XLSX, "powerpoint": PPTX}


async def upload(request: Request) -> Response:
    """`POST /api/chats/{chat_id}/files`: keeps the one file of a `multipart/form-data` request (field `file`).

    Whoever takes no part in the chat is refused before anything of the body is read. Answers 201 with what the file has
    become, 200 where the same file was there already.

    Raises:
        errors.Invalid: The request is malformed, the file is empty, or the chat has no room for it.
        errors.NotFound: There is no such chat for this caller.
        errors.LimitReached: The caller has too many uploads under way.
        errors.LeafError: 413, it is too large; 415, it is nothing that Leaf takes, or damaged; 408, it does not come.
    """
    session = await http.session(request)
    files = ChatFiles(session.actor, http.path_id(request, "chat_id", "chat"))
    await files.check()
    async with uploading.turn(session.user_id):
        name, data = await uploading.one_file(request)
        kept = await files.upload(name, data)
    told = {
        "path": kept.path, "version": kept.version, "kind": kept.kind, "size_bytes": kept.size_bytes,
        "created": kept.created, "read_only": kept.read_only, "notes": kept.notes,
    }  # fmt: skip
    return JSONResponse({"file": told}, status_code=201 if kept.created else 200, headers={"cache-control": "no-store"})


async def one(request: Request) -> Response:
    """`GET /api/chats/{chat_id}/files/{path}?version=N`: a file as it is now, or as it was, as an attachment.

    What was uploaded is given byte for byte.

    Raises:
        errors.Invalid: The path or the version is none.
        errors.NotFound: There is no such file or version, or no such chat for this caller.
    """
    session = await http.session(request)
    files = ChatFiles(session.actor, http.path_id(request, "chat_id", "chat"))
    file = await files.original(request.path_params["path"], _version(request))
    return Response(file.data, media_type=_type_of(file), headers=_attachment(file.path.rpartition("/")[2]))


async def every(request: Request) -> Response:
    """`GET /api/chats/{chat_id}/files.zip`: all files of a chat; uploads byte for byte.

    Raises:
        errors.NotFound: There is no such chat for this caller.
    """
    session = await http.session(request)
    files = ChatFiles(session.actor, http.path_id(request, "chat_id", "chat"))
    body = zipped(_originals(files, await files.listed()))
    return StreamingResponse(body, media_type="application/zip", headers=_attachment("files.zip"))


async def _originals(files: ChatFiles, rows: list[FileRow]) -> AsyncIterator[tuple[str, bytes]]:
    for row in rows:
        try:
            file = await files.original(row.path, row.version)
        except errors.NotFound:  # It has changed since it was listed, so often that this version is gone.
            continue
        yield file.path, file.data


def _version(request: Request) -> int | None:
    text = request.query_params.get("version")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise errors.Invalid("version must be a whole number.", field="version")
    return int(text)


def _type_of(file: Original) -> str:
    if file.kind in _TYPES:
        return _TYPES[file.kind]
    try:
        file.data.decode()
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "text/plain; charset=utf-8"


def _attachment(name: str) -> dict[str, str]:
    return {**_HEADERS, "content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}


routes = [
    Route("/api/chats/{chat_id}/files", http.endpoint(upload), methods=["POST"]),
    Route("/api/chats/{chat_id}/files.zip", http.endpoint(every), methods=["GET"]),
    Route("/api/chats/{chat_id}/files/{path:path}", http.endpoint(one), methods=["GET"]),
]
