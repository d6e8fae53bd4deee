"""What is being written in a chat."""

from uuid import UUID

from sqlmodel import col, select

from leaf import errors
from leaf.db import models
from leaf.db.models import MessageRole
from leaf.db.session import Actor, transaction
from leaf.services import chats
from leaf.services.runs.starting import Turn


async def active(actor: Actor, chat_id: UUID) -> Turn | None:
    """The answer that is being written in a chat, on whichever branch; None where none is.

    Raises:
        errors.NotFound: There is no such chat for this person.
    """
    async with transaction(actor, read_only=True) as tx:
        chat = await chats.find(tx, chat_id)
        query = select(models.Message).where(
            col(models.Message.chat_session_id) == chat_id, col(models.Message.status).in_(chats.UNFINISHED)
        )
        answer = (await tx.session.exec(query.limit(1))).first()
        if answer is None:
            return None
        question = await tx.session.get_one(models.Message, answer.parent_id)
    return Turn(chats.message_of(question), chats.message_of(answer), chats.title_of(chat), chat_id)


async def run_of(actor: Actor, message_id: UUID) -> UUID:
    """The run that wrote an answer, or that writes it.

    Raises:
        errors.NotFound: There is no such answer for this person.
    """
    async with transaction(actor, read_only=True) as tx:
        row = await tx.session.get(models.Message, message_id)
    if row is None or row.role is not MessageRole.ASSISTANT or row.workflow_run_id is None:
        raise errors.NotFound("answer")
    return row.workflow_run_id
