"""From where something is asked for: a context variable that the edges set, and whatever they start inherits."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """The other side of a request; both are empty where nobody asks, as in a worker."""

    address: str = ""
    user_agent: str = ""


_NOBODY = Peer()
_current: ContextVar[Peer] = ContextVar("leaf_peer", default=_NOBODY)


def current() -> Peer:
    """Who asks."""
    return _current.get()


def use(peer: Peer) -> None:
    """Sets who asks, for the running task and what it starts from here on."""
    _current.set(peer)


@contextmanager
def calling(peer: Peer) -> Generator[None]:
    """Sets who asks, for a block."""
    token = _current.set(peer)
    try:
        yield
    finally:
        _current.reset(token)
