"""Checks JSON schemas from outside: whether a schema is usable, and whether a value matches it.

References to other addresses are never followed. Regular expressions are passed to the model but never run here,
because one could take forever. Nested references could too, so the number of checks is limited.
"""

import json
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, validators
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from referencing import Registry
from referencing.exceptions import Unresolvable

from leaf.parts.plain import encoded

SCHEMA_BYTES = 20_000
DEPTH = 32
STEPS = 100_000
"""Maximum number of keywords that are evaluated for one value. A check that would need more is aborted."""
_MOST_MISMATCHES = 5
_MISMATCH_CHARACTERS = 300
_UNCHECKED = ("pattern", "patternProperties", "unevaluatedItems", "unevaluatedProperties")
_left: ContextVar[list[int]] = ContextVar("steps that are left")

Check = Callable[[Any, Any, Any, Any], Any]


class _OverBudget(Exception):
    """A value would take too long to check."""


def problem_of(schema: dict[str, Any]) -> str:
    """The reason why a schema is unusable, as the end of a sentence; empty if it is usable."""
    if depth(schema) > DEPTH:
        return f"is nested more than {DEPTH} deep"
    if len(encoded(schema)) > SCHEMA_BYTES:
        return f"is larger than {SCHEMA_BYTES // 1000} kB"
    if any(not reference.startswith("#") for reference in _references(schema)):
        return "refers to another document"
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"is no JSON schema: {_short(error.message)}"
    return ""


def mismatches(schema: dict[str, Any], value: Any) -> list[str]:
    """The mismatches between a value and a schema, one line each and at most five; empty if it matches."""
    if depth(value) > DEPTH * 2:
        return ["it is nested too deep"]
    found: list[str] = []
    _left.set([STEPS])
    try:
        for error in _validator()(schema, registry=Registry()).iter_errors(value):
            found.append(_line(error))
            if len(found) == _MOST_MISMATCHES:
                break
    except (Unresolvable, RecursionError):
        return ["its schema refers to something that is not in it, or to itself"]
    except _OverBudget:
        return ["it takes too long to check"]
    except (ArithmeticError, ValueError):
        return ["it holds a number that cannot be checked"]
    return found


def depth(value: Any) -> int:
    """The nesting depth of a JSON value. Counting stops above the maximum that any caller permits."""
    deepest, level = 0, [value]
    while level and deepest <= DEPTH * 2:
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inner += one.values()
            elif isinstance(one, list):
                inner += one
        level, deepest = inner, deepest + 1
    return deepest


@cache
def _validator() -> type[Validator]:
    def unchecked(*_: Any) -> None:
        """Skips a keyword with a regular expression from outside, or an unlimited one."""

    counted = {name: _with_budget(check) for name, check in Draft202012Validator.VALIDATORS.items()}
    own = {"uniqueItems": _with_budget(_unique), **dict.fromkeys(_UNCHECKED, unchecked)}
    return validators.extend(Draft202012Validator, {**counted, **own})


def _with_budget(check: Check) -> Check:
    def run(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        left = _left.get()
        left[0] -= 1 + (len(wanted) if isinstance(wanted, list | dict) else 0)
        if left[0] < 0:
            raise _OverBudget
        yield from check(validator, wanted, value, schema) or ()

    return run


def _unique(_validator: Any, wanted: Any, value: Any, _schema: Any) -> Iterator[ValidationError]:
    """Yields an error if two items are equal. It takes linear time; the library compares every pair."""
    if wanted and isinstance(value, list) and len({json.dumps(one, sort_keys=True) for one in value}) < len(value):
        yield ValidationError("it has the same element twice")


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [str(value[name]) for name in ("$ref", "$dynamicRef") if name in value]
        return own + [reference for one in value.values() for reference in _references(one)]
    if isinstance(value, list):
        return [reference for one in value for reference in _references(one)]
    return []


def _line(error: ValidationError) -> str:
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    return f"{place.removeprefix('.') or 'the whole'}: {_short(error.message)}"


def _short(text: str) -> str:
    return text if len(text) <= _MISMATCH_CHARACTERS else f"{text[:_MISMATCH_CHARACTERS]}…"
