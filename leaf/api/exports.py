"""The export of a chat as a file, and the import of chats from a file."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from leaf.api import http, uploads
from leaf.api.archive import zipped
from leaf.api.callers import Caller, Known
from leaf.api.chat import ChatName
from leaf.api.routing import Route
from leaf.parts import portable
from leaf.services import chats, exports, imports
from leaf.telemetry.metrics import instruments


async def export_as_json(caller: Known, chat: ChatName) -> Response:
    """Gives a chat with all of its branches, in the format of docs/chat-format.md."""
    found = await _export_of(caller, chat)
    headers = http.attachment(portable.file_name(found.title, ".json"))
    return StreamingResponse(found.as_json(), media_type="application/json", headers=headers)


async def export_as_markdown(request: Request, caller: Known, chat: ChatName) -> Response:
    """Returns the caller's branch of a chat as Markdown, in the language that the request accepts."""
    found = await _export_of(caller, chat)
    body = found.as_markdown(http.language(request))
    headers = http.attachment(portable.file_name(found.title, ".md"))
    return StreamingResponse(body, media_type="text/markdown; charset=utf-8", headers=headers)


async def export_as_zip(caller: Known, chat: ChatName) -> Response:
    """Gives a chat as an archive: as Markdown, as JSON, its rows, and its files with their versions."""
    found = await _export_of(caller, chat)
    entries = exports.chat(caller.person.actor, found.chat_id)
    # The first entry is read before the response begins, because the chat may have been deleted meanwhile.
    first = await anext(entries)
    body = zipped(_contents(first, entries))
    return StreamingResponse(
        body, media_type="application/zip", headers=http.attachment(portable.file_name(found.title, ".zip"))
    )


async def begin_import(request: Request, caller: Known) -> Response:
    """Keeps the one file of a `multipart/form-data` request (field `file`) for a worker that makes chats of it.

    Raises:
        errors.Invalid: The request is malformed, or the file is empty.
        errors.Conflict: The caller's last import has not ended.
        errors.LimitReached: The caller has too many concurrent uploads, or has imported too often.
        errors.LeafError: 413, the file is too large; 408, the file does not arrive in time.
    """
    async with uploads.turn(caller.person.user_id):
        name, data = await uploads.one_file(request, portable.FILE_BYTES)
        import_id = await imports.begin(caller.person.actor, name, data)
    return JSONResponse({"import": str(import_id)}, status_code=202, headers={"cache-control": "no-store"})


async def _export_of(caller: Caller, chat: str) -> exports.ChatExport:
    actor = caller.person.actor
    found = await exports.of_chat(actor, await chats.named(actor, chat))
    instruments.count_feature("export")
    return found


async def _contents(
    first: exports.Entry, others: AsyncGenerator[exports.Entry]
) -> AsyncGenerator[tuple[str, bytes | AsyncIterator[bytes]]]:
    async with aclosing(others):
        yield first.path, first.pieces
        async for entry in others:
            yield entry.path, entry.pieces


_BEGUN: dict[int | str, dict[str, Any]] = {
    202: {
        "description": "The import, which a worker goes on with",
        "content": {
            "application/json": {
                "schema": {"type": "object", "properties": {"import": {"type": "string", "format": "uuid"}}}
            }
        },
    }
}


routes = [
    Route(
        "/api/chats/{chat}/export.json", export_as_json, scope="read", tag="Export",
        responses=http.described("The chat", "application/json"),
    ),
    Route(
        "/api/chats/{chat}/export.md", export_as_markdown, scope="read", tag="Export",
        responses=http.described("The chat", "text/markdown"),
    ),
    Route(
        "/api/chats/{chat}/export.zip", export_as_zip, scope="read", tag="Export",
        responses=http.described("The chat", "application/zip"),
    ),
    Route(
        "/api/imports", begin_import, method="POST", scope="write", tag="Export", takes_file=True, responses=_BEGUN,
        status_code=202,
    ),
]  # fmt: skip
