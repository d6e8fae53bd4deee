"""Ratings of answers, and replies to answers that wait for their reader."""

from typing import Annotated, Any

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from leaf.api import http
from leaf.api.callers import Known
from leaf.api.routing import Route
from leaf.api.turns.body import Lenient
from leaf.services import conversations, feedback, runs


class Judgement(Lenient):
    """A rating of an answer."""

    sentiment: feedback.Sentiment
    comment: Annotated[str, Field(max_length=feedback.COMMENT_CHARACTERS)] = ""


class Reply(Lenient):
    """The reply to an open call of an answer."""

    toolCallId: Annotated[str, Field(max_length=200)]  # noqa: N815 - the wire's own spelling
    answer: dict[str, Any]
    """`{"approved": true}` for a call that needs approval; for a question `{"selectedOptions": […], "inputText": …}`
    or `{"skipped": true}`."""


class Waiting(BaseModel):
    """Whether an answer continues."""

    goesOn: bool  # noqa: N815
    """Whether the answer continues now. It is false while another of its calls is open."""


async def judge_answer(request: Request, caller: Known, message_id: str, body: Judgement) -> Response:
    """Rates an answer; an earlier rating by the caller is replaced."""
    actor = caller.person.actor
    run_id = await runs.run_of(actor, http.id_of(message_id, "answer"))
    agent = request.headers.get("user-agent", "")
    await feedback.rate(actor, run_id, body.sentiment, body.comment, user_agent=agent)
    return Response(status_code=204)


async def take_back_judgement(caller: Known, message_id: str) -> Response:
    """Removes the caller's rating of an answer."""
    actor = caller.person.actor
    await feedback.take_back(actor, await runs.run_of(actor, http.id_of(message_id, "answer")))
    return Response(status_code=204)


async def answer_call(caller: Known, message_id: str, body: Reply) -> Waiting:
    """Replies to an open call of an answer; after the last reply the answer continues, and `GET
    /api/chat/{id}/stream` streams it.
    """
    message = http.id_of(message_id, "answer")
    turn = await conversations.answer(caller.person.actor, message, body.toolCallId, body.answer)
    return Waiting(goesOn=turn.assistant.unfinished)


_ANSWER = "/api/messages/{message_id}"

routes = [
    Route(f"{_ANSWER}/feedback", judge_answer, method="PUT", scope="write", tag="Answers", status_code=204),
    Route(f"{_ANSWER}/feedback", take_back_judgement, method="DELETE", scope="write", tag="Answers", status_code=204),
    Route(f"{_ANSWER}/answers", answer_call, method="POST", scope="write", tag="Answers"),
]  # fmt: skip
