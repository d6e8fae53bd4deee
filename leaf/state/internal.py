"""Helpers for all states: methods that browsers cannot call, and assignments only of vars that differ."""

from collections.abc import Callable
from typing import Any, TypeVar

import reflex as rx

_Method = TypeVar("_Method", bound=Callable[..., Any])


def internal(method: _Method) -> _Method:
    """Marks a public method of a state, so that Reflex does not make an event of it.

    Reflex makes an event of every public method of a state, which a browser could then call with any arguments. The
    mark is the one that Reflex sets on methods of its base class (`reflex.state._override_base_method`).
    """
    marked: Any = method
    marked.__override_base_method__ = True
    return method


def set_changed(state: rx.State, **values: Any) -> None:
    """Sets only vars of a state whose values differ, because Reflex sends the whole value of each var that is set."""
    for name, value in values.items():
        if getattr(state, name) != value:
            setattr(state, name, value)
