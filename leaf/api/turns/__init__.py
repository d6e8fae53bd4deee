"""`POST /api/chat`: what clients send, what is meant by it, and asking it once."""

from leaf.api.turns.body import Ask
from leaf.api.turns.idempotency import Started, once, once_as
from leaf.api.turns.intent import start

__all__ = ["Ask", "Started", "once", "once_as", "start"]
