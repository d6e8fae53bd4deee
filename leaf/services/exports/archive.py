"""The files of an export, generated one after the other."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from leaf import errors
from leaf.citations import redaction
from leaf.db.session import Actor
from leaf.services import passages
from leaf.services.exports.chat import ChatExport, of_chat
from leaf.services.exports.kinds import KINDS, LEFT_OUT, NOT_EXPORTED, Kind, rows
from leaf.services.files import ChatFiles
from leaf.texts import DEFAULT

_CHATS: Final = Kind("chats", "chat_sessions", "true", at_once=200)
_TITLE_CHARACTERS: Final = 60
_UNSAFE: Final = re.compile(r"[^\w .,()-]+")
"""Characters that are replaced in names: the ones that file systems forbid, and more."""
_BY_NAME: Final = {kind.file: kind for kind in KINDS}


@dataclass(frozen=True)
class Entry:
    """A file of the archive. Its pieces are generated while the archive is written."""

    path: str
    pieces: AsyncIterator[bytes]


async def export(actor: Actor) -> AsyncGenerator[Entry]:
    """All data of a member: a JSON file for each kind of rows, and a folder for each chat with its files.

    Only a few rows, or one file of a chat, are in memory at a time.

    Args:
        actor: The member.
    """
    yield Entry("about.md", _once(_about()))
    for kind in KINDS:
        if not kind.of_chat:
            yield Entry(f"{kind.file}.json", _json(actor, kind))
    async with aclosing(rows(actor, _CHATS)) as chats:
        async for row in chats:
            async with aclosing(_chat(actor, row)) as entries:
                async for entry in entries:
                    yield entry


async def chat(actor: Actor, chat_id: UUID) -> AsyncGenerator[Entry]:
    """One chat in the form of `export`: first as Markdown, then its rows and files.

    Args:
        actor: A participant.
        chat_id: The chat.

    Raises:
        errors.NotFound: The chat does not exist for this member.
    """
    found = errors.found([row async for row in rows(actor, _BY_NAME["chat"], chat_id)], "chat")
    async with aclosing(_chat(actor, found[0])) as entries:
        async for entry in entries:
            yield entry


async def _chat(actor: Actor, chat: dict[str, Any]) -> AsyncGenerator[Entry]:
    chat_id, folder = UUID(chat["id"]), _folder(chat)
    yield Entry(f"{folder}/chat.md", _exported(actor, chat_id, lambda one: one.as_markdown(DEFAULT)))
    yield Entry(f"{folder}/conversation.json", _exported(actor, chat_id, ChatExport.as_json))
    for kind in KINDS:
        if kind.of_chat:
            yield Entry(f"{folder}/{kind.file}.json", _json(actor, kind, chat_id))
    paths: dict[str, str] = {}
    current: dict[str, int] = {}
    async for file in rows(actor, _BY_NAME["files"], chat_id):
        paths[file["id"]] = file["path"]
        if not file["deleted"]:
            current[file["id"]] = file["version"]
    files = ChatFiles(actor, chat_id)
    async for version in rows(actor, _BY_NAME["versions"], chat_id):
        path, number = paths.get(version["file_id"]), version["number"]
        if path is None or version["action"] == "delete":
            continue
        newest = current.get(version["file_id"]) == number
        name = f"{folder}/files/{path}" if newest else f"{folder}/earlier files/{path}/{number}"
        yield Entry(name, _file(files, path, number))


def _folder(chat: dict[str, Any]) -> str:
    title = _UNSAFE.sub(" ", chat["title"] or "New chat")[:_TITLE_CHARACTERS].strip(" .")
    return f"chats/{chat['created_at'][:10]} {title} ({chat['id'][:8]})"


async def _json(actor: Actor, kind: Kind, chat_id: UUID | None = None) -> AsyncGenerator[bytes]:
    lead = "[\n"
    left_out = await passages.withheld_in_chat(actor, chat_id) if kind == _BY_NAME["messages"] and chat_id else {}
    async with aclosing(rows(actor, kind, chat_id)) as found:
        async for row in found:
            if left_out:
                row["parts"] = redaction.without(row["parts"], left_out)
            elif kind == _BY_NAME["shared_links"]:
                row["content"] = await passages.shared(actor, row["content"])
            written = await asyncio.to_thread(json.dumps, row, ensure_ascii=False, indent=1)
            yield (lead + written).encode()
            lead = ",\n"
    yield b"[]\n" if lead == "[\n" else b"\n]\n"


async def _exported(
    actor: Actor, chat_id: UUID, pieces_of: Callable[[ChatExport], AsyncGenerator[bytes]]
) -> AsyncGenerator[bytes]:
    with suppress(errors.NotFound):  # The chat was deleted in the meantime.
        async with aclosing(pieces_of(await of_chat(actor, chat_id))) as pieces:
            async for piece in pieces:
                yield piece


async def _file(files: ChatFiles, path: str, number: int) -> AsyncGenerator[bytes]:
    try:
        found = await files.original(path, number)
    except errors.NotFound:  # The version was dropped since it was listed.
        return
    yield found.data


async def _once(text: str) -> AsyncGenerator[bytes]:
    yield text.encode()


def _about() -> str:
    left_out = [
        f"- `{column}` of `{kind.file}.json`: {reason}"
        for kind in KINDS
        for column, reason in LEFT_OUT.get(kind.table, {}).items()
    ]
    left_out += [f"- `{table}`: {reason}" for table, reason in NOT_EXPORTED.items()]
    return "\n".join(
        [
            "# Your data in Leaf",
            "",
            "Each JSON file holds the rows of one kind. Each chat has a folder with its conversation",
            "(`chat.md` to read, `conversation.json` to import into a Leaf again, `messages.json` whole), its files,",
            "and what they were before. Times are in UTC.",
            "",
            "What is not in here:",
            "",
            *left_out,
            "",
        ]
    )
