"""Forks of chats. A fork copies the messages up to a chosen one, and the chat's files with their uploads.

The original chat does not change. The costs of copied answers stay with the original.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from sqlmodel import col, select

from leaf import citations, errors, texts
from leaf.citations.comparisons import COMPARISONS
from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services import chats, summaries
from leaf.services.runs import answer
from leaf.telemetry.metrics import instruments

MARK = " (fork)"
FORKED_FROM = "forkedFrom"
"""The field in the details of the last copied message that holds the id of the original chat."""
_UNTITLED = "Untitled"

_FILES = """
    INSERT INTO chat_files (id, chat_session_id, path, version, size_bytes)
    SELECT gen_random_uuid(), :fork, path, version, size_bytes FROM chat_files
    WHERE chat_session_id = :chat AND NOT deleted
"""
# The current version and all uploads of each file. By the uploads, a later check knows which text an agent has written.
_ORIGINALS = """
    SELECT DISTINCT v.original_id FROM chat_files f
    JOIN chat_file_versions v ON v.file_id = f.id AND (v.number = f.version OR v.action = 'upload')
    WHERE f.chat_session_id = :chat AND NOT f.deleted AND v.original_id IS NOT NULL
"""
_ORIGINAL = """
    INSERT INTO chat_file_originals (
        id, chat_session_id, user_id, kind, size_bytes, sha256, data, content, content_bytes, places, notes
    )
    SELECT :new, :fork, :person, kind, size_bytes, sha256, data, content, content_bytes, places, notes
    FROM chat_file_originals WHERE id = :old
"""
_VERSIONS = """
    INSERT INTO chat_file_versions (file_id, chat_session_id, number, action, content, user_id, original_id)
    SELECT copied.id, :fork, v.number, v.action, v.content, :person, kept.new
    FROM chat_files f
    JOIN chat_files copied ON copied.chat_session_id = :fork AND copied.path = f.path
    JOIN chat_file_versions v ON v.file_id = f.id AND (v.number = f.version OR v.action = 'upload')
    LEFT JOIN unnest(CAST(:old AS uuid[]), CAST(:new AS uuid[])) AS kept (old, new) ON kept.old = v.original_id
    WHERE f.chat_session_id = :chat AND NOT f.deleted
"""


async def fork(actor: Actor, message_id: UUID) -> UUID:
    """Forks a chat after a message.

    Args:
        actor: A participant of the message's chat.
        message_id: The last message to copy.

    Returns:
        The id of the new chat. It requires approvals even if the original does not.

    Raises:
        errors.NotFound: The message does not exist for this member.
        errors.Conflict: The message is an unfinished answer.
    """
    person = actor.member_id
    async with transaction(actor) as tx:
        last = errors.found(await tx.session.get(models.Message, message_id), "message")
        # The lock keeps the files unchanged.
        original = await chats.find(tx, last.chat_session_id, lock=True)
        tree = await chats.tree_of(tx, original.id)
        if message_id not in tree:
            raise errors.NotFound("message")  # The chat was deleted in the meantime.
        path = tree.path(message_id)
        query = select(models.Message).where(chats.among(path)).order_by(col(models.Message.position))
        rows = (await tx.session.exec(query)).all()
        if any(row.status in chats.UNFINISHED for row in rows):
            raise errors.Conflict(texts.english("errors.still_answering_here"))
        fork_id = await _begin(tx, actor, original)
        versions = await _copy_files(tx, original.id, fork_id)
        copies = _Copies(person, original.id, fork_id, versions, message_id)
        for row in rows:
            tx.session.add(copies.of(row))
            await tx.session.flush()
        summary = await summaries.newest(tx, original, path)
        if summary is not None:
            tx.session.add(
                models.ChatSummary(
                    chat_session_id=fork_id,
                    message_id=copies.ids[summary.message_id],
                    user_id=person,
                    text=summary.text,
                )
            )
        tx.after_commit(events.publish, [events.user(person)])
    instruments.count_feature("fork")
    return fork_id


class _Copies:
    """Copies of messages, each attached to the copy of its parent.

    Args:
        person: The owner of the copies.
        chat_id: The original chat.
        fork_id: The fork.
        versions: The paths of the copied files, and the version of each.
        last: The last message to copy, whose copy names the original chat.
    """

    def __init__(self, person: UUID, chat_id: UUID, fork_id: UUID, versions: dict[str, int], last: UUID) -> None:
        self.ids: dict[UUID, UUID] = {}
        self._last = last
        self._person, self._chat_id, self._fork_id, self._versions = person, chat_id, fork_id, versions

    def of(self, row: models.Message) -> models.Message:
        """The copy of a message. Its parent must be copied before."""
        waits = row.status is MessageStatus.WAITING
        message_parts, details = answer.given_up(row) if waits else (row.parts, row.details)
        self.ids[row.id] = copy_id = uuid4()
        return models.Message(
            id=copy_id,
            chat_session_id=self._fork_id,
            parent_id=self.ids[row.parent_id] if row.parent_id is not None else None,
            role=row.role,
            status=MessageStatus.COMPLETED if waits else row.status,
            parts=[self._linked(part) for part in message_parts],
            # Traces belong to the runs of the original.
            details={name: value for name, value in details.items() if name not in {"traceId", "earlierTraceIds"}}
            | ({FORKED_FROM: str(self._chat_id)} if row.id == self._last else {}),
            # An answer must name a run. The copy has a new id that belongs to no run.
            workflow_run_id=uuid4() if row.workflow_run_id is not None else None,
            user_id=self._person,
            model=row.model,
            model_messages=row.model_messages,
            error_code=row.error_code,
            error_text=row.error_text,
            created_at=row.created_at,
        )

    def _linked(self, part: dict[str, Any]) -> dict[str, Any]:
        """A part whose citations and comparisons link to files of the fork, if it has the version that was read."""
        kind = part.get("type")
        if kind not in {citations.CITATIONS, COMPARISONS} or not isinstance(part.get("data"), list):
            return part
        own = {
            f"/api/chats/{self._chat_id}/files/{path}?version={version}": (
                f"/api/chats/{self._fork_id}/files/{path}?version={version}"
            )
            for path, version in self._versions.items()
        }
        if kind == COMPARISONS:
            return part | {"data": [_relinked(one, "compared", own) for one in part["data"]]}
        return _relinked(part, "data", own)


def _relinked(data: dict[str, Any], key: str, addresses: Mapping[str, str]) -> dict[str, Any]:
    """A copy of an object. In each item of its list `key`, the `url` is replaced if `addresses` has it."""
    return data | {key: [one | {"url": addresses.get(str(one.get("url")), one.get("url"))} for one in data[key]]}


async def _begin(tx: Transaction, actor: Actor, original: models.ChatSession) -> UUID:
    title = (original.title or _UNTITLED)[: chats.TITLE_CHARACTERS - len(MARK)].rstrip() + MARK
    row = models.ChatSession(
        workspace_id=actor.own_workspace_id,
        created_by=actor.member_id,
        title=title,
        title_source="user",
        used_drive=original.used_drive,
        scope=original.scope,
    )
    mine = await tx.session.get(models.ChatParticipant, (original.id, row.created_by))
    await chats.add(tx, row, mine.project_id if mine is not None else None)
    return row.id


async def _copy_files(tx: Transaction, chat_id: UUID, fork_id: UUID) -> dict[str, int]:
    """Copies the current files of a chat; returns the version of each copied path."""
    both = {"chat": chat_id, "fork": fork_id, "person": tx.actor.user_id}
    await tx.execute(_FILES, both)
    old = [row.original_id for row in await tx.execute(_ORIGINALS, both)]
    new = [uuid4() for _ in old]
    for one, copy in zip(old, new, strict=True):
        await tx.execute(_ORIGINAL, {**both, "old": one, "new": copy})
    await tx.execute(_VERSIONS, {**both, "old": old, "new": new})
    query = select(models.ChatFile.path, models.ChatFile.version).where(col(models.ChatFile.chat_session_id) == fork_id)
    return {row[0]: row[1] for row in (await tx.session.exec(query)).all()}
