"""Text that a model sends in bursts, cut between words: what is shown never ends in half a word for long."""

import re
from collections.abc import Iterator

from leaf.parts import Chunk

BURST_CHARACTERS = 60
"""From so many on a piece of text is a burst. A model that sends token by token is not held up."""
HELD_CHARACTERS = 40
"""No more than this is held back: there are scripts without blanks, and addresses without end."""
_WHOLE = re.compile(r"(.*\W)(\w+)", re.DOTALL)
_TEXTS = {"text-delta", "reasoning-delta"}


class Smoother:
    """Passes chunks on, and holds the last word of a burst back until the text behind it has come."""

    def __init__(self) -> None:
        self._held: Chunk | None = None

    def put(self, chunk: Chunk) -> Iterator[Chunk]:
        """What is to be sent now that this chunk has come.

        Args:
            chunk: The next one.
        """
        if chunk["type"] not in _TEXTS:
            yield from self.rest()
            yield chunk
            return
        if self._held is not None and (self._held["type"], self._held["id"]) == (chunk["type"], chunk["id"]):
            chunk = {**chunk, "delta": self._held["delta"] + chunk["delta"]}
            self._held = None
        yield from self.rest()
        text: str = chunk["delta"]
        found = _WHOLE.fullmatch(text) if len(text) >= BURST_CHARACTERS else None
        if found is None or len(found[2]) > HELD_CHARACTERS:
            yield chunk
            return
        yield {**chunk, "delta": found[1]}
        self._held = {**chunk, "delta": found[2]}

    def rest(self) -> Iterator[Chunk]:
        """What is held back."""
        held, self._held = self._held, None
        if held is not None:
            yield held
