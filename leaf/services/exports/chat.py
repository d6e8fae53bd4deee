"""One chat as a file, either JSON that can be imported or Markdown to read."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from sqlmodel import col, select

from leaf.citations import redaction
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.parts import portable
from leaf.parts.portable import markdown
from leaf.services import chats, passages
from leaf.services.exports.kinds import KINDS, rows
from leaf.services.library.scope import ChatScope
from leaf.telemetry import responsiveness

_MESSAGES: Final = next(kind for kind in KINDS if kind.file == "messages")


@dataclass(frozen=True)
class ChatExport:
    """A chat for export to its reader. Only a few messages are in memory at a time."""

    actor: Actor
    chat_id: UUID
    title: str
    created_at: datetime
    updated_at: datetime
    path: tuple[UUID, ...]
    """The messages of the reader's branch, without unfinished ones."""
    others: int
    """Number of ended messages on other branches."""
    scope: dict[str, Any] | None = None
    """The part of the Drive to which the chat is limited (`ChatScope.data`)."""

    async def as_json(self) -> AsyncGenerator[bytes]:
        """All messages of all branches in Leaf's JSON format (`portable.FORMAT`)."""
        head = {
            "format": portable.FORMAT,
            "version": portable.VERSION,
            "title": self.title,
            "created_at": self.created_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "updated_at": self.updated_at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "branch": str(self.path[-1]) if self.path else None,
            **({"scope": self.scope} if self.scope else {}),
        }
        yield json.dumps(head, ensure_ascii=False, indent=1).removesuffix("\n}").encode() + b',\n "messages": ['
        between = "\n"
        async with aclosing(self._messages()) as messages:
            async for message in messages:
                text = await responsiveness.in_thread(message.model_dump_json, indent=1)
                yield (between + text).encode()
                between = ",\n"
        yield b"\n]\n}\n"

    async def as_markdown(self, language: str) -> AsyncGenerator[bytes]:
        """The reader's branch as Markdown.

        Args:
            language: The language of the words that Leaf adds.
        """
        yield markdown.head(self.title, self.updated_at, self.others, language).encode()
        shown = {str(one) for one in self.path}
        async with aclosing(self._messages()) as messages:
            async for message in messages:
                if message.id in shown:
                    yield (await responsiveness.in_thread(markdown.message, message, language)).encode()

    async def _messages(self) -> AsyncGenerator[portable.Message]:
        left_out = await passages.withheld_in_chat(self.actor, self.chat_id)
        async with aclosing(rows(self.actor, _MESSAGES, self.chat_id)) as found:
            async for row in found:
                allowed = row | {"parts": redaction.without(row["parts"], left_out)} if left_out else row
                message = await responsiveness.in_thread(portable.to_portable, allowed)
                if message is not None:
                    yield message


async def of_chat(actor: Actor, chat_id: UUID) -> ChatExport:
    """A chat for export.

    Args:
        actor: A participant.
        chat_id: The chat.

    Raises:
        errors.NotFound: The chat does not exist for this member.
    """
    async with transaction(actor, read_only=True) as tx:
        row = await chats.find(tx, chat_id)
        path = await chats.selected_path(tx, chat_id)
        query = select(models.Message.id, models.Message.status).where(col(models.Message.chat_session_id) == chat_id)
        ended = {found[0] for found in await tx.session.exec(query) if found[1] not in chats.UNFINISHED}
    shown = tuple(one for one in path if one in ended)
    others, scope = len(ended) - len(shown), ChatScope.of(row.scope).data()
    return ChatExport(actor, chat_id, row.title or "", row.created_at, row.updated_at, shown, others, scope)
