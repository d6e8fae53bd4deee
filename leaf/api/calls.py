"""Calls of tools that run at the caller: claiming one, and handing in what came of it."""

from starlette.responses import Response

from leaf.api import http
from leaf.api.callers import Known
from leaf.api.carrying import CallId, HandedIn, Taken, Taking, Token
from leaf.api.routing import Route
from leaf.services import runs


async def claim_call(caller: Known, message_id: str, call_id: CallId, body: Taking) -> Taken:
    """Takes in hand a call that an answer waits for, or keeps it; 409 where another tab has it."""
    message = http.id_of(message_id, "answer")
    taken = await runs.claim(caller.person.actor, message, call_id, body.tab, body.version)
    return Taken.of(taken)


async def hand_in(caller: Known, token: Token, body: HandedIn) -> Response:
    """Hands in what came of a claimed call, and has the answer go on: `GET /api/chat/{id}/stream` tells it.

    The same once more is answered with 204 as well, and does nothing.
    """
    await runs.deliver(caller.person.actor, token, body.delivery)
    return Response(status_code=204)


routes = [
    Route(
        "/api/messages/{message_id}/calls/{call_id}/claim", claim_call, method="POST", scope="write", tag="Client tools"
    ),
    Route(
        "/api/hooks/{token}", hand_in, method="POST", scope="write", tag="Client tools", status_code=204,
        response_class=Response,
    ),
]  # fmt: skip
