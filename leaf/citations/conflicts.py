"""Sources that state a fact differently. Pure."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from leaf.parts import Part

CONFLICTS = "data-conflicts"
_TEXTS: Final = ("file_id", "name", "url", "part", "quote", "value", "date")


def stored(message_parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The conflicts that a stored answer has, each with `about` and its `sides`.

    A side has `file_id`, `name`, `url`, `part`, `quote`, `value`, `date` (of the file's last change, as ISO 8601, or
    empty), and whether it is the `newer` one.
    """
    return read(next((one.get("data") for one in reversed(message_parts) if one["type"] == CONFLICTS), None))


def read(data: Any) -> list[dict[str, Any]]:
    """The conflicts in the data of a part."""
    found = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    made = [{"about": str(one.get("about") or ""), "sides": _sides(one.get("sides"))} for one in found]
    return [one for one in made if len(one["sides"]) > 1]


def _sides(data: Any) -> list[dict[str, Any]]:
    sides = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    return [{key: str(one.get(key) or "") for key in _TEXTS} | {"newer": one.get("newer") is True} for one in sides]


def files_of(data: Any) -> set[str]:
    """The ids of the files whose text conflicts hold."""
    return {side["file_id"] for one in read(data) for side in one["sides"] if side["file_id"]}


def without(data: Any, files: Mapping[str, str]) -> list[dict[str, Any]]:
    """The conflicts without those that rest on one of some files: nobody learns that such a file disagrees."""
    return [one for one in read(data) if files.keys().isdisjoint(side["file_id"] for side in one["sides"])]


def day_of(text: str) -> date | None:
    """The day of a moment in ISO 8601; None for other texts."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
