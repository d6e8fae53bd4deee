"""The routes that clients of the AI SDK call: ask, follow an answer, stop."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

from fastapi import Header, Path
from starlette.requests import Request
from starlette.responses import Response

from leaf import errors
from leaf.api import http, stream, turns, ui_chunks
from leaf.api import runs as run_routes
from leaf.api.callers import MEMBERS_AND_GUESTS, Caller, Known
from leaf.api.routing import Route
from leaf.api.turns.body import ID_CHARACTERS
from leaf.documents import isolation
from leaf.parts import client_tools, request_body
from leaf.services import conversations

ChatName = Annotated[str, Path(min_length=1, max_length=ID_CHARACTERS)]
"""The id of a chat, or the id that the client has made for it."""
JUST_ENDED = timedelta(minutes=1)
"""The time after the end of an answer in which a client that was disconnected can still stream it."""
_STREAM = {200: {"description": "The run's chunks, live", "content": stream.CONTENT}}


async def ask(
    request: Request,
    caller: Known,
    body: turns.Ask,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Response:
    """Asks or edits a question, or regenerates an answer, and streams the answer.

    Every event is one AI SDK UI message chunk; its id is the chunk's index, and the last one is `[DONE]`. With `Accept:
    application/x-ndjson` they are lines. A request repeated while its answer is being written finds the same answer. If
    the last of `messages` is a waiting answer with results of its open calls, that answer continues.

    Raises:
        errors.Forbidden: The request comes from the page of a public link, which is read-only for everyone.
    """
    if http.parts_of(request.headers.get("referer", "")).path.startswith("/share/"):
        raise errors.Forbidden("A shared page is for reading. Open the chat itself to ask.", code="shared_page")

    async def begin() -> turns.Started:
        return await turns.start(caller, body)

    chat_id, run_id = await turns.once(caller, idempotency_key, body, begin)
    form = ui_chunks.Form.of(request, holds=body.continued is not None)
    return await ui_chunks.response(caller, form, run_id, headers=_chat_header(chat_id))


async def _pruned_body(body: bytes) -> bytes:
    """A large body without the messages that the handler does not read (`leaf.parts.request_body`).

    Raises:
        errors.Invalid: The body is not JSON, or has too many values.
    """
    try:
        return await isolation.essential(body)
    except request_body.Malformed as error:
        message = f"The body is no JSON: {error}." if str(error) else "The body cannot be read: send JSON in UTF-8."
        raise errors.Invalid(message, field="body") from None
    except request_body.TooMany:
        raise errors.Invalid("The body has too many values. Send the last message alone.", field="body") from None


async def resume(request: Request, caller: Known, chat: ChatName, start: run_routes.StartIndex = None) -> Response:
    """Streams the answer that is being written in a chat, or that has just ended, from its first chunk on; else 204.

    The id of a run in the place of the chat's names that answer, whether or not it is being written, as the AI SDK's
    `WorkflowChatTransport` does; with `startIndex` it is read as by `GET /api/runs/{run_id}`.
    """
    actor = caller.person.actor
    try:
        turn = await conversations.active(actor, await caller.chat_of(chat))
    except errors.NotFound:
        # Clients of the AI SDK also request chats that do not exist yet.
        turn = None
    if turn is None and start is not None:
        try:
            return await run_routes.read(request, caller, chat, start)
        except errors.NotFound:
            return Response(status_code=204)
    if turn is not None and start is not None:
        return await run_routes.read(request, caller, str(turn.assistant.run_id), start)
    found = (turn.chat_id, turn.assistant.run_id) if turn is not None else await _just_ended(caller, chat)
    if found is None or found[1] is None:
        return Response(status_code=204)
    return await ui_chunks.response(caller, ui_chunks.Form.of(request), found[1], headers=_chat_header(found[0]))


async def _just_ended(caller: Caller, chat: str) -> tuple[UUID, UUID | None] | None:
    """The ids of a chat and of the run of its answer that has just ended; None if there is no such answer.

    A page that has only a part of the answer gets the rest with it, because clients of the AI SDK replace a message by
    a replay with the same id. An answer with calls of client tools is left out, because these clients would make its
    calls again. An answer that waits for its reader is left out too.
    """
    actor = caller.person.actor
    try:
        chat_id = await caller.chat_of(chat)
        answer = await conversations.ended(actor, chat_id, JUST_ENDED)
    except errors.NotFound:
        return None
    if answer is None or answer.status == "waiting" or any(map(client_tools.is_at_caller, answer.parts)):
        return None
    return chat_id, answer.run_id


async def stop(caller: Known, chat: ChatName) -> Response:
    """Stops the running answer of a chat, or one that waits for a tool at its caller; its text stays. 204 also
    if no answer is running.
    """
    actor = caller.person.actor
    await conversations.stop_chat(actor, await caller.chat_of(chat))
    return Response(status_code=204)


def _chat_header(chat_id: UUID) -> dict[str, str]:
    """The header by which a client learns Leaf's own id of a chat."""
    return {"x-leaf-chat-id": str(chat_id)}


_NOTHING = {204: {"description": "Nothing is being written, and nothing has just ended"}}

routes = [
    # Clients of the AI SDK's `WorkflowChatTransport` send JSON with a content type of text.
    Route(
        "/api/chat", ask, method="POST", callers=MEMBERS_AND_GUESTS, scope="write", tag="Asking", takes_text=True,
        prunes=_pruned_body, responses=_STREAM,
    ),
    Route(
        "/api/chat/{chat}/stream", resume, callers=MEMBERS_AND_GUESTS, scope="read", tag="Asking",
        responses=_STREAM | _NOTHING,
    ),
    Route(
        "/api/chat/{chat}/stop", stop, method="POST", callers=MEMBERS_AND_GUESTS, scope="write", tag="Asking",
        status_code=204,
    ),
]  # fmt: skip
