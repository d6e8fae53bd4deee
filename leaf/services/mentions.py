"""Finding files of a person's Drive by the beginning of their names, while they type a question."""

from dataclasses import dataclass

from leaf import errors, texts
from leaf.db.session import Actor
from leaf.documents import Kind
from leaf.google import drive
from leaf.google.transport import Patience
from leaf.parts import attached
from leaf.redis import rates
from leaf.services import folders
from leaf.services.integrations import UserDrive

MOST_FOUND = 8
MOST_CHARACTERS = 100
LOOKS_A_MINUTE = 150
"""Somebody who types fast looks about twice a second."""
_PATIENCE = Patience(attempts=2, total_seconds=3.0)
_SILENCE_SECONDS = 6.0


@dataclass(frozen=True)
class Found:
    """A file that can be named."""

    id: str
    name: str
    """In one line."""
    kind: Kind
    modified: str | None
    """RFC 3339."""
    folder: str = ""
    """The name of the folder that it lies in, where that is known in time."""
    resourceKey: str | None = None  # noqa: N815 - as it is sent to the page, and stored


@dataclass(frozen=True)
class Names:
    """The found files; `more` says that others were omitted."""

    files: list[Found]
    more: bool


async def find(actor: Actor, begun: str) -> Names:
    """Files with a word in their name that starts with the typed text, most recently opened first.

    Args:
        actor: The member, whose own Drive is searched.
        begun: The typed text, 1-100 characters.

    Raises:
        errors.Invalid: The text is empty or too long.
        errors.LimitReached: The member searches too often.
        errors.DriveError: Drive is not connected, or does not answer.
    """
    words = " ".join(begun.split())
    if not 1 <= len(words) <= MOST_CHARACTERS:
        raise errors.Invalid(texts.english("errors.name_length", most=MOST_CHARACTERS), field="begun")
    if wait := await rates.take(f"names:{actor.user_id}", LOOKS_A_MINUTE, seconds=60):
        raise errors.RateLimited(texts.english("errors.names_too_often"), resets_in_seconds=max(1, round(wait)))
    client = drive.Drive(UserDrive(actor), patience=_PATIENCE, timeout_seconds=_SILENCE_SECONDS)
    query = f"name contains '{drive.escape_query(words)}' and trashed = false"
    listing = await client.find(query, MOST_FOUND, orderBy="viewedByMeTime desc")
    within = await folders.names(actor.user_id, client, listing.files) if actor.user_id else {}
    files = [
        Found(
            file.id,
            " ".join(file.name.split())[: attached.NAME_CHARACTERS],
            file.kind,
            file.modified,
            within.get(file.parent_id or "", ""),
            file.resource_key,
        )
        for file in listing.files
    ]
    return Names(files, listing.partial)
