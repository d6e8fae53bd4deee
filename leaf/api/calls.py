"""Calls of tools that run at the caller: claiming a call and handing in its result."""

from typing import Annotated, Any, Self

from fastapi import Path
from pydantic import BaseModel, Field
from starlette.responses import Response

from leaf import errors
from leaf.api import http
from leaf.api.callers import Known
from leaf.api.routing import Route
from leaf.api.turns.body import ID_CHARACTERS, Lenient
from leaf.parts import client_tools
from leaf.services import runs
from leaf.services.runs import Claim, Delivery

_TOKEN_CHARACTERS = 6000

CallId = Annotated[str, Path(min_length=1, max_length=ID_CHARACTERS)]
Token = Annotated[str, Path(min_length=1, max_length=_TOKEN_CHARACTERS)]


class Taking(Lenient):
    """The claimant of a call."""

    tab: Annotated[str, Field(min_length=1, max_length=100)]
    """The caller's own name for the tab or process. A claim under the same name is renewed."""
    version: Annotated[int, Field(ge=1)] | None = None
    """The version of the tool at the caller."""


class Taken(BaseModel):
    """A claimed call, to be carried out now."""

    runId: str  # noqa: N815 - the wire's own spelling
    toolCallId: str  # noqa: N815
    toolName: str  # noqa: N815
    version: int
    params: Any
    """The arguments, which match the tool's schema."""
    documentId: str | None  # noqa: N815
    hookToken: str  # noqa: N815
    """The token for `POST /api/hooks/{token}`. It is valid for one result of this call, sent by this caller."""
    leaseSeconds: float  # noqa: N815
    """Claim the call again within this time to keep it."""
    dueSeconds: float  # noqa: N815
    """Hand in the result within this time."""

    @classmethod
    def of(cls, claim: Claim) -> Self:
        """The response to a claim."""
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
    """The outcome of a call: `result` or `error`."""

    toolCallId: Annotated[str, Field(max_length=ID_CHARACTERS)]  # noqa: N815
    version: Annotated[int, Field(ge=1)] | None = None
    """The version of the tool that was run. It must be the version with which the call was made."""
    documentId: Annotated[str, Field(max_length=client_tools.DOCUMENT_CHARACTERS)] | None = None  # noqa: N815
    """The document that the tool was run on. It must be the document of the call, if the call has one."""
    result: Any = None
    error: Annotated[str, Field(max_length=10_000)] | None = None

    @property
    def answer(self) -> dict[str, Any]:
        """The outcome in the form of the services.

        Raises:
            errors.Invalid: The body has both `result` and `error`, or neither.
        """
        sent = {"result", "error"} & self.model_fields_set
        if len(sent) != 1:
            raise errors.Invalid("Send the result of the call or its error.", field="result")
        return {"output": self.result} if "result" in sent else {"error": self.error or ""}

    @property
    def delivery(self) -> Delivery:
        """The outcome in the form of the services, with the tool's version and document.

        Raises:
            errors.Invalid: The body has both `result` and `error`, or neither.
        """
        return Delivery(self.toolCallId, self.answer, self.version, self.documentId)


async def claim_call(caller: Known, message_id: str, call_id: CallId, body: Taking) -> Taken:
    """Claims a call that an answer waits for, or renews the claim; 409 if another tab has it."""
    message = http.id_of(message_id, "answer")
    taken = await runs.claim(caller.person.actor, message, call_id, body.tab, body.version)
    return Taken.of(taken)


async def hand_in(caller: Known, token: Token, body: HandedIn) -> Response:
    """Hands in the outcome of a claimed call; the answer continues, and `GET /api/chat/{id}/stream` streams it.

    If the same outcome is sent again, the answer is 204 too, and nothing changes.
    """
    await runs.deliver(caller.person.actor, token, body.delivery)
    return Response(status_code=204)


routes = [
    Route(
        "/api/messages/{message_id}/calls/{call_id}/claim", claim_call, method="POST", scope="write", tag="Client tools"
    ),
    Route("/api/hooks/{token}", hand_in, method="POST", scope="write", tag="Client tools", status_code=204),
]  # fmt: skip
