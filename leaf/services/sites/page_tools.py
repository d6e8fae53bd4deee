"""Tools that run in the pages of an agent's sites, as its site declares them."""

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from leaf import client_tools, errors
from leaf.client_tools import ClientTool

_FIELD = "client_tools"
_TOOLS = TypeAdapter(list[ClientTool])
_SCHEMAS = ("inputSchema", "outputSchema")


def checked(value: Any) -> list[dict[str, Any]]:
    """The tools as they are stored.

    Raises:
        errors.Invalid: One of them cannot be used, or two have the same name.
    """
    try:
        tools = _TOOLS.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
        raise errors.Invalid(f"{_FIELD}{place}: {first['msg']}."[:500], field=f"{_FIELD}{place}"[:200]) from error
    client_tools.declared(tools)
    return [tool.model_dump(mode="json") for tool in tools]


def require_versions(before: Sequence[dict[str, Any]], now: Sequence[dict[str, Any]]) -> None:
    """Has a version mean one thing: pages tell by it whether they still know a tool.

    Raises:
        errors.Invalid: A tool has other schemas than before, and the same version or an older one.
    """
    known = {tool["name"]: tool for tool in before}
    for tool in now:
        old = known.get(tool["name"], tool)
        same = all(tool[field] == old[field] for field in _SCHEMAS)
        if tool["version"] < old["version"] or (not same and tool["version"] == old["version"]):
            raise errors.Invalid(
                f"{tool['name']} has version {old['version']}. Raise it, so that pages learn of the change.",
                field=_FIELD,
            )
