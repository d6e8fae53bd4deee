"""Knowledge of a site's agent: uploaded files, and folders of a member's Drive.

A folder is removed when its owner leaves the team.
"""

import asyncio
import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import sqlalchemy
from sqlmodel import col, select

from leaf import errors, texts
from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.documents import Document, isolation
from leaf.documents.uploads import kind_by_content
from leaf.google import drive, links
from leaf.services import knowledge, security
from leaf.services.integrations import UserDrive

FILE_BYTES: Final = 10_000_000
TEXT_CHARACTERS: Final = 10_000_000
"""The largest number of characters in all files of an agent together."""
MOST_FILES: Final = 30
MOST_FOLDERS: Final = 5
TITLE_CHARACTERS: Final = 120
_FILE, _FOLDER = models.AgentFile, models.AgentFolder
Table = type[models.AgentFile] | type[models.AgentFolder]
Kind = Literal["file", "folder"]
_TABLES: Final[dict[str, Table]] = {"file": _FILE, "folder": _FOLDER}
State = Literal["ready", "not_connected", "refused", "unavailable"]


@dataclass(frozen=True)
class SourceRow:
    """A source with the data that the site's team may see."""

    id: UUID
    kind: Kind
    title: str
    file_kind: str
    """The kind of an uploaded file; empty for a folder."""
    size_bytes: int
    owner: str
    """The name of the member whose grant is used to read a folder; empty for a file."""
    created_at: datetime


async def list_knowledge(actor: Actor, agent_id: UUID) -> list[SourceRow]:
    """The files and folders of an agent, the oldest first. Empty if the actor is not in the site's team."""
    async with transaction(actor, read_only=True) as tx:
        agent = await tx.session.get(models.Agent, agent_id)
        if agent is None:
            return []
        query = sqlalchemy.select(
            col(_FILE.id), col(_FILE.title), col(_FILE.kind), col(_FILE.size_bytes), col(_FILE.created_at)
        )
        files = (await tx.execute(query.where(col(_FILE.agent_id) == agent_id))).all()
        folders = (await tx.session.exec(select(_FOLDER).where(col(_FOLDER.agent_id) == agent_id))).all()
        people = await tx.call("leaf_tenant_people", agent.site_id)
        names = {one.user_id: one.name for one in people}
    rows = [SourceRow(one.id, "file", one.title, one.kind, one.size_bytes, "", one.created_at) for one in files]
    rows += [
        SourceRow(one.id, "folder", one.title, "", 0, names.get(one.user_id, ""), one.created_at) for one in folders
    ]
    return sorted(rows, key=lambda one: (one.created_at, one.id))


async def add_file(actor: Actor, agent_id: UUID, name: str, data: bytes) -> UUID:
    """Adds a file, of which only the text is kept. Returns its id, which is the same if the file is added again.

    Args:
        actor: A member of the site's team.
        agent_id: The agent.
        name: The name of the file, which becomes the title. Its ending distinguishes kinds of text.
        data: At most 10 MB.

    Raises:
        errors.Invalid: The file is empty, or there is no room for it.
        errors.NotFound: The agent does not exist for this member.
        errors.LeafError: The file is too large (status 413).
        documents.Unreadable: The file has no text, is of no supported kind, or is damaged or encrypted.
    """
    if not data:
        raise errors.Invalid(texts.english("errors.file_empty"), field="file")
    if len(data) > FILE_BYTES:
        raise errors.LeafError(texts.english("errors.file_larger", most="10 MB"), status=413, code="size")
    async with transaction(actor, read_only=True) as tx:
        await _agent(tx, agent_id)
    kind = await asyncio.to_thread(kind_by_content, data, name)
    parsed = await isolation.parse(data, kind, owner=actor)
    document = Document("", "", "", "", kind, parsed.segments, parsed.notes, parsed.truncated)
    body = document.body()
    digest = await asyncio.to_thread(lambda: hashlib.sha256(data).digest())
    characters = sum(len(one.text) for one in parsed.segments)
    async with transaction(actor) as tx:
        agent = await _agent(tx, agent_id, locked=True)
        same = select(_FILE.id).where(col(_FILE.agent_id) == agent_id, col(_FILE.sha256) == digest)
        there = (await tx.session.exec(same)).one_or_none()
        if there is not None:
            return there
        sizes = (await tx.session.exec(select(_FILE.characters).where(col(_FILE.agent_id) == agent_id))).all()
        if len(sizes) >= MOST_FILES or sum(sizes) + characters > TEXT_CHARACTERS:
            raise errors.Invalid(texts.english("sites.knowledge_full", most=MOST_FILES), field="file")
        row = _FILE(
            site_id=agent.site_id, agent_id=agent_id, title=_title(name) or texts.say("sites.untitled"), kind=kind,
            size_bytes=len(data), characters=characters, sha256=digest, body=body,
        )  # fmt: skip
        tx.session.add(row)
    return row.id


async def add_folder(actor: Actor, agent_id: UUID, link: str) -> UUID:
    """Adds a folder of the member's own Drive, with all files that it has now or later. Returns its id.

    Raises:
        errors.Invalid: The link does not lead to a folder or leads to all of My Drive, or there are too many folders.
        errors.NotFound: The agent does not exist for this member.
        errors.DriveError: Drive is not connected, refuses the folder, or does not answer.
    """
    async with transaction(actor, read_only=True) as tx:
        await _agent(tx, agent_id)
    wanted = links.parse(link)
    client = drive.Drive(UserDrive(actor))
    found = await client.get_file(wanted)
    if not found.is_folder:
        raise errors.Invalid(texts.english("sites.no_folder"), field="folder")
    if wanted.id == links.ROOT or found.id == (await client.get_file(links.DriveLink(links.ROOT))).id:
        raise errors.Invalid(texts.english("sites.whole_drive"), field="folder")
    async with transaction(actor) as tx:
        agent = await _agent(tx, agent_id, locked=True)
        rows = (await tx.session.exec(select(_FOLDER).where(col(_FOLDER.agent_id) == agent_id))).all()
        there = next((row.id for row in rows if row.folder_id == found.id), None)
        if there is not None:
            return there
        if len(rows) >= MOST_FOLDERS:
            raise errors.Invalid(texts.english("sites.too_many_folders", most=MOST_FOLDERS), field="folder")
        row = _FOLDER(
            site_id=agent.site_id, agent_id=agent_id, user_id=actor.member_id, workspace_id=actor.own_workspace_id,
            title=_title(found.name) or texts.say("sites.untitled"), folder_id=found.id,
            resource_key=found.resource_key,
        )  # fmt: skip
        tx.session.add(row)
        await security.note(tx, security.Kind.SITE_FOLDER_ADDED, str(agent_id))
    return row.id


async def state_of(actor: Actor, agent_id: UUID, source_id: UUID) -> State:
    """Whether an agent can read a folder at the moment with the grant of the folder's owner.

    Raises:
        errors.NotFound: The folder does not exist for this member.
    """
    known = knowledge.AgentKnowledge(actor, agent_id)
    source = errors.found(next((one for one in await known.sources() if one.id == source_id), None), "folder")
    try:
        await drive.Drive(known.drive(source)).get_file(links.DriveLink(source.folder_id, source.resource_key))
    except (errors.DriveNotConnected, errors.DriveRevoked):
        return "not_connected"
    except errors.DriveRefused:
        return "refused"
    except errors.DriveError:
        return "unavailable"
    return "ready"


async def rename_source(actor: Actor, kind: Kind, source_id: UUID, title: str) -> None:
    """Changes the title of a file or folder, which visitors see.

    Raises:
        errors.Invalid: The title is empty or too long.
        errors.NotFound: The source does not exist for this member.
    """
    stored = storable.name(title, TITLE_CHARACTERS)
    if stored is None:
        raise errors.Invalid(texts.english("sites.too_long", name="title", most=TITLE_CHARACTERS), field="title")
    await _exactly_one(actor, sqlalchemy.update(_TABLES[kind]).values(title=stored), kind, source_id)


async def remove_source(actor: Actor, kind: Kind, source_id: UUID) -> None:
    """Removes a file or folder from its agent. Answers that are being written can no longer read it either.

    Raises:
        errors.NotFound: The source does not exist for this member.
    """
    await _exactly_one(actor, sqlalchemy.delete(_TABLES[kind]), kind, source_id)


async def _exactly_one(actor: Actor, change: sqlalchemy.Update | sqlalchemy.Delete, kind: Kind, row_id: UUID) -> None:
    async with transaction(actor) as tx:
        errors.found((await tx.session.exec(change.where(col(_TABLES[kind].id) == row_id))).rowcount, kind)


async def _agent(tx: Transaction, agent_id: UUID, *, locked: bool = False) -> models.Agent:
    query = select(models.Agent).where(col(models.Agent.id) == agent_id)
    return errors.found((await tx.session.exec(query.with_for_update() if locked else query)).one_or_none(), "agent")


def _title(name: str) -> str:
    """The title of a file or folder, made from its name; empty if the name has no usable character."""
    return storable.line(name, TITLE_CHARACTERS)[:TITLE_CHARACTERS].strip()
