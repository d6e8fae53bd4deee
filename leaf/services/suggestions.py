"""Suggested questions about a member's own Drive, made from the names of its files."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Literal
from uuid import UUID

from cachetools import TTLCache

from leaf import errors
from leaf.db.session import Actor
from leaf.google import drive
from leaf.google.files import DriveFile
from leaf.google.transport import Patience
from leaf.services import integrations
from leaf.services.integrations import UserDrive

Kind = Literal["points", "numbers", "compare", "deadlines", "recent"]

MOST: int = 4
NAME_CHARACTERS = 60
"""Files with longer names are not suggested, because the whole question must be readable on its card."""
_MOST_FILES = 20
_KEPT_SECONDS = 600
_PATIENCE = Patience(attempts=2, total_seconds=3.0)
_SILENCE_SECONDS = 6.0
_TEXTS = frozenset({"document", "word", "pdf", "text", "markdown", "presentation", "powerpoint"})
_TABLES = frozenset({"spreadsheet", "excel", "csv"})
_WORD = re.compile(r"[^\W\d_]{4,}")
"""A word that may name the subject of a file."""


@dataclass(frozen=True)
class Suggestion:
    """A suggested question: its kind, and the names of one or two files as its subject."""

    kind: Kind
    name: str = ""
    other: str = ""


RECENT = Suggestion("recent")
"""A question that fits any Drive."""
_kept: TTLCache[tuple[UUID, str], list[Suggestion]] = TTLCache(4096, _KEPT_SECONDS)
"""The questions by member and Google account."""


async def account(actor: Actor) -> str:
    """The e-mail address of the member's connected Drive; empty without a connection that works or may work again.

    A connection in trouble counts, because the request for files shows whether the trouble is over. Without an index,
    which some members do not want, nothing else makes such requests.
    """
    cards = await integrations.cards(actor)
    return next((card.email or "" for card in cards if card.state in {"connected", "trouble"}), "")


async def of_drive(actor: Actor, email: str) -> list[Suggestion]:
    """Up to four questions about files that the member has opened lately; empty if Drive has no readable file.

    Drive is asked at most once in ten minutes. If it does not answer in time, only `RECENT` is returned.

    Args:
        actor: The member.
        email: The connected account.
    """
    key = (actor.member_id, email)
    if key in _kept:
        return _kept[key]
    client = drive.Drive(UserDrive(actor), patience=_PATIENCE, timeout_seconds=_SILENCE_SECONDS)
    try:
        listing = await client.find("trashed = false", _MOST_FILES, orderBy="viewedByMeTime desc")
    except errors.DriveError:
        return [RECENT]
    made = about(listing.files)
    _kept[key] = made
    return made


def about(files: Iterable[DriveFile]) -> list[Suggestion]:
    """Questions about files, the most recently opened first. Pure."""
    named = [(" ".join(file.name.split()), file.kind) for file in files if not file.is_shortcut]
    readable = [(name, kind) for name, kind in named if name and len(name) <= NAME_CHARACTERS]
    written = [*dict.fromkeys(name for name, kind in readable if kind in _TEXTS)]
    tables = [*dict.fromkeys(name for name, kind in readable if kind in _TABLES)]
    found: list[Suggestion] = []
    if written:
        found.append(Suggestion("points", written[0]))
    if tables:
        found.append(Suggestion("numbers", tables[0]))
    if pair := _related(written) or _related(tables):
        found.append(Suggestion("compare", *pair))
    if written and len(found) < MOST - 1:
        found.append(Suggestion("deadlines", written[-1]))
    return [*found, RECENT] if found else []


def _related(names: Iterable[str]) -> tuple[str, str] | None:
    """The first two names with the most words in common, besides the extension; None if no two share a word."""
    words = {name: {*_WORD.findall((name.rpartition(".")[0] or name).casefold())} for name in names}
    shared, pair = max(
        ((len(words[one] & words[other]), (one, other)) for one, other in combinations(words, 2)),
        key=lambda counted: counted[0], default=(0, None),
    )  # fmt: skip
    return pair if shared else None
