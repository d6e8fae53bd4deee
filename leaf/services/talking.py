"""What a page does with the chat that is open: the one place where pages tell members and guests apart."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any
from uuid import UUID

from leaf import errors, texts
from leaf.catalog import Kind, Mode
from leaf.db.actor import Actor
from leaf.parts import Chunk
from leaf.services import chats, guests, runs


async def say(actor: Actor, chat_id: UUID, text: str, *, extras: Mapping[str, Any], mode: Mode, kind: Kind) -> None:
    """Asks a question, now or when the running answer has ended (`runs.say`, `guests.send`); guests bring no files.

    Raises:
        errors.Invalid: A guest's question names files.
    """
    if actor.kind != "guest":
        await runs.say(actor, chat_id, text, extras=extras, mode=mode, kind=kind)
    elif any(extras.values()):
        raise errors.Invalid(texts.english("errors.guest_drive"), field="extras")
    else:
        await guests.send(actor, chat_id, text, mode=mode)


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


def follow(actor: Actor, run_id: UUID) -> AsyncGenerator[list[Chunk]]:
    """The chunks of a run as they come (`runs.follow`, `guests.follow`)."""
    return guests.follow(actor, run_id) if actor.kind == "guest" else runs.follow(actor, run_id)
