"""What people do with runs: ask, answer what they ask, stop, follow, watch."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlmodel import col, select

from leaf import errors, streams
from leaf.catalog import Kind, Mode
from leaf.client_tools import Declared
from leaf.db import models
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, transaction
from leaf.parts import Part, attached
from leaf.redis import events
from leaf.services import chats
from leaf.services import models as model_service
from leaf.services.runs import once, starting, waiting, wording
from leaf.services.runs.starting import Turn


async def send(
    actor: Actor,
    chat_id: UUID,
    text: str,
    *,
    extras: Mapping[str, Any] | None = None,
    mode: Mode = Mode.QUICK,
    kind: Kind = Kind.SPEED,
    tools: Declared | None = None,
    question_id: UUID | None = None,
) -> Turn:
    """Stores a question at the end of what its asker looks at, and starts its answer.

    Args:
        actor: A participant of the chat.
        chat_id: The chat.
        text: The question, 1-32,000 characters.
        extras: The files that it names, or that come with it (`wording.of`).
        mode: How the answer is looked for.
        kind: Which type of model writes it, where there is a choice.
        tools: Those that run at the caller.
        question_id: The id that it gets (`once`); None for a new one.

    Raises:
        errors.Invalid: The text is empty or too long.
        errors.NotFound: There is no such chat for this person, or no such file in it.
        errors.Conflict: An answer is still being written in this chat, or the question was sent already.
        errors.LimitReached: The person may ask nothing more for a while; nothing was stored.
        errors.RedisUnavailable: The answer cannot be started; nothing was stored.
    """
    asked = wording.of(text, extras)
    async with starting.beginning(actor, chat_id, tools) as begun:
        await once.require_new(begun.tx, question_id)
        await wording.require_files(begun.tx, chat_id, asked.paths)
        await waiting.give_up(begun.tx, chat_id)
        end = await chats.end_of_path(begun.tx, chat_id)
        await waiting.require_none(begun.tx, end)
        question, answer = begun.ask(asked.parts(), model_service.select(mode, kind), end, question_id)
    title = chats.title_of(begun.chat) if begun.chat.title else " ".join(asked.text.split())[:80]
    await starting.begin(actor, answer)
    return Turn(chats.message_of(question), chats.message_of(answer), title, chat_id)


async def edit(
    actor: Actor,
    message_id: UUID,
    text: str,
    *,
    extras: Mapping[str, Any] | None = None,
    mode: Mode = Mode.QUICK,
    kind: Kind = Kind.SPEED,
    tools: Declared | None = None,
) -> Turn:
    """Asks a question in another way: beside the old one, which stays with all that followed it.

    Args:
        actor: A participant of the chat, who looks at the new branch from then on.
        message_id: The question.
        text: What is asked instead, 1-32,000 characters.
        extras: The `mentions` that it has beside those of the old one (`wording.of`).
        mode: How the answer is looked for.
        kind: Which type of model writes it, where there is a choice.
        tools: Those that run at the caller.

    Raises:
        errors.Invalid: The text is empty or too long, or a mention is malformed.
        errors.NotFound: There is no such question for this person.
        errors.Conflict: An answer is still being written in this chat.
        errors.LimitReached: The person may ask nothing more for a while; nothing was stored.
        errors.RedisUnavailable: The answer cannot be started; nothing was stored.
    """
    asked = wording.of(text, {"mentions": (extras or {}).get("mentions")})
    chat_id = await starting.chat_of(actor, message_id, MessageRole.USER)
    async with starting.beginning(actor, chat_id, tools) as begun:
        await waiting.give_up(begun.tx, chat_id)
        old = await begun.tx.session.get_one(models.Message, message_id)
        # Files that it names or that came with it stay, where the new words still name them.
        known = {one.id for one in attached.mentions_of(old.parts)}
        beside = [*old.parts, *(one.as_part() for one in asked.mentions if one.id not in known)]
        worded: list[Part] = [{"type": "text", "text": asked.text}, *attached.kept(beside, asked.text)]
        question, answer = begun.ask(worded, model_service.select(mode, kind), old.parent_id)
        await begun.tx.session.flush()
        await chats.look_at(begun.tx, chat_id, question.id)
    await starting.begin(actor, answer)
    return Turn(chats.message_of(question), chats.message_of(answer), chats.title_of(begun.chat), chat_id)


async def answer(actor: Actor, message_id: UUID, call_id: str, given: dict[str, Any]) -> bool:
    """Answers what an answer waits for; it goes on when nothing is open any more.

    Args:
        actor: Whoever asked the question of this turn.
        message_id: The answer that waits.
        call_id: The tool call that waits.
        given: For a question see `questions.answered`; for a call that has to be allowed `{"approved": bool}`; for a
            tool of the caller's `{"output": …}` or `{"error": "…"}`.

    Returns:
        Whether it goes on.

    Raises:
        errors.Invalid: It does not fit.
        errors.NotFound: There is no such answer or call for this person.
        errors.Conflict: It waits no longer, or this call has been answered.
        errors.LimitReached: The person may ask nothing more for a while; it waits on.
        errors.RedisUnavailable: The answer cannot go on; nothing was stored.
    """
    await starting.ready()
    row = await waiting.record(actor, message_id, {call_id: given})
    if row.status is MessageStatus.WAITING:
        await events.publish([events.chat(row.chat_session_id)])
        return False
    await starting.begin(actor, row)
    return True


async def stop(actor: Actor, run_id: UUID) -> None:
    """Asks a run to stop. May be called again, and after its end.

    Raises:
        errors.NotFound: There is no such run for this person.
        errors.RedisUnavailable: The request cannot be passed on.
    """
    message = await result(actor, run_id)
    if message.unfinished:
        await streams.request_stop(run_id)


async def result(actor: Actor, run_id: UUID) -> chats.Message:
    """The stored answer of a run.

    Raises:
        errors.NotFound: There is no such run for this person. Every path to a run goes through here.
    """
    async with transaction(actor, read_only=True) as tx:
        query = select(models.Message).where(col(models.Message.workflow_run_id) == run_id)
        row = (await tx.session.exec(query)).one_or_none()
    if row is None:
        raise errors.NotFound("answer")
    return chats.message_of(row)


@dataclass(frozen=True)
class News:
    """What has changed since the last time: nothing of it where some time went by without news."""

    chat: bool = False
    """The open chat."""
    person: bool = False
    """The person's list of chats, their integrations, or their session."""


async def watch(actor: Actor, chat_id: UUID | None, *, every_seconds: float) -> AsyncGenerator[News]:
    """Tells a page when to look again.

    It says so once at the beginning, when it has begun to listen: what changed before that might be missed else.

    Args:
        actor: Who looks.
        chat_id: The chat that is open, if one is.
        every_seconds: After so long it yields even without news: the caller can see whether it is still wanted.

    Raises:
        errors.NotFound: There is no such chat for this person.
    """
    if actor.user_id is None:
        raise errors.Unauthenticated
    person = events.user(actor.user_id)
    chat = events.chat(chat_id) if chat_id is not None else ""
    if chat_id is not None:
        async with transaction(actor, read_only=True) as tx:
            await chats.find(tx, chat_id)
    async with events.subscribe(filter(None, (person, chat))) as subscription:
        yield News(chat=bool(chat), person=True)
        while True:
            changed = await subscription.changed(within_seconds=every_seconds)
            yield News(chat=chat in changed, person=person in changed)
