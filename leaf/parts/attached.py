"""What a question names beside its words: files of Drive with `@`, and files of the chat that came with it. Pure.

A mention stands twice: in the text as `@` and the file's name, for people, and as a part with the file's id, because
two files can have the same name. What a page sends of both is only looked at here; whose files they are is asked
elsewhere.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from leaf.parts.chunks import Part

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
    """A file or folder of Drive that somebody has named, as their page has sent it."""

    id: str
    name: str
    """What it was called when it was named."""
    kind: str = ""
    """`documents.Kind`, for its sign; empty where it is not known."""
    resource_key: str | None = None
    """Opens it where it was shared by link."""

    def as_part(self) -> Part:
        """The part of a question."""
        data = {"id": self.id, "name": self.name, "kind": self.kind}
        return {"type": MENTION, "data": data | ({"resourceKey": self.resource_key} if self.resource_key else {})}


def mention_of(given: Any) -> Mention | None:
    """A mention from what a page has sent, or from a part's data; None where it is none."""
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


def standing(text: str, mentions: Iterable[Mention]) -> list[Mention]:
    """Those mentions whose `@name` stands in a text, each file once, in the order in which they were given.

    Of names that begin alike the longer one is looked for first, and what was found is not found again: `@Plan B` names
    no `@Plan`.
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
    """The part of a question with which a file of the chat came."""
    return {"type": ATTACHMENT, "data": {"path": path}}


def attachments_of(message_parts: Iterable[Part]) -> list[str]:
    """The paths of the files that came with a question."""
    data = (part.get("data") for part in message_parts if part.get("type") == ATTACHMENT)
    paths = (one.get("path") for one in data if isinstance(one, dict))
    return [path for path in paths if isinstance(path, str)]


def kept(message_parts: Sequence[Part], text: str) -> list[Part]:
    """What stays beside a question's words when they are written anew: files that came with it, and mentions that
    still stand in them.
    """
    named = {one.id for one in standing(text, mentions_of(message_parts))}
    return [
        part
        for part in message_parts
        if part.get("type") == ATTACHMENT
        or (part.get("type") == MENTION and (one := mention_of(part.get("data"))) is not None and one.id in named)
    ]
