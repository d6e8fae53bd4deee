"""Feedback on answers and on Leaf. Members see their own feedback; administrators see all (`administration`)."""

from hashlib import sha256
from typing import Final, Literal
from uuid import UUID

import sqlalchemy
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf import errors, texts
from leaf.db import models, storable
from leaf.db.models import MessageRole, utc_now
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import rates

Sentiment = Literal["up", "neutral", "down"]
SENTIMENTS: Final[tuple[Sentiment, ...]] = ("up", "neutral", "down")
COMMENT_CHARACTERS: Final = 2000
_PAGE_CHARACTERS: Final = 200
_USER_AGENT_CHARACTERS: Final = 300
SENT: Final = 10
"""The largest number of messages from one member or address within an hour."""
RATED: Final = 60
"""The largest number of ratings by one member within a minute."""


async def rate(
    actor: Actor, run_id: UUID, sentiment: str, comment: str = "", *, page: str = "", user_agent: str = ""
) -> None:
    """Rates an answer. The rating replaces an earlier one by the same member.

    Args:
        actor: The member.
        run_id: The run that wrote the answer.
        sentiment: up, neutral or down.
        comment: At most 2,000 characters.
        page: Path of the page.
        user_agent: User agent of the browser.

    Raises:
        errors.Invalid: The sentiment is unknown, or the comment is too long.
        errors.NotFound: The answer does not exist for this member.
        errors.RateLimited: The limit of 60 ratings within a minute is reached.
    """
    _require_sentiment(sentiment)
    fields = {"sentiment": sentiment, **_feedback_values(comment, page, user_agent)}
    await _throttle(f"rate:{actor.user_id}", RATED, 60.0)
    async with transaction(actor) as tx:
        message_id = await _answer(tx, run_id)
        row = insert(models.Feedback).values(user_id=actor.user_id, message_id=message_id, run_id=run_id, **fields)
        keys = [col(models.Feedback.user_id), col(models.Feedback.run_id)]
        await tx.session.exec(row.on_conflict_do_update(index_elements=keys, set_={**fields, "updated_at": utc_now()}))


async def take_back(actor: Actor, run_id: UUID) -> None:
    """Removes the member's rating of an answer, if there is one.

    Raises:
        errors.NotFound: The answer does not exist for this member.
    """
    async with transaction(actor) as tx:
        await _answer(tx, run_id)
        mine = (col(models.Feedback.run_id) == run_id, col(models.Feedback.user_id) == actor.user_id)
        await tx.session.exec(sqlalchemy.delete(models.Feedback).where(*mine))


async def of_chat(actor: Actor, chat_id: UUID) -> dict[UUID, str]:
    """The member's ratings in a chat, by the run that wrote the answer."""
    async with transaction(actor, read_only=True) as tx:
        query = (
            select(models.Feedback.run_id, models.Feedback.sentiment)
            .join(models.Message, col(models.Message.id) == col(models.Feedback.message_id))
            .where(col(models.Message.chat_session_id) == chat_id, col(models.Feedback.user_id) == actor.user_id)
        )
        found = (await tx.session.exec(query)).all()
    return {run_id: sentiment for run_id, sentiment in found if run_id is not None and sentiment is not None}


async def send(
    actor: Actor, comment: str, sentiment: str = "", *, address: str, page: str = "", user_agent: str = ""
) -> None:
    """Stores feedback on Leaf itself, from a member or a signed-out browser.

    Args:
        actor: The member, or the system actor for a signed-out browser.
        comment: At most 2,000 characters.
        sentiment: up, neutral or down; may be empty if there is a comment.
        address: Address of the caller. It counts toward the limit and is not stored.
        page: Path of the page.
        user_agent: User agent of the browser.

    Raises:
        errors.Invalid: The sentiment is unknown, the comment is too long, or there is neither.
        errors.RateLimited: The limit of ten within an hour is reached.
    """
    fields = _feedback_values(comment, page, user_agent)
    if sentiment:
        _require_sentiment(sentiment)
    elif not fields["comment"]:
        raise errors.Invalid(texts.english("notices.feedback_empty"), field="comment")
    who = str(actor.user_id) if actor.user_id is not None else sha256(address.encode()).hexdigest()[:32]
    await _throttle(f"feedback:{who}", SENT, 3600.0)
    async with transaction(actor) as tx:
        # The statement has no RETURNING, because a signed-out writer may not read the row.
        await tx.session.exec(
            insert(models.Feedback).values(user_id=actor.user_id, sentiment=sentiment or None, **fields)
        )


def _require_sentiment(sentiment: str) -> None:
    if sentiment not in SENTIMENTS:
        raise errors.Invalid("A sentiment is up, neutral or down.", field="sentiment")


def _feedback_values(comment: str, page: str, user_agent: str) -> dict[str, str]:
    kept = storable.text(comment).replace("\r\n", "\n").strip()
    if len(kept) > COMMENT_CHARACTERS:
        raise errors.Invalid(texts.english("notices.feedback_too_long", count=COMMENT_CHARACTERS), field="comment")
    return {
        "comment": kept,
        "page": storable.text(page).partition("?")[0][:_PAGE_CHARACTERS],
        "user_agent": storable.text(user_agent)[:_USER_AGENT_CHARACTERS],
    }


async def _answer(tx: Transaction, run_id: UUID) -> UUID:
    query = select(models.Message.id).where(
        col(models.Message.workflow_run_id) == run_id, col(models.Message.role) == MessageRole.ASSISTANT
    )
    return errors.found((await tx.session.exec(query)).one_or_none(), "answer")


async def _throttle(key: str, most: int, seconds: float) -> None:
    if wait := await rates.take(key, most, seconds=seconds):
        raise errors.RateLimited(texts.english("notices.feedback_too_often"), resets_in_seconds=wait)
