"""The position of a message among its versions. Pure."""

from dataclasses import dataclass

from leaf.services import chats


@dataclass(frozen=True)
class VersionPlace:
    at: int
    """The position, counted from 1."""
    of: int
    """The number of versions."""
    before: str
    """The id of the previous version; empty for the first version."""
    after: str
    """The id of the next version; empty for the last version."""


def versions_of(chat: chats.Chat) -> dict[str, VersionPlace]:
    """The positions of the messages that have several versions, by the id of the message."""
    found: dict[str, VersionPlace] = {}
    for message_id, several in chat.versions.items():
        place = several.index(message_id)
        before = str(several[place - 1]) if place else ""
        after = str(several[place + 1]) if place + 1 < len(several) else ""
        found[str(message_id)] = VersionPlace(place + 1, len(several), before, after)
    return found
