"""Tools of all states: methods that browsers cannot call, and vars that are set only where they differ."""

from collections.abc import Callable
from typing import Any, TypeVar

import reflex as rx

_Method = TypeVar("_Method", bound=Callable[..., Any])


def internal(method: _Method) -> _Method:
    """Marks a public method of a state as not being an event.

    Reflex makes an event of every public method of a state, so that a browser could call it with arguments of its own.
    The mark is the one that Reflex sets on its base class's methods (`reflex.state._override_base_method`).
    """
    marked: Any = method
    marked.__override_base_method__ = True
    return method


def set_changed(state: rx.State, **values: Any) -> None:
    """Sets the vars of a state whose values differ, because Reflex sends the whole value of a var that is set."""
    for name, value in values.items():
        if getattr(state, name) != value:
            setattr(state, name, value)
