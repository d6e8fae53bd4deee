"""The files of a question, as the page draws them: mentioned files of Drive, and attachments. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import quote, urlencode

from leaf.documents.kinds import BY_SUFFIX
from leaf.parts import Part, question_files


@dataclass(frozen=True)
class Chip:
    """A file that a question mentions or has as an attachment."""

    label: str
    """The name of the file in Drive, or its path in the chat."""
    address: str
    """The address in Drive; for a file of the chat, its address relative to that of the chat's files."""
    picture: str = ""
    """For a picture of the chat, the address of its image, relative to that of the chat's pictures; else empty."""


def named(parts: Sequence[Part]) -> list[Chip]:
    """The files of Drive that a question mentions."""
    return [Chip(one.name, _address(one)) for one in question_files.mentions_of(parts)]


def pieces(text: str, mentions: Sequence[Chip]) -> list[Chip]:
    """The text of a question, split at the names of mentioned files.

    Returns:
        The pieces in order: mentions with `@` and an address, and the text between them without an address. Empty if
        the text contains no name.
    """
    found = [Chip(text, "")]
    for one in sorted(mentions, key=lambda one: -len(one.label)):
        name = f"@{one.label}"
        at = next((place for place, piece in enumerate(found) if not piece.address and name in piece.label), None)
        if at is not None:
            before, _, after = found[at].label.partition(name)
            found[at : at + 1] = [Chip(before, ""), Chip(name, one.address), Chip(after, "")]
    return found if len(found) > 1 else []


def attachments(parts: Sequence[Part]) -> list[Chip]:
    """The attachments of a question, which are files of the chat."""
    return [Chip(path, quote(path), _picture(path)) for path in question_files.attachments_of(parts)]


def _picture(path: str) -> str:
    shows = BY_SUFFIX.get(PurePath(path).suffix.lower()) == "image"
    return f"{quote(path)}?{urlencode({'place': 'picture 1'})}" if shows else ""


def _address(mention: question_files.Mention) -> str:
    """The address that opens a file of any kind in Drive."""
    key = {"resourcekey": mention.resource_key} if mention.resource_key else {}
    return f"https://drive.google.com/open?{urlencode({'id': mention.id, **key})}"
