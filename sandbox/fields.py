"""Partial responses: the `fields` parameter.

The grammar is https://developers.google.com/workspace/drive/api/guides/fields-parameter: names separated by commas,
`a/b` and `a(b,c)` for members, `*` for all of them.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

from googleapiclient.discovery_cache import get_static_doc
from starlette.requests import Request

from sandbox import refusals

Mask: TypeAlias = "dict[str, Mask | None]"
"""The names of the selected members, each with the mask of its own members, or None for the whole member."""
_TOKEN = re.compile(r"\s*([A-Za-z0-9_\-]+|[*(),/])")


@cache
def _schemas() -> dict[str, dict[str, Any]]:
    """The resources of Drive v3 by name, from the description of the API in Google's client library."""
    return json.loads(get_static_doc("drive", "v3") or "{}")["schemas"]


def asked(request: Request, resource: str, default: str) -> Mask:
    """The mask of a request's `fields` parameter, or else of the method's default. Raises as `validated` does."""
    return validated(request.query_params.get("fields") or default, resource)


def validated(fields: str, resource: str) -> Mask:
    """The mask of a `fields` parameter.

    Args:
        fields: The parameter.
        resource: The name of the resource, such as `FileList`.

    Raises:
        refusals.DriveRefusal: A name is unknown, or the parameter is malformed.
    """
    tokens = _TOKEN.findall(fields)[::-1]
    if _TOKEN.sub("", fields).strip():
        raise _invalid(fields)
    mask = _members(tokens, fields)
    if tokens:
        raise _invalid(fields)
    _check(mask, _schemas()[resource])
    return mask


def below(mask: "Mask | None", name: str) -> "Mask | None":
    """The mask of one member; None for the whole member."""
    if mask is None or "*" in mask:
        return None
    return mask.get(name, {})


def project(value: Any, mask: "Mask | None") -> Any:
    """The part of a resource, or of each resource in a list, that a mask selects."""
    if mask is None or "*" in mask:
        return value
    if isinstance(value, list):
        return [project(element, mask) for element in value]
    if not isinstance(value, dict):
        return value
    return {name: project(inner, mask[name]) for name, inner in value.items() if name in mask}


def _invalid(selection: str) -> refusals.DriveRefusal:
    return refusals.DriveRefusal(400, "invalidParameter", f"Invalid field selection {selection}", location="fields")


def _members(tokens: list[str], fields: str) -> Mask:
    mask: Mask = {}
    while True:
        name, below = _member(tokens, fields)
        present = mask.get(name, {})
        mask[name] = None if below is None or present is None else {**present, **below}
        if not tokens or tokens[-1] != ",":
            return mask
        tokens.pop()


def _member(tokens: list[str], fields: str) -> "tuple[str, Mask | None]":
    if not tokens or tokens[-1] in "(),/":
        raise _invalid(fields)
    name = tokens.pop()
    if tokens and tokens[-1] == "/":
        tokens.pop()
        inner, below = _member(tokens, fields)
        return name, {inner: below}
    if tokens and tokens[-1] == "(":
        tokens.pop()
        below = _members(tokens, fields)
        if not tokens or tokens.pop() != ")":
            raise _invalid(fields)
        return name, below
    return name, None


def _check(mask: Mask, schema: Mapping[str, Any]) -> None:
    """Refuses names that a resource does not have. Values and free-form objects have no names to check."""
    schema = schema.get("items", schema)
    properties = _schemas()[schema["$ref"]]["properties"] if "$ref" in schema else schema.get("properties")
    for name, below in mask.items():
        if name == "*" or properties is None:
            continue
        if name not in properties:
            raise _invalid(name)
        if below is not None:
            _check(below, properties[name])
