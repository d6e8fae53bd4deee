"""What a question consists of: its words, the Drive files that it names, and the files of the chat that came with it.

Nothing of it is asked of Google here: whether the asker may see a file of Drive, and what it is called, is asked when
the answer is written, with their own Drive.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlmodel import col, select

from leaf import errors, parts, texts
from leaf.db import models, storable
from leaf.db.session import Transaction
from leaf.documents import textfiles
from leaf.parts import attached
from leaf.services.runs import starting


@dataclass(frozen=True)
class Wording:
    """A question before it is stored; made by `of`."""

    text: str
    mentions: list[attached.Mention] = field(default_factory=list[attached.Mention])
    paths: list[str] = field(default_factory=list[str])
    """Files of the chat that come with it."""

    def parts(self) -> list[parts.Part]:
        """The parts of the question; the text is the first."""
        named = [one.as_part() for one in self.mentions]
        return [{"type": "text", "text": self.text}, *named, *map(attached.attachment, self.paths)]


def of(text: str, extras: Mapping[str, Any] | None = None) -> Wording:
    """The wording that a page has sent.

    Args:
        text: The words, 1-32,000 characters.
        extras: `mentions` (each with `id`, `name`, `kind`, maybe `resourceKey`), and `files` (paths in the chat). A
            mention whose name does not stand in the words is left out.

    Raises:
        errors.Invalid: The words are empty or too long, or what stands beside them is malformed.
    """
    words = starting.question(text)
    given = extras or {}
    named, paths = (
        _listed(given.get("mentions"), attached.MOST_MENTIONS),
        _listed(given.get("files"), attached.MOST_ATTACHMENTS),
    )
    mentions = [attached.mention_of(one) for one in named]
    if None in mentions or not all(isinstance(path, str) for path in paths):
        raise errors.Invalid(texts.english("errors.malformed_question"), field="extras")
    found = [attached.Mention(one.id, storable.text(one.name), one.kind, one.resource_key) for one in mentions if one]
    return Wording(words, attached.standing(words, found), [*dict.fromkeys(map(textfiles.checked, paths))])


def _listed(given: Any, most: int) -> list[Any]:
    """Raises errors.Invalid where it is no list, or too long."""
    if given is None:
        return []
    if not isinstance(given, list):
        raise errors.Invalid(texts.english("errors.malformed_question"), field="extras")
    if len(given) > most:
        raise errors.Invalid(texts.english("errors.names_too_much", most=most), field="extras")
    return given


async def require_files(tx: Transaction, chat_id: UUID, paths: list[str]) -> None:
    """Has every file that comes with a question be one of the chat's.

    Raises:
        errors.NotFound: One is not there, or not any more.
    """
    if not paths:
        return
    query = select(models.ChatFile.path).where(
        col(models.ChatFile.chat_session_id) == chat_id,
        col(models.ChatFile.path).in_(paths),
        ~col(models.ChatFile.deleted),
    )
    if {*paths} - {*(await tx.session.exec(query)).all()}:
        raise errors.NotFound("file")
