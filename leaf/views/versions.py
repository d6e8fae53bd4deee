"""The position of a message among its versions. Pure."""

from dataclasses import dataclass

from leaf.services import chats


@dataclass(frozen=True)
class Versions:
    """A place among versions."""

    at: int
    """Which one is shown, from 1 on."""
    of: int
    """The number of versions."""
    before: str
    """The id of the one before it; empty for the first."""
    after: str
    """The id of the one after it; empty for the last."""


def versions_of(chat: chats.Chat) -> dict[str, Versions]:
    """Positions of the messages that have several versions, by id."""
    found: dict[str, Versions] = {}
    for message_id, several in chat.versions.items():
        place = several.index(message_id)
        before, after = several[place - 1 : place], several[place + 1 : place + 2]
        found[str(message_id)] = Versions(place + 1, len(several), *(str(*one) for one in (before, after)))
    return found
