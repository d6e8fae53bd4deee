"""The named results of a chat, which later computations read as tables."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage

from leaf.agent import calls
from leaf.citations import figures
from leaf.documents.tables import Cell


@dataclass
class Cells:
    """The cells of the chat of one run."""

    load: Callable[[], Awaitable[Sequence[Mapping[str, Any]]]] | None = None
    """Reads the stored results of earlier answers; None if the chat has no earlier answers."""
    _stored: Sequence[Mapping[str, Any]] | None = field(default=None, repr=False)

    async def of(self, messages: Sequence[ModelMessage]) -> dict[str, list[Cell]]:
        """The cells of the chat by name.

        Each list ends with the named cell, after the cells that it depends on. Stored results take precedence over
        those in the messages.
        """
        if self._stored is None:
            self._stored = await self.load() if self.load is not None else ()
        found: dict[str, list[Cell]] = {}
        for output in (*calls.results(messages, {figures.TOOL}), *self._stored):
            if cells := Cell.all_of(output):
                found[cells[-1].name] = cells
        return found
