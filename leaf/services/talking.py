"""What a page does with the chat that is open: the one place where pages tell members and guests apart."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from leaf import errors, texts
from leaf.catalog import Kind, Mode
from leaf.db.actor import Actor
from leaf.services import chats, guests, runs

ONCE = "once"
"""What the key is called among a message's extras under which its page sends it (`runs.id_of`)."""


async def say(actor: Actor, chat_id: UUID, text: str, *, extras: Mapping[str, Any], mode: Mode, kind: Kind) -> None:
    """Asks a question, now or when the running answer has ended (`runs.say`, `guests.send`); guests bring no files.

    What was sent already under the same key (`ONCE`) is not asked again.

    Raises:
        errors.Invalid: A guest's question names files.
    """
    question_id = runs.id_of(actor.user_id or chat_id, extras.get(ONCE))
    if actor.kind == "guest" and any(value for name, value in extras.items() if name != ONCE):
        raise errors.Invalid(texts.english("errors.guest_drive"), field="extras")
    try:
        if actor.kind == "guest":
            await guests.send(actor, chat_id, text, mode=mode, question_id=question_id)
        else:
            await runs.say(actor, chat_id, text, extras=extras, mode=mode, kind=kind, question_id=question_id)
    except errors.Conflict as error:
        if error.code != runs.SENT:
            raise


async def sent(actor: Actor, key: str) -> UUID | None:
    """The chat of a message that was sent under a key; None where it was not stored (`runs.sent`, `guests.open`)."""
    if actor.kind == "guest":
        chat = await guests.open(actor)
        message_id = runs.id_of(chat.guest.chat_id, key)
        return chat.guest.chat_id if any(row.id == message_id for row in chat.rows) else None
    message_id = runs.id_of(actor.user_id, key) if actor.user_id is not None else None
    return await runs.sent(actor, message_id) if message_id is not None else None


async def retry(actor: Actor, message_id: UUID, *, model: str | None = None) -> None:
    """Answers the last question again (`runs.retry`, `guests.retry`); guests choose no model."""
    if actor.kind == "guest":
        await guests.retry(actor, message_id)
    else:
        await runs.retry(actor, message_id, model=model)


async def answer(actor: Actor, message_id: UUID, call_id: str, given: dict[str, Any]) -> None:
    """Answers what an answer waits for (`runs.answer`, `guests.answer`)."""
    if actor.kind == "guest":
        await guests.answer(actor, message_id, call_id, given)
    else:
        await runs.answer(actor, message_id, call_id, given)


async def stop(actor: Actor, run_id: UUID) -> None:
    """Asks a run to stop (`runs.stop`, `guests.stop`)."""
    await (guests.stop(actor, run_id) if actor.kind == "guest" else runs.stop(actor, run_id))


async def open(actor: Actor, chat_id: UUID, *, known: chats.Chat | None = None) -> chats.Chat:  # noqa: A001
    """The chat as it is (`chats.open`, `guests.open`).

    Raises:
        errors.NotFound: There is no such chat for this actor.
    """
    if actor.kind == "guest":
        return (await guests.open(actor)).as_chat(chat_id)
    return await chats.open(actor, chat_id, known=known)


async def result(actor: Actor, run_id: UUID) -> chats.Message:
    """The answer of a run (`runs.result`, `guests.result`)."""
    return await (guests.result(actor, run_id) if actor.kind == "guest" else runs.result(actor, run_id))
