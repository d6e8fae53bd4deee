"""The intent of a client's request: a new question, an edited question, or an answer to regenerate."""

import asyncio
from contextlib import aclosing, suppress
from dataclasses import replace
from uuid import UUID

from leaf import errors, parts, sites, streams
from leaf.api import http
from leaf.api.callers import Caller
from leaf.api.turns import files, guests
from leaf.api.turns.body import Ask, ScopeBody, SentMessage
from leaf.services import chats, conversations, integrations
from leaf.services.chats import Message
from leaf.services.library import choices
from leaf.services.library.scope import ChatScope

_STOPPING_SECONDS = 10.0
"""The time to wait for the end of a running answer after it was stopped for another question."""


async def start(caller: Caller, ask: Ask) -> tuple[UUID, UUID]:
    """Carries out a request.

    If the same request is sent again while its answer is being written, that answer is returned.

    Returns:
        The ids of the chat and the run.

    Raises:
        errors.Invalid: The fields contradict each other, or the question is empty or too long.
        errors.Forbidden: The caller may not use the document.
        errors.NotFound: There is no such chat, message or model for this caller.
        errors.Conflict: Another answer is being written in this chat.
        errors.LimitReached: The caller has reached a limit of questions.
        errors.RedisUnavailable: The answer cannot be started.
    """
    _require_document(ask)
    check(ask)
    if caller.guest is not None:
        return caller.guest.chat_id, await guests.start(caller, ask, caller.guest.chat_id)
    if (sent := ask.continued) is not None:
        return await _continued(caller, ask, sent)
    actor, again = caller.person.actor, ask.trigger == "regenerate-message"
    if _is_plain(ask):
        turn = await _question_turn(caller, ask)
        return turn.chat_id, _run_of(turn)
    if ask.may_begin and not again:
        project_id = http.id_of(ask.projectId, "project") if ask.projectId is not None else None
        chat_id, is_new = await chats.begin(actor, ask.chat, chats.Prepared(project_id=project_id))
    else:
        chat_id, is_new = await chats.named(actor, ask.chat or ""), False
    if not again and (waiting := await _waiting(caller, ask, chat_id)) is not None:
        return chat_id, waiting
    try:
        turn = await _start_turn(caller, ask, chat_id)
    except errors.Conflict:
        turn = await _same(caller, ask, chat_id)
        if turn is None and not await _stopped_for_another(caller, ask, chat_id):
            raise
        turn = turn or await _start_turn(caller, ask, chat_id)
    except errors.LeafError:
        if is_new:
            await chats.discard(actor, chat_id)
        raise
    return chat_id, _run_of(turn)


def _run_of(turn: conversations.Turn) -> UUID:
    if turn.assistant.run_id is None:
        raise errors.NotFound("answer")
    return turn.assistant.run_id


def _is_plain(ask: Ask) -> bool:
    """Whether only a question has to be stored, so that its chat can be created in the same transaction."""
    others = ask.projectId, ask.scope, ask.clientTools, ask.messageId
    return ask.trigger == "submit-message" and not any(others) and not ask.user_message.files


async def _question_turn(caller: Caller, ask: Ask) -> conversations.Turn:
    """The turn of a plain question, or the running one if this request asks for it."""
    actor, chat = caller.person.actor, conversations.NamedChat(ask.chat, ask.may_begin)
    try:
        return await conversations.ask(
            actor, chat, ask.user_message.text, extras={"metadata": ask.user_message.metadata},
            mode=ask.searchMode, kind=ask.modelType, terms=_terms(ask),
        )  # fmt: skip
    except errors.Conflict:
        same = await _same(caller, ask, await chats.named(actor, ask.chat)) if ask.chat is not None else None
        if same is None:
            raise
        return same


def _require_document(ask: Ask) -> None:
    if ask.allowedDocuments is not None and ask.documentId not in ask.allowedDocuments:
        raise errors.Forbidden("This document is not for this caller.", code="document_refused")


def _require_length(ask: Ask) -> None:
    field = "content" if ask.content is not None else "message"
    text = ask.user_message.text.strip()
    if len(text) > (most := conversations.MESSAGE_CHARACTERS):
        sent = "messages" if ask.content is None and ask.message is None else field
        raise errors.Invalid(f"A question has at most {most:,} characters.", field=sent)
    if not parts.is_visible(text):
        raise errors.Invalid("The question is empty.", field=field)


def check(ask: Ask) -> None:
    """Checks that the fields of a request do not contradict each other, and checks its question.

    Raises:
        errors.Invalid: A field is wrong. The exception names it.
    """
    if ask.continued is not None:
        if ask.chat is None:
            raise errors.Invalid("Name the chat whose answer continues.", field="chatId")
        return
    if ask.trigger == "submit-message":
        sites.metadata_of(ask.user_message.metadata)
        _require_length(ask)
        if ask.isNewChat and ask.messageId:
            raise errors.Invalid("A new chat has no question to edit.", field="messageId")
        if ask.isNewChat is False and ask.chat is None:
            raise errors.Invalid("Name the chat that is not new.", field="chatId")
        return
    if ask.isNewChat:
        raise errors.Invalid("A new chat has no answer to regenerate.", field="isNewChat")
    if ask.chat is None:
        raise errors.Invalid("Name the chat whose answer should be regenerated.", field="chatId")


async def _continued(caller: Caller, ask: Ask, sent: SentMessage) -> tuple[UUID, UUID]:
    """Continues an answer that waited for its client tools or for its reader; returns the ids of chat and run."""
    actor = caller.person.actor
    chat_id = await chats.named(actor, ask.chat or "")
    message_id = guests.message_id_of(ask.messageId or sent.id or "")
    versions = {tool.name: tool.version for tool in ask.clientTools or []}
    run_id = await conversations.carry_on(actor, chat_id, message_id, sent.answers, versions, document=ask.documentId)
    return chat_id, run_id


async def scope_of(caller: Caller, body: ScopeBody) -> ChatScope:
    """The scope in a member's request, with the names of its folders and files.

    Raises:
        errors.LeafError: The same exceptions as in `choices.scope_of`.
    """
    actor = caller.person.actor
    access = integrations.UserDrive(actor)
    return await choices.scope_of(
        actor, access, folders=body.folders, files=body.files, kinds=body.kinds, since=body.since
    )


async def _start_turn(caller: Caller, ask: Ask, chat_id: UUID) -> conversations.Turn:
    scope = await scope_of(caller, ask.scope) if ask.scope is not None else None
    begin = _regenerated if ask.trigger == "regenerate-message" else _new_turn
    return await begin(caller, ask, chat_id, scope)


async def _new_turn(caller: Caller, ask: Ask, chat_id: UUID, scope: ChatScope | None) -> conversations.Turn:
    question = await _question(caller, ask, chat_id) if ask.messageId is not None else None
    if question is None:
        return await _new_question(caller, ask, chat_id, scope)
    # An edited question keeps its files.
    return await conversations.edit(
        caller.person.actor, question.id, ask.user_message.text, extras={"metadata": ask.user_message.metadata},
        mode=ask.searchMode, kind=ask.modelType, tools=ask.tools, model=ask.model, scope=scope,
    )  # fmt: skip


async def _new_question(caller: Caller, ask: Ask, chat_id: UUID, scope: ChatScope | None) -> conversations.Turn:
    """The turn of a new question, with its files."""
    terms = replace(_terms(ask, scope), uploads=await files.read(caller, chat_id, ask.user_message))
    return await conversations.ask(
        caller.person.actor, chat_id, ask.user_message.text, extras={"metadata": ask.user_message.metadata},
        mode=ask.searchMode, kind=ask.modelType, terms=terms,
    )  # fmt: skip


def _terms(ask: Ask, scope: ChatScope | None = None) -> conversations.Terms:
    return conversations.Terms(tools=ask.tools, asked_model=ask.model, scope=scope)


async def _regenerated(caller: Caller, ask: Ask, chat_id: UUID, scope: ChatScope | None) -> conversations.Turn:
    answer = await _answer(caller, ask, chat_id)
    if answer is None:
        # The edited question never arrived, so it is asked as a new question.
        return await _new_question(caller, ask, chat_id, scope)
    return await conversations.regenerate(
        caller.person.actor, answer.id, model=ask.named_model, tools=ask.tools, scope=scope
    )


async def _same(caller: Caller, ask: Ask, chat_id: UUID) -> conversations.Turn | None:
    """The running turn of the caller, if it answers the same question as this request; None otherwise."""
    turn = await conversations.active(caller.person.actor, chat_id)
    if turn is None or turn.user.user_id != caller.person.user_id:
        return None
    asked = parts.question_text(turn.user.parts)
    if ask.messages or ask.trigger == "submit-message":
        return turn if ask.user_message.text.strip() == asked else None
    named = await _named_message(caller, ask, chat_id, [])
    if named is None:
        return None
    # The request names another answer. It matches if both answers belong to the same question.
    path = (await chats.open(caller.person.actor, chat_id, upto=turn.user.id)).messages
    named_path = (await chats.open(caller.person.actor, chat_id, upto=named.id)).messages
    is_same = len(named_path) > 1 and path and named_path[-2].id == path[-1].id
    return turn if is_same else None


async def _waiting(caller: Caller, ask: Ask, chat_id: UUID) -> UUID | None:
    """The run of an answer that waits for client tools, if this request only repeats its question; None otherwise.

    If the client's history contains that answer, the request is a new question with the same words. Without a history,
    this cannot be decided, and the request counts as a repetition.
    """
    if not ask.clientTools or ask.messageId is not None:
        return None
    path = (await chats.open(caller.person.actor, chat_id)).messages
    if len(path) < 2 or path[-1].status != "waiting" or not path[-1].at_caller:
        return None
    *earlier, question, answer = path
    before = next((str(one.id) for one in reversed(earlier) if one.role == "assistant"), None)
    has_same_words = parts.question_text(question.parts) == ask.user_message.text.strip()
    has_same_place = len(ask.messages or []) < 2 or ask.before == before
    is_same = has_same_words and has_same_place and question.user_id == caller.person.user_id
    return answer.run_id if is_same else None


async def _stopped_for_another(caller: Caller, ask: Ask, chat_id: UUID) -> bool:
    """Stops a running answer with client tools, if the caller now asks another question with client tools.

    Returns:
        Whether an answer was stopped.
    """
    actor = caller.person.actor
    turn = await conversations.active(actor, chat_id) if ask.clientTools else None
    if turn is None or turn.assistant.run_id is None or turn.user.user_id != caller.person.user_id:
        return False
    if not turn.assistant.at_caller:
        return False
    await conversations.stop(actor, turn.assistant.run_id)
    with suppress(TimeoutError):
        async with (
            asyncio.timeout(_STOPPING_SECONDS),
            aclosing(streams.follow(turn.assistant.run_id, caller.reader)) as events,
        ):
            async for _ in events:
                pass
    return True


async def _question(caller: Caller, ask: Ask, chat_id: UUID) -> Message | None:
    """The edited question, found by its id or by its position in the client's history.

    A client uses its own id for a question that it has sent. The edited question then follows the same answer as in the
    client's history. The result is None if the server has no question there.
    """
    path = (await chats.open(caller.person.actor, chat_id)).messages
    named = await _named_message(caller, ask, chat_id, path)
    if named is None:
        return _following(ask, path)
    if named.role != "user":
        raise errors.Invalid("messageId is an answer. Only questions can be edited.", field="messageId")
    return named


async def _answer(caller: Caller, ask: Ask, chat_id: UUID) -> Message | None:
    """The answer to regenerate, by default the last answer; None if its question never arrived.

    Raises:
        errors.Invalid: The named message does not exist or is not on the caller's branch.
        errors.NotFound: The request names no answer, and the chat does not end with one.
    """
    path = (await chats.open(caller.person.actor, chat_id)).messages
    if ask.messageId is None and not ask.messages:
        if not path or path[-1].role != "assistant":
            raise errors.NotFound("answer")
        return path[-1]
    named = await _named_message(caller, ask, chat_id, path)
    if named is not None and named.role == "assistant":
        return named
    question = named or _following(ask, path)
    if question is None:
        return None
    for index, one in enumerate(path[:-1]):
        if one.id == question.id:
            return path[index + 1]
    raise errors.Invalid("This question is not on the branch that is shown.", field="messageId")


async def _named_message(caller: Caller, ask: Ask, chat_id: UUID, path: list[Message]) -> Message | None:
    """The message with the id `messageId`; None without such an id, or if the id is the client's own.

    Raises:
        errors.Invalid: The message does not exist, and there is no history that shows its position.
    """
    if ask.messageId is None:
        return None
    try:
        written = UUID(ask.messageId)
        known = [one for one in path if one.id == written]
        return known[0] if known else (await chats.open(caller.person.actor, chat_id, upto=written)).messages[-1]
    except (ValueError, errors.NotFound):
        if ask.messages:
            return None
        raise errors.Invalid("There is no such message in this chat.", field="messageId") from None


def _following(ask: Ask, path: list[Message]) -> Message | None:
    """The server's question after the answer that precedes the last question in the client's history.

    Raises:
        errors.Invalid: The answer in the history does not exist.
    """
    if ask.before is None:
        return path[0] if path else None
    for index, one in enumerate(path):
        if str(one.id) == ask.before:
            return path[index + 1] if index + 1 < len(path) else None
    raise errors.Invalid("The history differs from this chat. Load it again.", field="messages")
