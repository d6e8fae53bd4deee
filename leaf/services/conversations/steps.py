"""Steps that several operations on conversations share."""

from typing import Any
from uuid import UUID, uuid4

from leaf import errors
from leaf.config.catalog import Choice
from leaf.db import models
from leaf.db.actor import Actor
from leaf.db.models import MessageRole, MessageStatus
from leaf.parts import Part
from leaf.parts.client_tools import Declared
from leaf.services import chats
from leaf.services import models as model_service
from leaf.services.conversations.store import USUAL_MODEL, Draft, Turn
from leaf.services.runs import answer as answers
from leaf.services.runs import calls

CHOSEN_MODEL = "chosenModel"
"""The field in an answer's details that holds the model named for its chat."""


def model_of(details: dict[str, Any]) -> str | None:
    """The model that an answer's details name for the chat; None if they name none or it may no longer be chosen."""
    named = details.get(CHOSEN_MODEL)
    return named if named is not None and model_service.may_be_chosen(named) else None


def name_model(row: models.Message, named: str | None) -> None:
    """Stores the model that was named for the chat in its newest answer, where the next question looks for it."""
    if named is not None:
        row.details = {**row.details, CHOSEN_MODEL: named}


async def named_model(draft: Draft, after: UUID | None, asked: str | None) -> str | None:
    """The name of the model that answers a question; None for the usual model of the mode and kind.

    Args:
        draft: The chat.
        after: The answer that the question follows. Its details hold the model of the chat.
        asked: The model that the asker has named, or `USUAL_MODEL`; None for the model of the chat.
    """
    if asked is not None:
        return None if asked == USUAL_MODEL else asked
    return model_of(await draft.details_of(after)) if after is not None else None


async def insert_turn(
    draft: Draft,
    actor: Actor,
    parts: list[Part],
    choice: Choice,
    *,
    tools: Declared | None = None,
    after: UUID | None,
    question_id: UUID | None = None,
    details: dict[str, Any] | None = None,
    named: str | None = None,
    closed: tuple[chats.Message, ...] = (),
) -> Turn:
    """Stores a question and its pending answer, and returns the turn. The run is enqueued after the change is stored.

    Args:
        draft: The chat.
        actor: The asker.
        parts: The parts of the question.
        choice: The model that answers.
        tools: Tools that run at the caller.
        after: The answer that the question follows; None at the beginning of the chat.
        question_id: The id of the question; None for a new one.
        details: The details of the question.
        named: The model that was named for the chat.
        closed: The result of `close_waiting`.
    """
    asked = models.Message(
        id=question_id or uuid4(), chat_session_id=draft.chat_id, parent_id=after, role=MessageRole.USER,
        parts=parts, user_id=actor.user_id, details=details or {},
    )  # fmt: skip
    row = models.Message(
        chat_session_id=draft.chat_id, parent_id=asked.id, role=MessageRole.ASSISTANT, user_id=actor.user_id
    )
    make_pending(draft, row, choice, tools)
    name_model(row, named)
    await draft.store(asked, row)
    title = draft.title(str(parts[0]["text"]))
    return Turn(chats.message_of(asked), chats.message_of(row), title, draft.chat_id, after, closed)


def make_pending(draft: Draft, row: models.Message, choice: Choice, tools: Declared | None) -> None:
    """Makes an answer pending. The run is enqueued after the change is stored."""
    answers.make_pending(row, choice)
    row.client_tools = tools.model_dump(mode="json") if tools is not None else None
    draft.begin(row)


async def turn_of(draft: Draft, row: models.Message, closed: tuple[chats.Message, ...] = ()) -> Turn:
    """Stores an answer that restarts or continues, and returns its turn.

    Raises:
        errors.NotFound: The answer has no question.
    """
    await draft.store(row)
    if row.parent_id is None:
        raise errors.NotFound("question")
    asked = await draft.find(row.parent_id, MessageRole.USER)
    title = draft.title("")
    return Turn(chats.message_of(asked), chats.message_of(row), title, draft.chat_id, asked.parent_id, closed)


async def close_waiting(draft: Draft) -> tuple[chats.Message, ...]:
    """Ends the answers that wait for the actor, because the actor continues with another message.

    An answer that waits for a tool of its caller is stopped.
    """
    rows = await draft.waiting()
    for row in rows:
        answers.close(row, MessageStatus.STOPPED if calls.next_call(row) is not None else MessageStatus.COMPLETED)
    if rows:
        await draft.store(*rows)
    return tuple(map(chats.message_of, rows))
