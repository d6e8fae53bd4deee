"""The messages of a chat as a tree, and the paths through it. Pure.

The parent of a question is the answer before it, the parent of an answer is its question. Messages with the same parent
are versions of one another: edited questions, or regenerated answers.
"""

from collections.abc import Iterable
from uuid import UUID


class Tree:
    """The messages of one chat.

    Args:
        messages: The id of each message and of its parent, in order of creation: a parent before its children.
    """

    def __init__(self, messages: Iterable[tuple[UUID, UUID | None]]) -> None:
        self._parents: dict[UUID, UUID | None] = {}
        self._children: dict[UUID | None, list[UUID]] = {}
        for message_id, parent_id in messages:
            self._parents[message_id] = parent_id
            self._children.setdefault(parent_id, []).append(message_id)

    def __contains__(self, message_id: UUID) -> bool:
        return message_id in self._parents

    def tip(self, branch: UUID | None) -> UUID | None:
        """The newest message at or below a message.

        Args:
            branch: The message; None or an unknown id for the newest of all.

        Returns:
            None if the chat is empty.
        """
        if branch is None or branch not in self._parents:
            return next(reversed(self._parents), None)
        below, newest = {branch}, branch
        for message_id, parent_id in self._parents.items():
            if parent_id in below:
                below.add(message_id)
                newest = message_id
        return newest

    def path(self, message_id: UUID | None) -> list[UUID]:
        """The path from the beginning of the chat to a message, inclusive; empty for None.

        Raises:
            KeyError: The message is not in this chat.
        """
        found: list[UUID] = []
        while message_id is not None:
            found.append(message_id)
            message_id = self._parents[message_id]
        return found[::-1]

    def versions(self, message_id: UUID) -> tuple[UUID, ...]:
        """All versions of a message, itself included, in order of creation.

        Raises:
            KeyError: The message is not in this chat.
        """
        return tuple(self._children[self._parents[message_id]])

    def choice(self, message_id: UUID) -> UUID | None:
        """The branch to store for a reader who selects a message: None if following the newest message shows it."""
        return None if self.tip(message_id) == self.tip(None) else message_id
