"""Operations on turns, the same for every audience: ask, retry, regenerate, edit, continue.

Each operation is one change to the conversation, in one transaction of its store. It returns the turn that has begun.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, overload
from uuid import UUID, uuid4

from leaf import errors, streams, texts
from leaf.config.catalog import Kind, Mode
from leaf.db import models
from leaf.db.actor import Actor
from leaf.db.models import MessageRole, MessageStatus
from leaf.parts import DRIVE_TOOLS, Part, client_tools, is_tool, tool_name
from leaf.parts.client_tools import Declared
from leaf.services import chats
from leaf.services.conversations import dispatch, question, steps
from leaf.services.conversations.store import USUAL_MODEL, Draft, NamedChat, Queued, Terms, Turn, still_answering
from leaf.services.library.scope import ChatScope
from leaf.services.runs import answer as answers

SAME_TOOLS = Declared()
"""A value in place of the caller's tools. It means the tools of the earlier answer."""


@overload
async def ask(
    actor: Actor, chat: UUID | NamedChat, text: str, *, queue: Literal[True], extras: Mapping[str, Any] | None = None,
    mode: Mode | None = ..., kind: Kind | None = ..., terms: Terms = ..., question_id: UUID | None = None,
) -> Turn | Queued: ...  # fmt: skip
@overload
async def ask(
    actor: Actor, chat: UUID | NamedChat, text: str, *, extras: Mapping[str, Any] | None = None,
    mode: Mode | None = ..., kind: Kind | None = ..., terms: Terms = ..., question_id: UUID | None = None,
) -> Turn: ...  # fmt: skip
async def ask(
    actor: Actor,
    chat: UUID | NamedChat,
    text: str,
    *,
    queue: bool = False,
    extras: Mapping[str, Any] | None = None,
    mode: Mode | None = Mode.QUICK,
    kind: Kind | None = Kind.SPEED,
    terms: Terms = Terms(),  # noqa: B008 - frozen
    question_id: UUID | None = None,
) -> Turn | Queued:
    """Stores a question at the end of its asker's path and starts its answer, or queues the question.

    Args:
        actor: A participant of the chat.
        chat: The id of the chat, or the name from a member's client, with which it may be created.
        text: The question, 1-32,000 characters; 1-8,000 from a visitor of a site.
        queue: Whether the question is queued if an answer is being written and the audience may queue.
        extras: Mentioned files, attached files and metadata (`question.of`).
        mode: The mode of the answer; None for the actor's default.
        kind: The type of model, if the audience may choose it; None for the actor's default.
        terms: Tools at the caller, and the terms of a site.
        question_id: The id of the question (`store.id_of`); None for a new one.

    Raises:
        errors.Invalid: The text is empty or too long, or too many messages wait.
        errors.NotFound: There is no such chat for this actor, no such file in it, or the model is not offered.
        errors.Conflict: An answer is written or waits for another participant, or the question was sent (`store.SENT`).
        errors.LimitReached: The actor may ask nothing more for a while; nothing was stored.
        errors.RedisUnavailable: The answer cannot be started; nothing was stored.
    """
    audience = actor.audience
    audience.require("ask")
    asked = question.of(text, extras, audience)

    async def work(draft: Draft) -> Turn | Queued:
        chosen = await _chosen(draft, mode, kind)
        choice = question.choice(audience, *chosen, terms.model)
        if terms.asked_model != USUAL_MODEL:
            question.with_model(audience, choice, terms.asked_model)
        await draft.require_new(question_id)
        await draft.require_files(asked.paths)
        if (busy := await draft.is_busy()) and not (queue and audience.may("queue")):
            raise still_answering()
        parts = asked.with_files(await draft.keep(terms.uploads)).parts()
        if busy:
            return await draft.queue(_waiting(draft, actor, parts, question_id, *chosen, terms.asked_model))
        closed = await steps.close_waiting(draft)
        end = await draft.end()
        await draft.admit()
        await draft.note_page(terms.page)
        await draft.limit_to(terms.scope)
        named = await steps.named_model(draft, end, terms.asked_model)
        return await steps.insert_turn(
            draft, actor, parts, question.with_model(audience, choice, named), tools=terms.tools, after=end,
            question_id=question_id, details=asked.details, named=named, closed=closed,
        )  # fmt: skip

    return await dispatch.of(actor).change(actor, work, chat=chat, quota=terms.quota, with_files=bool(terms.uploads))


def _waiting(
    draft: Draft, actor: Actor, parts: list[Part], question_id: UUID | None, mode: Mode, kind: Kind, model: str | None
) -> models.QueuedMessage:
    """The row of a question to queue."""
    return models.QueuedMessage(
        id=question_id or uuid4(), chat_session_id=draft.chat_id, user_id=actor.member_id, parts=parts,
        search_mode=mode.value, model_type=kind.value, model=model,
    )  # fmt: skip


async def _chosen(draft: Draft, mode: Mode | None, kind: Kind | None) -> tuple[Mode, Kind]:
    """The mode and the type of model. None is replaced by the asker's default."""
    if mode is None or kind is None:
        preferred = await draft.preferred()
        mode, kind = mode or preferred.mode or Mode.QUICK, kind or preferred.kind or Kind.SPEED
    return mode, kind


async def edit(
    actor: Actor,
    message_id: UUID,
    text: str,
    *,
    extras: Mapping[str, Any] | None = None,
    mode: Mode | None = Mode.QUICK,
    kind: Kind | None = Kind.SPEED,
    tools: Declared | None = None,
    model: str | None = None,
    scope: ChatScope | None = None,
) -> Turn:
    """Asks a question in other words, as a new version. The old version stays, with all messages that follow it.

    Args:
        actor: A participant of the chat, who then sees the new branch.
        message_id: The question.
        text: The new words, 1-32,000 characters.
        extras: `metadata`, and further `mentions` (`question.of`).
        mode: The mode of the answer; None for the actor's default.
        kind: The type of model; None for the actor's default.
        tools: Tools that run at the caller.
        model: The name of an offered model, or `USUAL_MODEL`; None for the model of the chat.
        scope: The part of Drive to which the chat is limited from now on; None to leave its scope unchanged.

    Raises:
        errors.Invalid: The text is empty or too long, or a mention is malformed.
        errors.NotFound: The model is not offered, or there is no such question for this person.
        errors.Conflict: An answer is being written in this chat.
        errors.LimitReached: The person may ask nothing more for a while; nothing was stored.
        errors.RedisUnavailable: The answer cannot be started; nothing was stored.
    """
    audience = actor.audience
    audience.require("edit")
    sent = extras or {}
    asked = question.of(text, {name: sent.get(name) for name in ("mentions", "metadata")}, audience)

    async def work(draft: Draft) -> Turn:
        choice = question.choice(audience, *await _chosen(draft, mode, kind))
        old = await draft.find(message_id, MessageRole.USER)
        await draft.require_free()
        closed = await steps.close_waiting(draft)
        named = await steps.named_model(draft, old.parent_id, model)
        picked = question.with_model(audience, choice, named)
        await draft.admit()
        await draft.limit_to(scope)
        turn = await steps.insert_turn(
            draft, actor, asked.parts_in_place_of(old.parts), picked, tools=tools, after=old.parent_id,
            details=asked.details, named=named, closed=closed,
        )  # fmt: skip
        await draft.show(turn.user.id)
        return turn

    return await dispatch.of(actor).change(actor, work, message_id=message_id)


async def retry(actor: Actor, message_id: UUID, *, model: str | None = None) -> Turn:
    """Answers a question again in place of its last answer, which is lost. The tools at the caller stay the same.

    Args:
        actor: The asker.
        message_id: The answer.
        model: The name of an offered model, for this answer alone; None for the model of the chat.

    Raises:
        errors.NotFound: The model is not offered, or there is no such answer for this actor.
        errors.Forbidden: Another participant asked.
        errors.Conflict: Another message follows the answer, or an answer is being written in this chat.
        errors.LimitReached: The actor may ask nothing more for a while; the old answer stays.
        errors.RedisUnavailable: The answer cannot be started; the old one stays.
    """
    actor.audience.require("retry")

    async def work(draft: Draft) -> Turn:
        row = await draft.find(message_id, MessageRole.ASSISTANT)
        await draft.require_free()
        closed = await steps.close_waiting(draft)
        _require_asker(row, actor)
        await draft.require_last(message_id, texts.english("errors.only_last_answer"))
        choice = question.choice_again(actor.audience, row, model)
        await draft.admit()
        if row.workflow_run_id is not None:
            draft.after(partial(streams.delete, row.workflow_run_id))
        named = steps.model_of(row.details)
        # Unlike `steps.make_pending`, this keeps the tools at the caller.
        answers.make_pending(row, choice)
        steps.name_model(row, named)
        draft.begin(row)
        return await steps.turn_of(draft, row, closed)

    return await dispatch.of(actor).change(actor, work, message_id=message_id)


async def regenerate(
    actor: Actor, message_id: UUID, *, model: str | None = None, tools: Declared | None = SAME_TOOLS,
    answer_id: UUID | None = None, away: bool = False, scope: ChatScope | None = None,
) -> Turn:  # fmt: skip
    """Answers a question again, as another version of an answer. The old answer and all messages after it stay.

    Args:
        actor: A participant of the chat, who then sees the new answer.
        message_id: The answer.
        model: The name of an offered model, for this answer alone; None for the model of the chat.
        tools: Tools that run at the caller; by default the tools of the old answer, if the actor asked for it.
        answer_id: The id of the new answer; None for a random one.
        away: Whether the actor is absent. If so, participants stay on messages that follow the old answer, and an
            answer that waits for the actor is not ended.
        scope: The part of Drive to which the chat is limited from now on; None to leave its scope unchanged.

    Raises:
        errors.NotFound: The model is not offered, or there is no such answer for this person.
        errors.Conflict: An answer is being written in this chat, one waits for an actor who is away, or the new answer
            is already stored (`store.SENT`).
        errors.LimitReached: The person may ask nothing more for a while; nothing was stored.
        errors.RedisUnavailable: The answer cannot be started; nothing was stored.
    """
    actor.audience.require("regenerate")

    async def work(draft: Draft) -> Turn:
        await draft.require_new(answer_id)
        old = await draft.find(message_id, MessageRole.ASSISTANT)
        await draft.require_free()
        if away and await draft.waiting():
            raise still_answering()
        closed = await steps.close_waiting(draft)
        stays = away and await draft.end() != old.id
        choice = question.choice_again(actor.audience, old, model)
        await draft.admit()
        await draft.limit_to(scope)
        declared = tools
        if tools is SAME_TOOLS:
            declared = client_tools.stored(old.client_tools) if old.user_id == actor.user_id else None
        row = models.Message(
            id=answer_id or uuid4(), chat_session_id=draft.chat_id, parent_id=old.parent_id,
            role=MessageRole.ASSISTANT, user_id=actor.user_id,
        )  # fmt: skip
        steps.make_pending(draft, row, choice, declared)
        steps.name_model(row, steps.model_of(old.details))
        if away:
            row.details = {**row.details, chats.WATCHED: True}
        if stays:
            await draft.stay()
        await draft.store(row)
        if not stays:
            await draft.show(row.id)
        return await steps.turn_of(draft, row, closed)

    return await dispatch.of(actor).change(actor, work, message_id=message_id)


async def answer_with_drive(actor: Actor, chat_id: UUID) -> Turn | None:
    """Answers the last question of a chat again after its asker has connected Drive; None if there is nothing to do.

    An answer is left alone if it has used Drive, is being written, or was asked for by another participant.

    Args:
        actor: A participant of the chat, who has just connected Drive.
        chat_id: The chat.

    Raises:
        errors.NotFound: The actor has no such chat.
        errors.Conflict: An answer is being written in this chat.
        errors.LimitReached: The person may ask nothing more for a while.
        errors.RedisUnavailable: The answer cannot be started.
    """
    messages = (await chats.open(actor, chat_id)).messages
    last = messages[-1] if messages else None
    if last is None or last.user_id != actor.user_id or last.status not in {"completed", "error"}:
        return None
    if last.role != "assistant" or any(_is_from_drive(part) for part in last.parts):
        return None
    return await (retry if last.status == "error" else regenerate)(actor, last.id)


async def proceed(actor: Actor, message_id: UUID) -> Turn:
    """Continues a stopped answer in the same message, after its present text.

    Args:
        actor: The asker.
        message_id: The answer.

    Raises:
        errors.NotFound: There is no such answer for this person.
        errors.Forbidden: Another participant asked.
        errors.Conflict: The answer was not stopped, another message follows it, or an answer is being written in this
            chat.
        errors.LimitReached: The person may ask nothing more for a while.
        errors.RedisUnavailable: The answer cannot continue; nothing has changed.
    """
    actor.audience.require("continue")

    async def work(draft: Draft) -> Turn:
        row = await draft.find(message_id, MessageRole.ASSISTANT)
        await draft.require_free()
        _require_asker(row, actor)
        refusal = texts.english("errors.only_stopped_answer")
        if row.status is not MessageStatus.STOPPED:
            raise errors.Conflict(refusal)
        await draft.require_last(message_id, refusal)
        closed = await steps.close_waiting(draft)
        await draft.admit()
        answers.restart(row)
        draft.begin(row)
        return await steps.turn_of(draft, row, closed)

    return await dispatch.of(actor).change(actor, work, message_id=message_id)


def _is_from_drive(part: Part) -> bool:
    return is_tool(part) and tool_name(part) in DRIVE_TOOLS and part.get("state") == "output-available"


def _require_asker(row: models.Message, actor: Actor) -> None:
    """Raises errors.Forbidden if another participant asked."""
    if row.user_id != actor.user_id:
        raise errors.Forbidden(texts.english("sharing.refused_not_asker"))
