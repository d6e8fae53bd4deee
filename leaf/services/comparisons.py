"""Comparisons of answers with the present text of their sources, and with their own earlier versions."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import UUID

from sqlmodel import col, select

from leaf import citations, errors, parts
from leaf.citations import Near, Passage, redaction
from leaf.citations.syntax import MARK, unlinked
from leaf.db import models
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, transaction
from leaf.documents import Document, tables
from leaf.documents.textfiles import edits
from leaf.services import cells, computations, passages
from leaf.services.library import file_texts, quotes

Sign = Literal["-", "+"]
State = Literal[
    "changed", "gone", "bin", "unread", "unchecked", "refused", "unanswered", "lost", "unconnected", "checking"
]


@dataclass(frozen=True)
class Comparison:
    """A quote that its source no longer contains, with the most similar passage, or whose source is not shown."""

    citation: dict[str, Any]
    """The stored citation (`leaf.citations.Citation.data`), without its text if the reader may not see it."""
    state: State
    near: Near | None = None
    """The most similar passage of the present text. None if there is none, or if the text has not been read."""
    kept: Mapping[str, Any] | None = None
    """The output of the tool call of a computed figure."""
    made: Mapping[str, Any] | None = None
    """The output of the same computation over the present files. None if it could not be repeated."""
    cause: Mapping[str, Any] | None = None
    """The reason why the present version of the file could not be read (`text`, and `message`)."""


async def with_sources(actor: Actor, message_ids: Sequence[UUID]) -> list[Comparison]:
    """The changed quotes of answers, each with the present text of its source, and the quotes whose source Google no
    longer shows to the actor. No model is called.

    Args:
        actor: A participant of the chat. Their Google grant decides what they may see, and their index has the texts.
        message_ids: The answers.

    Raises:
        errors.NotFound: The actor has none of these answers.
    """
    query = select(models.Message).where(
        col(models.Message.id).in_(message_ids), col(models.Message.role) == MessageRole.ASSISTANT
    )
    async with transaction(actor, read_only=True) as tx:
        rows = errors.found((await tx.session.exec(query.order_by(col(models.Message.position)))).all(), "answer")
    followed = await quotes.followed(actor, [row.id for row in rows])
    changed = await cells.edits(actor, [row.id for row in rows])
    shown = await passages.shown(actor, [row.parts for row in rows])
    found: list[Comparison] = []
    documents: dict[str, Document | None] = {}
    for row, allowed in zip(rows, shown, strict=True):
        numbered = quotes.by_number(followed.get(row.id, ()))
        for cited in citations.stored(allowed):
            one = numbered.get(cited.get("n", 0))
            state = one.state if one is not None else "stands"
            file_id = str(cited.get("file_id"))
            if cited.get("reason") in redaction.TEXTS:
                # The line above the answer counts all quotes that Google refuses to the reader, whatever their state.
                if state != "stands" or (cited["reason"] == "refused" and cited.get("kind") in quotes.KINDS):
                    found.append(_withheld(cited, numbered, row.parts))
            elif one is not None and state == "unchecked":
                found.append(Comparison(cited, "unchecked", cause=one.cause))
            elif state in {"changed", "gone"} and cited.get("kind") == citations.figures.COMPUTED:
                edit = changed.get((row.id, str(cited.get("call"))))
                found.append(await _computed(actor, cited, allowed, edit.output if edit is not None else {}))
            elif state in {"changed", "gone"}:
                if file_id not in documents:
                    documents[file_id] = await file_texts.present(actor, file_id)
                found.append(await asyncio.to_thread(_compared, cited, documents[file_id]))
    return found


def _withheld(
    cited: dict[str, Any], numbered: Mapping[int, quotes.Followed], message_parts: Sequence[parts.Part]
) -> Comparison:
    """The comparison for a citation whose file the reader may not see.

    It has the name of the file only if the file is in the bin, because the reader's own Drive shows that name.
    """
    if quotes.state_for(cited, numbered) != "bin":
        return Comparison(cited, cited["reason"])
    names = {one["n"]: one.get("name") for one in citations.stored(message_parts)}
    return Comparison({**cited, "name": names.get(cited["n"])}, "bin")


async def _computed(
    actor: Actor, cited: dict[str, Any], message_parts: Sequence[parts.Part], edited: Mapping[str, Any]
) -> Comparison:
    """The comparison for a computed figure. If the present result is the same, the edited computation is compared."""
    outputs = (one.get("output") for one in message_parts if one.get("toolCallId") == cited.get("call"))
    kept = next((one for one in outputs if isinstance(one, dict)), {})
    try:
        made = await computations.from_index(actor, kept)
        # Google has confirmed the reader's access only to the files of the figure.
        if made is not None and made.is_same and edited and redaction.files_in(edited) <= {*cited.get("files", ())}:
            kept = edited
            made = await computations.from_index(actor, kept)
    except (tables.TooMuch, errors.DriveError):
        return Comparison(cited, "unread", kept=kept)
    except (tables.Refused, errors.NotFound):
        return Comparison(cited, "gone", kept=kept)
    if made is None:
        return Comparison(cited, "unread", kept=kept)
    return Comparison(cited, "changed", kept=kept, made=made.output)


def _compared(cited: dict[str, Any], document: Document | None) -> Comparison:
    if document is None:
        return Comparison(cited, "unread")
    near = citations.nearest(str(cited.get("quote") or ""), [Passage(one.place, one.text) for one in document.segments])
    return Comparison(cited, "gone") if near is None else Comparison(cited, "changed", near)


async def of_versions(actor: Actor, message_id: UUID) -> str:
    """The unified diff from the version before an answer to the answer, sentence by sentence.

    It is empty if both read the same. A failed version is compared only if there is no other.

    Args:
        actor: A participant of the chat.
        message_id: The answer.

    Raises:
        errors.NotFound: The actor has no such answer, or it is the first version.
    """
    before, after = await _versions(actor, message_id)
    return await asyncio.to_thread(difference, _words(before), _words(after))


async def to_send(actor: Actor, message_id: UUID) -> list[tuple[Sign, str]]:
    """A short difference between an answer and the version before it, for an e-mail to the actor.

    Empty if Google does not confirm at this moment that the actor may read all files behind both answers.

    Raises:
        errors.NotFound: The actor has no such answer, or it is the first version.
    """
    before, after = await _versions(actor, message_id)
    if await passages.withheld(actor, redaction.files_of([*before, *after])):
        return []
    return in_short(await asyncio.to_thread(difference, _words(before), _words(after)))


async def _versions(actor: Actor, message_id: UUID) -> tuple[list[parts.Part], list[parts.Part]]:
    """The parts of the version before an answer, and the parts of the answer.

    Raises:
        errors.NotFound: The actor has no such answer, or it is the first version.
    """
    message = models.Message
    async with transaction(actor, read_only=True) as tx:
        row = await tx.session.get(message, message_id)
        if row is None or row.role is not MessageRole.ASSISTANT:
            raise errors.NotFound("answer")
        earlier = select(message).where(
            col(message.chat_session_id) == row.chat_session_id,
            col(message.parent_id) == row.parent_id,
            col(message.position) < row.position,
        )
        newest = earlier.order_by(col(message.status) == MessageStatus.ERROR, col(message.position).desc()).limit(1)
        before = errors.found((await tx.session.exec(newest)).first(), "answer")
    return before.parts, row.parts


def _words(message_parts: Sequence[parts.Part]) -> str:
    answer: parts.Message = {"id": "", "role": "assistant", "parts": [*message_parts], "metadata": {}}
    return citations.shown(parts.answer_text(answer))


MOST_LINES: Final = 6
"""The largest number of sentences in a short difference."""
LINE_CHARACTERS: Final = 240


def in_short(diff: str) -> list[tuple[Sign, str]]:
    """The first `MOST_LINES` sentences of a unified diff that are gone (`-`) or new (`+`), each cut to length.

    Args:
        diff: As in `of_versions`.
    """
    found: list[tuple[Sign, str]] = []
    is_body = False
    for line in diff.split("\n"):
        is_body = is_body or line.startswith("@@")
        sign, words = line[:1], " ".join(line[1:].split())
        if not is_body or sign not in {"-", "+"} or not words:
            continue
        if len(found) == MOST_LINES:
            break
        short = words if len(words) <= LINE_CHARACTERS else words[:LINE_CHARACTERS].rsplit(" ", 1)[0] + " …"
        found.append(("-" if sign == "-" else "+", short))
    return found


def difference(before: str, after: str) -> str:
    """The unified diff of two answers with a line for each sentence; empty if they read the same.

    The diff is meant for people: links are reduced to their words, quotes are not marked, footnotes have no numbers.

    Args:
        before: Markdown.
        after: Markdown.
    """
    was, now = (MARK.sub("", unlinked(one)) for one in (before, after))
    return "" if was == now else edits.difference("answer", _lines(was), _lines(now))


def _lines(text: str) -> str:
    lines: list[str] = []
    for line in text.splitlines():
        start = 0
        for at, sign in enumerate(line):
            if sign in ".!?" and line[at + 1 : at + 2] == " ":
                lines.append(line[start : at + 1])
                start = at + 2
        lines.append(line[start:])
    return "\n".join(lines) + "\n"
