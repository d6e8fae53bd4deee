"""From where something is asked for: a context variable that the edges set, and whatever they start inherits."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Caller:
    """The other side of a request; both are empty where nobody asks, as in a worker."""

    address: str = ""
    user_agent: str = ""


_NOBODY = Caller()
_current: ContextVar[Caller] = ContextVar("leaf_caller", default=_NOBODY)


def current() -> Caller:
    """Who asks."""
    return _current.get()


def use(caller: Caller) -> None:
    """Sets who asks, for the running task and what it starts from here on."""
    _current.set(caller)


@contextmanager
def calling(caller: Caller) -> Generator[None]:
    """Sets who asks, for a block."""
    token = _current.set(caller)
    try:
        yield
    finally:
        _current.reset(token)
