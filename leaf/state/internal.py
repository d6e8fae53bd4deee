"""Methods of states that other modules call and browsers cannot."""

from collections.abc import Callable
from typing import Any, TypeVar

_Method = TypeVar("_Method", bound=Callable[..., Any])


def internal(method: _Method) -> _Method:
    """Marks a public method of a state as not being an event.

    Reflex makes an event of every public method of a state, so that a browser could call it with arguments of its own.
    The mark is the one that Reflex sets on its base class's methods (`reflex.state._override_base_method`).
    """
    marked: Any = method
    marked.__override_base_method__ = True
    return method
