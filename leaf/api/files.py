"""Downloads of the text files of a chat: one, or all of them."""

import asyncio
import io
import zipfile
from collections.abc import Sequence
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from leaf.api import http
from leaf.services.files import ChatFiles, FileText

_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


async def one(request: Request) -> Response:
    """`GET /api/chats/{chat_id}/files/{path}`: a file of a chat as it is now, as an attachment.

    Raises:
        errors.Invalid: The path is none.
        errors.NotFound: There is no such file, or no such chat for this caller.
    """
    session = await http.session(request)
    files = ChatFiles(session.actor, http.path_id(request, "chat_id", "chat"))
    file = await files.read(request.path_params["path"])
    return _attachment(file.content.encode(), "text/plain; charset=utf-8", file.path.rpartition("/")[2])


async def every(request: Request) -> Response:
    """`GET /api/chats/{chat_id}/files.zip`: all files of a chat.

    Raises:
        errors.NotFound: There is no such chat for this caller.
    """
    session = await http.session(request)
    files = ChatFiles(session.actor, http.path_id(request, "chat_id", "chat"))
    body = await asyncio.to_thread(_zipped, await files.texts())
    return _attachment(body, "application/zip", "files.zip")


def _zipped(files: Sequence[FileText]) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.writestr(file.path, file.content)
    return body.getvalue()


def _attachment(body: bytes, media_type: str, name: str) -> Response:
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    return Response(body, media_type=media_type, headers={**_HEADERS, "content-disposition": disposition})


routes = [
    Route("/api/chats/{chat_id}/files.zip", http.endpoint(every), methods=["GET"]),
    Route("/api/chats/{chat_id}/files/{path:path}", http.endpoint(one), methods=["GET"]),
]
