"""Calls of tools that run at the caller: claiming one, and handing in its result."""

from typing import Annotated, Any, Self

from fastapi import Path
from pydantic import BaseModel, Field
from starlette.responses import Response

from leaf import client_tools, errors
from leaf.api import http
from leaf.api.callers import Known
from leaf.api.routing import Route
from leaf.api.turns.body import ID_CHARACTERS, Lenient
from leaf.services import runs
from leaf.services.runs import Claim, Delivery

_TOKEN_CHARACTERS = 6000

CallId = Annotated[str, Path(min_length=1, max_length=ID_CHARACTERS)]
Token = Annotated[str, Path(min_length=1, max_length=_TOKEN_CHARACTERS)]


class Taking(Lenient):
    """Who takes a call in hand."""

    tab: Annotated[str, Field(min_length=1, max_length=100)]
    """The caller's own name for the tab or process; whoever claims under the same name goes on."""
    version: Annotated[int, Field(ge=1)] | None = None
    """The version of the tool that the caller has."""


class Taken(BaseModel):
    """A call that the caller is to carry out now."""

    runId: str  # noqa: N815 - the wire's own spelling
    toolCallId: str  # noqa: N815
    toolName: str  # noqa: N815
    version: int
    params: Any
    """The arguments, which fit the tool's schema."""
    documentId: str | None  # noqa: N815
    hookToken: str  # noqa: N815
    """For `POST /api/hooks/{token}`: good for one result of this call, and for this person alone."""
    leaseSeconds: float  # noqa: N815
    """Claim it again within this time to keep it."""
    dueSeconds: float  # noqa: N815
    """Hand the result in within this time."""

    @classmethod
    def of(cls, claim: Claim) -> Self:
        """A claim as it is told."""
        return cls(
            runId=str(claim.run_id),
            toolCallId=claim.call_id,
            toolName=claim.tool,
            version=claim.version,
            params=claim.arguments,
            documentId=claim.document,
            hookToken=claim.token,
            leaseSeconds=claim.lease_seconds,
            dueSeconds=claim.due_seconds,
        )


class HandedIn(Lenient):
    """What came of a call: `result`, or `error`."""

    toolCallId: Annotated[str, Field(max_length=ID_CHARACTERS)]  # noqa: N815
    version: Annotated[int, Field(ge=1)] | None = None
    """The version of the tool that was run; refused where the call was made with another one."""
    documentId: Annotated[str, Field(max_length=client_tools.DOCUMENT_CHARACTERS)] | None = None  # noqa: N815
    """The document that it was run on; refused where the call is for another one."""
    result: Any = None
    error: Annotated[str, Field(max_length=10_000)] | None = None

    @property
    def answer(self) -> dict[str, Any]:
        """As the services take it.

        Raises:
            errors.Invalid: Both were given, or neither.
        """
        given = {"result", "error"} & self.model_fields_set
        if len(given) != 1:
            raise errors.Invalid("Give the result of the call, or its error.", field="result")
        return {"output": self.result} if "result" in given else {"error": self.error or ""}

    @property
    def delivery(self) -> Delivery:
        """As the services take it, with what it was run as.

        Raises:
            errors.Invalid: Both were given, or neither.
        """
        return Delivery(self.toolCallId, self.answer, self.version, self.documentId)


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
