"""The messages of a chat as a tree, and the paths through it. Pure.

The parent of a question is the answer before it, the parent of an answer is its question. Messages with the same parent
are versions of one another: edited questions, or regenerated answers.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Self
from uuid import UUID


class Tree:
    """The messages of one chat.

    Args:
        messages: The id of each message and of its parent, in order of creation: a parent before its children.
    """

    def __init__(self, messages: Iterable[tuple[UUID, UUID | None]]) -> None:
        self._parents: dict[UUID, UUID | None] = {}
        self._children: dict[UUID | None, list[UUID]] = {}
        self._add(messages)

    def extended(self, messages: Iterable[tuple[UUID, UUID | None]]) -> "Tree":
        """A tree with further messages; this tree is not changed. Messages that it already has are ignored."""
        new = [one for one in messages if one[0] not in self._parents]
        if not new:
            return self
        extended = Tree(())
        extended._parents = self._parents.copy()
        extended._children = self._children.copy()
        for parent_id in {parent_id for _, parent_id in new if parent_id in extended._children}:
            extended._children[parent_id] = [*extended._children[parent_id]]
        extended._add(new)
        return extended

    def _add(self, messages: Iterable[tuple[UUID, UUID | None]]) -> None:
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

    def versions(self, messages: Iterable[UUID]) -> dict[UUID, tuple[UUID, ...]]:
        """The versions of each message that has several, in order of creation.

        Raises:
            KeyError: A message is not in this chat.
        """
        siblings = ((message_id, self._children[self._parents[message_id]]) for message_id in messages)
        return {message_id: tuple(versions) for message_id, versions in siblings if len(versions) > 1}

    def choice(self, message_id: UUID) -> UUID | None:
        """The branch to store for a reader who selects a message; None if the newest branch shows the message."""
        return None if self.tip(message_id) == self.tip(None) else message_id


class Outline:
    """The messages of a chat at one moment, without their contents. Immutable."""

    def __init__(self) -> None:
        self.tree = Tree(())
        self.updated: dict[UUID, datetime] = {}
        """The time of the last change of each message."""
        self.summarised: frozenset[UUID] = frozenset()
        """The answers with which a summary ends."""

    def extended(self, rows: Sequence[tuple[UUID, UUID | None, datetime, bool]]) -> Self:
        """The outline of the chat at a later moment.

        Args:
            rows: Messages that are new or have changed: id, parent, time of the last change, and whether a summary ends
                with it; in order of creation.
        """
        made = type(self)()
        made.tree = self.tree.extended((message_id, parent_id) for message_id, parent_id, _, _ in rows)
        made.updated = self.updated | {message_id: at for message_id, _, at, _ in rows}
        made.summarised = self.summarised | {message_id for message_id, _, _, is_summarised in rows if is_summarised}
        return made

    @property
    def latest(self) -> datetime | None:
        """The time of the last change of all; None if there are no messages."""
        return max(self.updated.values(), default=None)
