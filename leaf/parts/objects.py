"""JSON in stored data, in results of tools and in responses, where a value may have any type. Pure."""

from typing import Any


def object_of(value: Any) -> dict[str, Any]:
    """The value as a JSON object; empty if it is not one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The value as a JSON list; empty if it is not one."""
    return value if isinstance(value, list) else []


def strings_in(value: Any) -> list[str]:
    """The strings in a list; empty if the value is not a list."""
    return [one for one in list_of(value) if isinstance(one, str)]


def objects_in(value: Any) -> list[dict[str, Any]]:
    """The JSON objects in a list; empty if the value is not a list."""
    return [one for one in list_of(value) if isinstance(one, dict)]
