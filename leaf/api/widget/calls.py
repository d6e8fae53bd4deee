"""Calls of tools that run in the visitor's page: taking one in hand, and handing in what came of it."""

from starlette.responses import Response

from leaf.api import http
from leaf.api.carrying import CallId, HandedIn, Taken, Taking, Token
from leaf.api.widget.door import Here, Route
from leaf.services import runs


async def claim_call(call: Here, message_id: str, call_id: CallId, body: Taking) -> Taken:
    """Takes in hand a call that an answer waits for, or keeps it; 409 where another tab has it."""
    actor = (await call.visitor()).required()
    return Taken.of(await runs.claim(actor, http.id_of(message_id, "answer"), call_id, body.tab, body.version))


async def hand_in(call: Here, token: Token, body: HandedIn) -> Response:
    """Hands in what came of a claimed call, and has the answer go on: `GET /api/chats/{id}/stream` tells it.

    The same once more is answered with 204 as well, and does nothing.
    """
    await runs.deliver((await call.visitor()).required(), token, body.delivery)
    return Response(status_code=204)


routes = [
    Route("/messages/{message_id}/calls/{call_id}/claim", claim_call, method="POST"),
    Route("/hooks/{token}", hand_in, method="POST", status_code=204, response_class=Response),
]
