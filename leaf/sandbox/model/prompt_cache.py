"""What a provider's prompt cache would hold: beginnings of conversations that were sent before."""

import hashlib
import threading
from collections import OrderedDict

from leaf.sandbox.model.conversation import Message

LEAST_TOKENS = 1024
"""Shorter beginnings are not cached, as with the real ones."""
REMEMBERED = 5_000


class PromptCache:
    """Knows the beginnings of earlier requests by their hashes. Requests are answered in threads."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, model: str, messages: tuple[Message, ...], sizes: list[int]) -> int:
        """How many tokens of a request are known; remembers the rest of it.

        Args:
            model: Caches are of one model.
            messages: The request's messages.
            sizes: Their tokens.
        """
        digest, total, known = hashlib.sha256(model.encode()), 0, 0
        with self._lock:
            for message, size in zip(messages, sizes, strict=True):
                digest.update(repr(message).encode("utf-8", "surrogatepass"))
                total += size
                key = digest.hexdigest()
                if key in self._known and total >= LEAST_TOKENS:
                    known = total
                self._known[key] = None
                self._known.move_to_end(key)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return known
