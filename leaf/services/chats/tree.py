"""The messages of a chat as a tree, and the paths through it that people look at. Pure.

A question hangs on the answer that it follows, an answer on its question. What hangs on the same message are versions
of the same thing: a question that was edited, or an answer that was written anew.
"""

from collections.abc import Iterable
from uuid import UUID


class Tree:
    """The messages of one chat.

    Args:
        messages: The id of each and of what it hangs on, in the order in which they came: a parent before its children.
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
        """The newest message at or below one.

        Args:
            branch: The message; None, or one that is not there, for the newest of all.

        Returns:
            None where the chat has no message.
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
        """The way from the chat's beginning to a message, which is its last; empty for None.

        Raises:
            KeyError: It is none of this chat's.
        """
        found: list[UUID] = []
        while message_id is not None:
            found.append(message_id)
            message_id = self._parents[message_id]
        return found[::-1]

    def versions(self, message_id: UUID) -> tuple[UUID, ...]:
        """A message and what stands beside it, in the order in which they came.

        Raises:
            KeyError: It is none of this chat's.
        """
        return tuple(self._children[self._parents[message_id]])

    def is_last(self, message_id: UUID) -> bool:
        """Whether nothing hangs on a message."""
        return message_id not in self._children

    def choice(self, message_id: UUID) -> UUID | None:
        """What is kept for somebody who wants to see a message: nothing where following the newest one shows it."""
        return None if self.tip(message_id) == self.tip(None) else message_id
