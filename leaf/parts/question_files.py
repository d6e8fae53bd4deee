"""Attachments of a question: Drive files mentioned with `@`, and files of the chat that were sent with it. Pure.

A mention appears twice: in the text as `@` and the name, for people, and as a part with the file's id, because names
are not unique. This module only parses; permissions are checked elsewhere.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from leaf.parts.chunks import Part
from leaf.parts.objects import object_of

MENTION = "data-mention"
ATTACHMENT = "data-attachment"
MOST_MENTIONS = 10
MOST_ATTACHMENTS = 20
NAME_CHARACTERS = 300
_ID = re.compile(r"[A-Za-z0-9_-]{10,200}")
_KEY = re.compile(r"[A-Za-z0-9_-]{1,200}")
_KIND = re.compile(r"[a-z]{1,20}")


@dataclass(frozen=True)
class Mention:
    """A mentioned file or folder of Drive, as the page sent it."""

    id: str
    name: str
    """Its name at the time of the mention."""
    kind: str = ""
    """Its `documents.Kind`, for the icon; empty if unknown."""
    resource_key: str | None = None
    """The resource key of a file that was shared by link."""

    def as_part(self) -> Part:
        """The mention as a part of a question."""
        data = {"id": self.id, "name": self.name, "kind": self.kind}
        return {"type": MENTION, "data": data | ({"resourceKey": self.resource_key} if self.resource_key else {})}


def mention_of(given: Any) -> Mention | None:
    """A mention made from a page's value or a part's data; None if it is malformed."""
    if not isinstance(given, dict):
        return None
    file_id, name, kind, key = (given.get(field) for field in ("id", "name", "kind", "resourceKey"))
    if not (isinstance(file_id, str) and _ID.fullmatch(file_id) and isinstance(name, str)):
        return None
    name = " ".join(name.split())
    if not 1 <= len(name) <= NAME_CHARACTERS:
        return None
    known = kind if isinstance(kind, str) and _KIND.fullmatch(kind) else ""
    return Mention(file_id, name, known, key if isinstance(key, str) and _KEY.fullmatch(key) else None)


def mentioned_in(text: str, mentions: Iterable[Mention]) -> list[Mention]:
    """The mentions whose `@name` occurs in a text, each file once, in their given order.

    Longer names are matched first, and matches do not overlap. So `@Plan B` does not mention `@Plan`.
    """
    given = list({one.id: one for one in mentions}.values())
    found: set[str] = set()
    for one in sorted(given, key=lambda one: -len(one.name)):
        before, sign, after = text.partition(f"@{one.name}")
        if sign:
            text = f"{before}\0{after}"
            found.add(one.id)
    return [one for one in given if one.id in found]


def mentions_of(message_parts: Iterable[Part]) -> list[Mention]:
    """The mentions of a question."""
    found = (mention_of(part.get("data")) for part in message_parts if part.get("type") == MENTION)
    return [one for one in found if one is not None]


def attachment(path: str) -> Part:
    """The part of a question that stands for a file sent with it."""
    return {"type": ATTACHMENT, "data": {"path": path}}


def attachments_of(message_parts: Iterable[Part]) -> list[str]:
    """The paths of the files that were sent with a question."""
    paths = (object_of(part.get("data")).get("path") for part in message_parts if part.get("type") == ATTACHMENT)
    return [path for path in paths if isinstance(path, str)]


def kept(message_parts: Sequence[Part], text: str) -> list[Part]:
    """The attachments that remain after a question was edited: files that were sent with it, and mentions whose name
    still occurs in the text.
    """
    named = {one.id for one in mentioned_in(text, mentions_of(message_parts))}

    def remains(part: Part) -> bool:
        if part.get("type") != MENTION:
            return part.get("type") == ATTACHMENT
        mention = mention_of(part.get("data"))
        return mention is not None and mention.id in named

    return [part for part in message_parts if remains(part)]
