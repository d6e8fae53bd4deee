"""The intent of a guest's request. A guest has one chat, without versions, files or client tools."""

from uuid import UUID

from leaf import errors, parts, texts
from leaf.api.callers import Caller
from leaf.api.turns.body import Ask
from leaf.config.catalog import Kind, Mode
from leaf.services import conversations


async def start(caller: Caller, ask: Ask, chat_id: UUID) -> UUID:
    """Carries out a guest's request, and returns the run.

    Args:
        caller: The guest.
        ask: The request, which has been checked.
        chat_id: The guest's chat. The id that the client uses for it is ignored.

    Raises:
        errors.Invalid: The request contains a scope, or an id that is not a UUID.
        errors.Forbidden: Guests cannot do this (`not_for_audience`).
        errors.NotFound: The model is not offered to guests, the request names a project, or there is no answer to
            write again.
        errors.Conflict: Another answer is being written.
        errors.LimitReached: The guest has reached a limit of questions.
    """
    actor = caller.person.actor
    if (sent := ask.continued) is not None:
        answer_id = message_id_of(ask.messageId or sent.id or "")
        return await conversations.carry_on(actor, chat_id, answer_id, sent.answers, {})
    if ask.scope is not None:
        raise errors.Invalid(texts.english("errors.guest_drive"), field="scope")
    if ask.projectId is not None:
        raise errors.NotFound("project")
    if ask.tools is not None or (ask.trigger == "submit-message" and ask.user_message.files):
        raise errors.Forbidden("Guests have no files and no tools of their own.", code="not_for_audience")
    if ask.trigger == "regenerate-message":
        turn = await conversations.retry(actor, await _last_answer(caller, chat_id))
    else:
        if ask.messageId is not None:
            actor.audience.require("edit")
        turn = await _ask(caller, ask, chat_id)
    if turn.assistant.run_id is None:
        raise errors.NotFound("answer")
    return turn.assistant.run_id


async def _ask(caller: Caller, ask: Ask, chat_id: UUID) -> conversations.Turn:
    actor, text = caller.person.actor, ask.user_message.text
    terms = conversations.Terms(asked_model=ask.model)
    mode, kind = ask.searchMode or Mode.QUICK, ask.modelType or Kind.SPEED
    try:
        return await conversations.ask(actor, chat_id, text, mode=mode, kind=kind, terms=terms)
    except errors.Conflict:
        turn = await conversations.active(actor, chat_id)
        if turn is None or parts.question_text(turn.user.parts) != text.strip():
            raise
        return turn


async def _last_answer(caller: Caller, chat_id: UUID) -> UUID:
    messages = errors.found((await conversations.open(caller.person.actor, chat_id)).messages, "answer")
    return messages[-1].id


def message_id_of(written: str) -> UUID:
    """The id of a message in a request.

    Raises:
        errors.Invalid: The text is not a UUID.
    """
    try:
        return UUID(written)
    except ValueError:
        raise errors.Invalid("There is no such message in this chat.", field="messageId") from None
