"""Watched questions. Leaf asks them again when a file changes that is cited or that matches the question."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Path
from pydantic import BaseModel
from starlette.responses import Response

from leaf.api import http
from leaf.api.callers import Known
from leaf.api.routing import Route
from leaf.api.turns.body import ID_CHARACTERS, Lenient
from leaf.services import watches

WatchId = Annotated[str, Path(min_length=1, max_length=ID_CHARACTERS)]


class Watch(BaseModel):
    """A watched question."""

    id: UUID
    chat: UUID
    message: UUID
    """The question."""
    question: str
    """The beginning of the question's text."""
    kind: Literal["change", "appear"]
    every: Literal["day", "week"]
    state: str
    """`watching`, `asking`, `found` (ended), `archived`, `drive` (not connected), `budget` or `failed`."""
    news: bool
    """Whether there is a different answer that the caller has not seen."""
    answer: UUID | None
    """The last answer that Leaf has requested by itself."""
    askedAt: datetime | None  # noqa: N815 - the wire's own spelling
    createdAt: datetime  # noqa: N815


class NewWatch(Lenient):
    """A question to watch."""

    message: str
    """The id of the question, or of an answer to it."""
    kind: Literal["change", "appear"] = "change"
    """`change` for news about differences; `appear` for news about the first answer that is proved by a checked
    quote."""
    every: Literal["day", "week"] = "day"
    """The minimum time between two runs of the question."""


class WatchChange(Lenient):
    """A change of a watched question."""

    every: Literal["day", "week"]


async def list_watches(caller: Known) -> list[Watch]:
    """Lists the caller's watched questions: those with news first, then the newest."""
    return [_as_json(one) for one in await watches.listed(caller.person.actor)]


async def watch_question(caller: Known, body: NewWatch) -> Watch:
    """Watches a question that has an answer. It is asked again, as another version of the answer, when a file changes
    that is cited or that matches; an unchanged Drive costs nothing. A question that is watched already gets the new
    kind and rhythm.
    """
    message_id = http.id_of(body.message, "message")
    return _as_json(await watches.begin(caller.person.actor, message_id, kind=body.kind, every=body.every))


async def change_watch(caller: Known, watch: WatchId, body: WatchChange) -> Watch:
    """Sets how often a watched question may be asked."""
    return _as_json(await watches.change(caller.person.actor, http.id_of(watch, "watch"), every=body.every))


async def stop_watching(caller: Known, watch: WatchId) -> Response:
    """Stops watching a question. Its answers stay."""
    await watches.end(caller.person.actor, http.id_of(watch, "watch"))
    return Response(status_code=204)


def _as_json(one: watches.Watch) -> Watch:
    return Watch(
        id=one.id, chat=one.chat_id, message=one.question_id, question=one.question, kind=one.kind, every=one.every,
        state=one.state, news=one.is_news, answer=one.answer_id, askedAt=one.asked_at, createdAt=one.created_at,
    )  # fmt: skip


_ONE = "/api/watches/{watch}"

routes = [
    Route("/api/watches", list_watches, scope="read", tag="Watched questions"),
    Route("/api/watches", watch_question, method="POST", scope="write", tag="Watched questions", status_code=201),
    Route(_ONE, change_watch, method="PATCH", scope="write", tag="Watched questions"),
    Route(_ONE, stop_watching, method="DELETE", scope="write", tag="Watched questions", status_code=204),
]  # fmt: skip
