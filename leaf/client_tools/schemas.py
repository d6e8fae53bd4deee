"""JSON schemas that strangers wrote: whether one is usable, and whether a value fits one.

A schema is never followed to another address, and its regular expressions are told to the model but not run here: one
that takes for ever would hold up a whole process.
"""

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, validators
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from pydantic_core import to_json
from referencing import Registry
from referencing.exceptions import Unresolvable

SCHEMA_BYTES = 20_000
DEPTH = 32
_TOLD = 5
_TOLD_CHARACTERS = 300


def problem_of(schema: dict[str, Any]) -> str:
    """Why a schema cannot be used, as the end of a sentence; empty where it can."""
    if depth(schema) > DEPTH:
        return f"is nested more than {DEPTH} deep"
    if len(to_json(schema)) > SCHEMA_BYTES:
        return f"is larger than {SCHEMA_BYTES // 1000} kB"
    if any(not reference.startswith("#") for reference in _references(schema)):
        return "refers to another document"
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"is no JSON schema: {_short(error.message)}"
    return ""


def misfits(schema: dict[str, Any], value: Any) -> list[str]:
    """Where a value does not fit a schema and why, a line each; none where it fits.

    Args:
        schema: One that `problem_of` has nothing against.
        value: A JSON value.
    """
    if depth(value) > DEPTH * 2:
        return ["it is nested too deep"]
    found: list[str] = []
    try:
        for error in _validator()(schema, registry=Registry()).iter_errors(value):
            found.append(_line(error))
            if len(found) == _TOLD:
                break
    except (Unresolvable, RecursionError):
        return ["its schema refers to something that is not in it, or to itself"]
    return found


def depth(value: Any) -> int:
    """How deep a JSON value is nested; counting ends at a depth that nothing may have."""
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
        """A regular expression of a stranger's."""

    return validators.extend(Draft202012Validator, {"pattern": unchecked, "patternProperties": unchecked})


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
    return text if len(text) <= _TOLD_CHARACTERS else f"{text[:_TOLD_CHARACTERS]}…"
