"""Messages of site visitors: send a message, follow or stop its answer, and hand in results of the page's tools."""

import hashlib
import json
from typing import Annotated, Any

from fastapi import Header, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from leaf import errors, sites
from leaf.api import http, stream, turns, uploads
from leaf.api.calls import CallId, HandedIn, Taken, Taking, Token
from leaf.api.site import frames
from leaf.api.site.callers import Here, route
from leaf.api.turns.body import Lenient
from leaf.parts import question_files
from leaf.services import conversations, runs
from leaf.services.files import too_large
from leaf.services.sites import visitors

_LARGEST_INDEX = 2**31


class NewMessage(Lenient):
    """A message of the visitor, with the context that the page reports."""

    content: str | None = None
    message: str | None = None
    """Alternative name of the text."""
    context: Any = None
    files: Annotated[list[str], Field(max_length=question_files.MOST_ATTACHMENTS, default_factory=list[str])]
    """The paths of files that were uploaded before (`POST /api/chats/{chat}/files`)."""
    metadata: Any = None
    """An object that Leaf stores with the message, at most 16 kB as JSON."""


async def send_message(
    request: Request,
    call: Here,
    chat: str,
    body: NewMessage,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Response:
    """Sends a message, and streams the answer as frames; the last one is `done`.

    The frames are lines with `Accept: application/x-ndjson`, and otherwise server-sent events.
    """
    content = body.content if body.content is not None else body.message
    if content is None:
        raise errors.Invalid("content: a message must not be empty.", field="content")
    context = sites.context_of(body.context)
    who, chat_id = await call.visitor(), http.id_of(chat, "chat")

    extras = {"files": body.files, "metadata": sites.metadata_of(body.metadata)}

    async def begin() -> turns.Started:
        terms = visitors.terms(who, context, call.address)
        try:
            turn = await conversations.ask(who.required(), chat_id, content, extras=extras, terms=terms)
        except errors.Invalid as error:
            # The field has another name in this API.
            error.field = "content" if error.field == "text" else error.field
            raise
        if turn.assistant.run_id is None:
            raise errors.LeafError.unexpected()
        return chat_id, turn.assistant.run_id

    if idempotency_key is None:
        started = await begin()
    else:
        mark = hashlib.sha256(json.dumps([str(chat_id), content, *body.files]).encode()).hexdigest()
        started = await turns.once_as(str(who.required().user_id), idempotency_key, mark, begin)
    return frames.response(request, call, who, frames.Place(*started))


async def resume_answer(
    request: Request,
    call: Here,
    chat: str,
    after: Annotated[int, Query(ge=-1, le=_LARGEST_INDEX)] = -1,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """Streams the running answer of a chat, from its beginning or after a frame; 204 if no answer is being written."""
    who, chat_id = await call.visitor(), http.id_of(chat, "chat")
    turn = await conversations.active(who.required(), chat_id)
    if turn is None or turn.assistant.run_id is None:
        return Response(status_code=204)
    known = http.last_event(last_event_id)
    place = frames.Place(chat_id, turn.assistant.run_id, after if known is None else known)
    return frames.response(request, call, who, place)


class SentFile(BaseModel):
    """A stored file."""

    path: str
    """The path under which the file is stored."""
    kind: str
    bytes: int


async def send_file(request: Request, call: Here, chat: str) -> SentFile:
    """Stores the one file of a `multipart/form-data` request (field `file`), to be sent with the next message.

    The agent has to accept files.
    """
    who = await call.visitor()
    files = await visitors.count_file(who, http.id_of(chat, "chat"), call.address)
    async with uploads.turn(who.required().user_id):
        name, data = await uploads.one_file(request, visitors.FILE_BYTES)
        if len(data) > visitors.FILE_BYTES:
            raise too_large(visitors.FILE_BYTES)
        kept = await files.upload(name, data)
    return SentFile(path=kept.path, kind=kept.kind, bytes=kept.size_bytes)


async def stop_answer(call: Here, chat: str) -> Response:
    """Stops the running answer of a chat, or one that waits for a tool of the page; its text stays. Always 204."""
    actor, chat_id = (await call.visitor()).required(), http.id_of(chat, "chat")
    await conversations.stop_chat(actor, chat_id)
    return Response(status_code=204)


async def claim_call(call: Here, message_id: str, call_id: CallId, body: Taking) -> Taken:
    """Claims a call that an answer waits for, or renews the claim; 409 if another tab has it."""
    actor = (await call.visitor()).required()
    return Taken.of(await runs.claim(actor, http.id_of(message_id, "answer"), call_id, body.tab, body.version))


async def hand_in(call: Here, token: Token, body: HandedIn) -> Response:
    """Hands in the outcome of a claimed call; the answer continues, and `GET /api/chats/{id}/stream` streams it.

    If the same outcome is sent again, the answer is 204 too, and nothing changes.
    """
    await runs.deliver((await call.visitor()).required(), token, body.delivery)
    return Response(status_code=204)


_STREAM: dict[int | str, dict[str, Any]] = {200: {"description": "Frames, live", "content": stream.CONTENT}}
_NOTHING: dict[int | str, dict[str, Any]] = {204: {"description": "Nothing is being written"}}

routes = [
    route("/chats/{chat}/messages", send_message, method="POST", responses=_STREAM),
    route("/chats/{chat}/files", send_file, method="POST", status_code=201, takes_file=True),
    route("/chats/{chat}/stream", resume_answer, responses=_STREAM | _NOTHING),
    route("/chats/{chat}/stop", stop_answer, method="POST", status_code=204),
    route("/messages/{message_id}/calls/{call_id}/claim", claim_call, method="POST"),
    route("/hooks/{token}", hand_in, method="POST", status_code=204),
]
