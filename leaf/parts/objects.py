"""JSON objects in stored data and in results of tools, where a value may have any type. Pure."""

from typing import Any


def object_of(value: Any) -> dict[str, Any]:
    """The value as a JSON object; empty if it is not one."""
    return value if isinstance(value, dict) else {}


def objects_in(value: Any) -> list[dict[str, Any]]:
    """The JSON objects in a list; empty if the value is not a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
