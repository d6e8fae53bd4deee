"""Preferences of a member: name, defaults of new chats, and instructions for all chats."""

from dataclasses import dataclass

import sqlalchemy
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf import errors, parts, texts
from leaf.config.catalog import Kind, Mode
from leaf.db import models, storable
from leaf.db.models import utc_now
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events

NAME_CHARACTERS = 80
INSTRUCTION_CHARACTERS = 2000


@dataclass(frozen=True)
class Preferences:
    """The defaults of a member. `mode` and `kind` are None if new chats use the last choice."""

    mode: Mode | None = None
    kind: Kind | None = None
    instructions: str = ""


@dataclass(frozen=True)
class Profile:
    """A member's own name, and the profile of the identity provider."""

    display_name: str
    """Empty if the provider's name is shown."""
    name: str
    email: str
    picture_url: str | None


async def profile(actor: Actor) -> Profile:
    """The member's profile.

    Raises:
        errors.NotFound: The account is gone.
    """
    async with transaction(actor, read_only=True) as tx:
        user = errors.found((await tx.session.exec(select(models.User))).one_or_none(), "account")
    return Profile(user.display_name or "", user.name, user.email, user.picture_url)


async def rename(actor: Actor, name: str) -> str:
    """Sets the member's name. An empty name restores the provider's name.

    Args:
        actor: The member.
        name: At most 80 characters; surrounding blanks are removed.

    Returns:
        The stored name.

    Raises:
        errors.Invalid: The name is too long.
    """
    name = storable.line(name, NAME_CHARACTERS)
    if len(name) > NAME_CHARACTERS:
        raise errors.Invalid(texts.english("account.name_too_long", count=NAME_CHARACTERS), field="name")
    name = name if parts.is_visible(name) else ""
    async with transaction(actor) as tx:
        await tx.session.exec(sqlalchemy.update(models.User).values(display_name=name or None, updated_at=utc_now()))
        tx.after_commit(events.publish, [events.user(actor.member_id)])
    return name


async def read(actor: Actor) -> Preferences:
    """The defaults that the member has chosen."""
    async with transaction(actor, read_only=True) as tx:
        return await find(tx)


async def find(tx: Transaction) -> Preferences:
    """The defaults that the member has chosen, read in a transaction of the member."""
    row = (await tx.session.exec(select(models.UserSettings))).one_or_none()
    if row is None:
        return Preferences()
    return of(row.search_mode, row.model_type, row.instructions)


def of(mode: str | None, kind: str | None, instructions: str = "") -> Preferences:
    """Preferences from stored values. Unknown values become None."""
    return Preferences(_mode(mode), _kind(kind), instructions)


async def choose(actor: Actor, *, mode: str, kind: str) -> Preferences:
    """Sets the defaults of new chats.

    Args:
        actor: The member.
        mode: Mode of answers; any unknown value stands for the last choice.
        kind: Kind of models; any unknown value stands for the last choice.
    """
    return await _store(actor, {"search_mode": _mode(mode), "model_type": _kind(kind)})


async def instruct(actor: Actor, instructions: str) -> Preferences:
    """Sets the instructions that the agent receives with each question.

    Args:
        actor: The member.
        instructions: At most 2,000 characters; empty for none.

    Raises:
        errors.Invalid: The instructions are too long.
    """
    # A form sends the ends of lines as CR LF.
    kept = storable.text(instructions).replace("\r\n", "\n").strip()
    if len(kept) > INSTRUCTION_CHARACTERS:
        raise errors.Invalid(
            texts.english("account.instructions_too_long", count=INSTRUCTION_CHARACTERS), field="instructions"
        )
    return await _store(actor, {"instructions": kept})


async def _store(actor: Actor, values: dict[str, str | None]) -> Preferences:
    put = insert(models.UserSettings).values(user_id=actor.member_id, **values)
    async with transaction(actor) as tx:
        await tx.session.exec(
            put.on_conflict_do_update(
                index_elements=[col(models.UserSettings.user_id)], set_={**values, "updated_at": utc_now()}
            )
        )
        tx.after_commit(events.publish, [events.user(actor.member_id)])
        return await find(tx)


def _mode(name: str | None) -> Mode | None:
    return Mode(name) if name in set(Mode) else None


def _kind(name: str | None) -> Kind | None:
    return Kind(name) if name in set(Kind) else None
