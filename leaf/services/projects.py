"""Projects of a member. A project has a name, and a scope and instructions for its chats (decision 0081)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import sqlalchemy
from sqlalchemy import func
from sqlmodel import col, select

from leaf import errors, texts
from leaf.db import models, storable
from leaf.db.models import utc_now
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services import chats
from leaf.services.library.scope import NO_SCOPE, ChatScope

NAME_CHARACTERS: Final = 80
INSTRUCTION_CHARACTERS: Final = 4000
MOST: Final = 100
"""The largest number of projects of one member."""


@dataclass(frozen=True)
class Project:
    """A project of a member."""

    id: UUID
    name: str
    instructions: str
    """Sent to the agent with each question that the member asks in the project's chats."""
    scope: ChatScope
    """The part of the member's Drive to which new chats of the project are limited."""
    created_at: datetime
    updated_at: datetime


async def listed(actor: Actor) -> list[Project]:
    """The member's projects in order of name."""
    async with transaction(actor, read_only=True) as tx:
        return await read_all(tx)


async def read_all(tx: Transaction) -> list[Project]:
    """The same as `listed`, read in a transaction of the member."""
    rows = (await tx.session.exec(select(models.Project))).all()
    return [_project(row) for row in sorted(rows, key=lambda row: (row.name.casefold(), row.created_at))]


async def read(actor: Actor, project_id: UUID) -> Project:
    """One project.

    Raises:
        errors.NotFound: The member has no such project.
    """
    async with transaction(actor, read_only=True) as tx:
        return _project(await _find(tx, project_id))


async def create(actor: Actor, name: str, *, instructions: str = "", scope: ChatScope = NO_SCOPE) -> Project:
    """Creates a project.

    Args:
        actor: The member.
        name: 1-80 characters; surrounding blanks are removed.
        instructions: At most 4,000 characters; empty for none.
        scope: The part of the member's Drive to which new chats are limited (`library.choices.scope_of`).

    Raises:
        errors.Invalid: The name or the instructions do not have an allowed length, or the member has 100 projects.
    """
    row = models.Project(
        user_id=actor.member_id, name=_name(name), instructions=_instructions(instructions), scope=scope.data()
    )
    async with transaction(actor) as tx:
        await tx.lock(f"projects:{actor.user_id}")
        if (await tx.session.exec(select(func.count()).select_from(models.Project))).one() >= MOST:
            raise errors.Invalid(texts.english("projects.too_many", most=MOST), field="name")
        tx.session.add(row)
        tx.after_commit(events.publish, [events.user(actor.member_id)])
    return _project(row)


async def change(
    actor: Actor,
    project_id: UUID,
    *,
    name: str | None = None,
    instructions: str | None = None,
    scope: ChatScope | None = None,
) -> Project:
    """Changes a project. New instructions apply from the next question on, a new scope to new chats only.

    Args:
        actor: The member.
        project_id: The project.
        name: The new name; None to keep it.
        instructions: The new instructions; None to keep them.
        scope: The new scope, `NO_SCOPE` for all of the Drive; None to keep it.

    Raises:
        errors.Invalid: The name or the instructions do not have a length that `create` allows.
        errors.NotFound: The member has no such project.
    """
    values: dict[str, Any] = {
        **({"name": _name(name)} if name is not None else {}),
        **({"instructions": _instructions(instructions)} if instructions is not None else {}),
        **({"scope": scope.data()} if scope is not None else {}),
    }
    async with transaction(actor) as tx:
        row = await _find(tx, project_id, lock=True)
        if values:
            statement = sqlalchemy.update(models.Project).where(col(models.Project.id) == project_id)
            await tx.session.exec(statement.values(**values, updated_at=utc_now()))
            await tx.session.refresh(row)
            tx.after_commit(events.publish, [events.user(actor.member_id)])
        return _project(row)


async def delete(actor: Actor, project_id: UUID) -> None:
    """Deletes a project. Its chats stay, with their scopes, outside of any project.

    Raises:
        errors.NotFound: The member has no such project.
    """
    async with transaction(actor) as tx:
        statement = sqlalchemy.delete(models.Project).where(col(models.Project.id) == project_id)
        errors.found((await tx.session.exec(statement)).rowcount, "project")
        tx.after_commit(events.publish, [events.user(actor.member_id)])


async def begin(actor: Actor, project_id: UUID) -> UUID:
    """Creates a chat without messages in a project, with the project's scope (`chats.new`). Returns its id.

    Raises:
        errors.NotFound: The member has no such project.
    """
    project = await read(actor, project_id)
    return await chats.new(actor, project.scope, project.id)


async def _find(tx: Transaction, project_id: UUID, *, lock: bool = False) -> models.Project:
    """The row of a project. With `lock`, nobody can delete it before the transaction ends.

    Raises:
        errors.NotFound: The member has no such project.
    """
    query = select(models.Project).where(col(models.Project.id) == project_id)
    return errors.found((await tx.session.exec(query.with_for_update() if lock else query)).one_or_none(), "project")


def _name(name: str) -> str:
    stored = storable.name(name, NAME_CHARACTERS)
    if stored is None:
        raise errors.Invalid(texts.english("projects.name_length", most=NAME_CHARACTERS), field="name")
    return stored


def _instructions(instructions: str) -> str:
    # A form sends the ends of lines as CR LF.
    kept = storable.text(instructions).replace("\r\n", "\n").strip()
    if len(kept) > INSTRUCTION_CHARACTERS:
        raise errors.Invalid(
            texts.english("projects.instructions_too_long", count=INSTRUCTION_CHARACTERS), field="instructions"
        )
    return kept


def _project(row: models.Project) -> Project:
    return Project(row.id, row.name, row.instructions, ChatScope.of(row.scope), row.created_at, row.updated_at)
