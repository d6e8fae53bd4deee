"""`POST /api/chat`: what clients send, what is meant by it, and asking it once."""

from leaf.api.asking.body import Ask
from leaf.api.asking.meaning import start
from leaf.api.asking.once import Started, once, once_as

__all__ = ["Ask", "Started", "once", "once_as", "start"]
