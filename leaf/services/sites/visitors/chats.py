"""The chats of visitors. They are chats in the database with an agent and the context of a page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from sqlalchemy import func
from sqlmodel import col, exists, select

from leaf import errors, texts
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.services import chats, feedback, runs, summaries
from leaf.services.sites.visitors.identity import Claims, Keyed, VisitorCaller, refused, session_subject, visitor
from leaf.sites import Context, ConversationMessage, Metadata

_FOR_THE_TEAM: Final = frozenset(
    f"failures.{name}"
    for name in (
        "authentication", "google_credentials", "quota", "not_found", "context_small", "model_gone", "server_stopped",
        "server_unknown", "server_context", "server_tokens", "server_tools",
    )
)  # fmt: skip
"""The reasons that name the model, its server or an account. Visitors do not see them, because only the site's team can
do something about them."""


@dataclass(frozen=True)
class VisitorChat:
    """A chat with the data that its visitor may see."""

    id: UUID
    title: str
    archived: bool
    created_at: datetime
    active_at: datetime
    messages: list[ConversationMessage]
    """The messages of the visitor's path, the oldest first. An answer that is being written is the last."""
    answer: UUID | None
    """The id of the answer that is being written; None if there is none."""
    run_id: UUID | None
    """The run that is writing the answer."""
    metadata: Metadata


async def begin(who: VisitorCaller, context: Context, *, title: str = "", metadata: Metadata | None = None) -> UUID:
    """Creates a chat, and returns its id. Call `quotas.count_chat` first.

    Args:
        who: The visitor.
        context: The context of the visitor's page.
        title: The title (`chats.checked_title`), which no generated title replaces. Empty for a generated title.
        metadata: Metadata of the page's program (`sites.metadata_of`).
    """
    actor = who.required()
    chat_id = uuid4()
    async with transaction(actor) as tx:
        chat = models.ChatSession(
            id=chat_id, workspace_id=actor.own_workspace_id, created_by=actor.member_id, program_metadata=metadata or {}
        )
        if title:
            chat.title, chat.title_source = title, "user"
        await chats.add(tx, chat)
        tx.session.add(
            models.SiteChat(chat_session_id=chat_id, site_id=who.agent.site_id, agent_id=who.agent.id, context=context)
        )
    return chat_id


async def listed(who: VisitorCaller, *, archived: bool = False, after: str = "", limit: int = 20) -> chats.Page:
    """A page of the visitor's chats that have messages, the most recently active first.

    Raises:
        errors.Unauthenticated: The visitor has not proved an identity (`user_token_required`).
        errors.Invalid: The cursor is unknown.
    """
    if not who.may_list:
        raise refused("user_token_required", "Chats can only be listed with a user token, which proves whose they are.")
    if who.actor is None:
        return chats.Page([])
    shelf = chats.Shelf.ARCHIVED if archived else chats.Shelf.CHATS
    return await chats.page(who.actor, shelf, after=after, limit=limit)


async def open_chat(who: VisitorCaller, chat_id: UUID, language: str = texts.DEFAULT) -> VisitorChat:
    """A chat with its messages. `language` is the language of the reasons why answers failed.

    Raises:
        errors.NotFound: There is no such chat for this visitor.
    """
    actor = who.required()
    found = await chats.open(actor, chat_id)
    async with transaction(actor, read_only=True) as tx:
        row = await chats.find(tx, chat_id)
        mine = select(models.ChatParticipant).where(
            col(models.ChatParticipant.chat_session_id) == chat_id,
            col(models.ChatParticipant.user_id) == actor.user_id,
        )
        place = (await tx.session.exec(mine)).one()
        compacted = await summaries.times(tx, chat_id)
    thumbs = await feedback.of_chat(actor, chat_id)
    last = found.messages[-1] if found.messages else None
    answering = last if last is not None and last.unfinished else None
    return VisitorChat(
        chat_id,
        found.title if row.title else "",
        place.archived_at is not None,
        row.created_at,
        place.active_at,
        [
            _message_for_visitor(one, thumbs.get(one.run_id) if one.run_id else None, compacted.get(one.id), language)
            for one in found.messages
        ],
        answering.id if answering else None,
        answering.run_id if answering else None,
        row.program_metadata,
    )


def failure_text(message: chats.Message, language: str) -> str:
    """The reason why an answer failed, for a visitor. It does not name models, addresses or accounts."""
    try:
        reason = texts.of_data(message.details.get("errorMessage"))  # pyright: ignore[reportArgumentType]
    except ValueError:
        return message.error_text or ""
    return texts.translated(
        texts.english("failures.server") if reason.key in _FOR_THE_TEAM else reason, texts.of(language)
    )


def _message_for_visitor(
    message: chats.Message, sentiment: str | None, compacted_at: datetime | None, language: str
) -> ConversationMessage:
    thumb = {"feedback": sentiment} if sentiment else {}
    return ConversationMessage(
        message.id, message.role, message.parts, message.status, message.created_at, message.updated_at,
        error_code=message.error_code, error_text=failure_text(message, language),
        metadata={**message.program_metadata, **thumb}, responses=message.responses, compacted_at=compacted_at,
    )  # fmt: skip


async def rate(who: VisitorCaller, chat_id: UUID, message_id: UUID, sentiment: str | None, comment: str = "") -> None:
    """Stores the visitor's rating of an answer; None removes it.

    Raises:
        errors.NotFound: There is no such answer in such a chat of the visitor.
        errors.Invalid: The rating is unknown, or the comment is too long.
        errors.RateLimited: The visitor has rated too often.
    """
    actor = who.required()
    run_id = await runs.run_of(actor, message_id)
    async with transaction(actor, read_only=True) as tx:
        message = await tx.session.get(models.Message, message_id)
    if message is None or message.chat_session_id != chat_id:
        raise errors.NotFound("answer")
    if sentiment is None:
        await feedback.take_back(actor, run_id)
    else:
        await feedback.rate(actor, run_id, sentiment, comment)


async def merge(keyed: Keyed, claims: Claims, who: VisitorCaller) -> tuple[int, int]:
    """Moves the anonymous chats of a browser to the user who has signed in on it.

    Args:
        keyed: The agent of the request's key.
        claims: The claims of the request: a session id and a user token.
        who: The visitor, proved by the token.

    Returns:
        The number of moved chats, and the number of chats left for later because an answer is being written or waits.

    Raises:
        errors.Unauthenticated: The request does not have both a session id and a valid user token.
        errors.Invalid: The session id is malformed.
    """
    if who.kind != "signed" or not claims.session_id:
        raise refused("user_token_required", "Merging needs the session id of the chats, and a user token.")
    subject = session_subject(claims.session_id)
    async with transaction(Actor.system()) as tx:
        browser = await visitor(tx, keyed.agent.id, "session", subject, adds=False)
        if browser is None:
            return 0, 0
        await tx.go_on_as(who.required())
        moved = len((await tx.call("leaf_merge_visitor", browser.user_id)).all())
    async with transaction(browser, read_only=True) as tx:
        begun = exists().where(col(models.Message.chat_session_id) == col(models.ChatSession.id))
        left = select(func.count()).where(
            col(models.ChatSession.created_by) == browser.user_id, col(models.ChatSession.deleted_at).is_(None), begun
        )
        return moved, (await tx.session.exec(left)).one()


async def expire() -> int:
    """Hides expired chats, which `chats.purge` removes, and deletes visitors without a chat.

    The SQL function `leaf_expire_widget_chats` has the rule by which a chat expires.

    Returns:
        The number of chats that were hidden.
    """
    async with transaction(Actor.system()) as tx:
        return int((await tx.call("leaf_expire_widget_chats")).scalar_one())
