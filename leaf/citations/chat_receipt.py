"""The part of a receipt about the chat's own files. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from leaf.documents.textfiles.ranges import LINE_GOES_ON
from leaf.parts.objects import objects_in


@dataclass
class ChatReceipt:
    """The listings, searches and reads of a chat's files."""

    listings: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    searches: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _read: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def files(self) -> list[dict[str, Any]]:
        """The files that were read.

        Each has `path`, `complete` (whether all of it was read), and `gaps` (missing parts according to its notes).
        """
        return [{key: one[key] for key in ("path", "complete", "gaps")} for one in self._read.values()]

    def listing(self, arguments: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        """Records a call of `list_files`."""
        total, shown = output.get("total"), len(objects_in(output.get("files")))
        self.listings.append({
            "pattern": str(arguments.get("pattern") or "**"), "files": total if isinstance(total, int) else shown,
            "shown": shown, "partial": output.get("partial") is True,
        })  # fmt: skip

    def search(self, arguments: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        """Records a call of `grep`."""
        searched = output.get("files_searched")
        self.searches.append({
            "pattern": str(arguments.get("pattern") or ""), "lines": len(objects_in(output.get("hits"))),
            "files": searched if isinstance(searched, int) else None, "partial": output.get("partial") is True,
        })  # fmt: skip

    def read(self, arguments: Mapping[str, Any], output: Mapping[str, Any]) -> None:
        """Records a call of `read_file`. Ranges that together cover a version count as the whole file."""
        path = str(output.get("path") or arguments.get("path") or "")
        known = self._version(path, output.get("version"))
        text, notes = str(output.get("text") or ""), output.get("notes")
        if not text.strip() and isinstance(notes, list):
            known["gaps"] = [str(note) for note in notes]
        if not text.endswith(LINE_GOES_ON):
            known["lines"].append((output.get("first_line"), output.get("last_line")))
        known["complete"] = not known["gaps"] and (
            known["complete"] or output.get("whole") is True or _covered(known["lines"], output.get("total_lines"))
        )

    def compared(self, column: Mapping[str, Any]) -> None:
        """Records a file that was compared. It is complete if all of its characters were compared."""
        known = self._version(str(column["path"]), column.get("revision"))
        known["complete"] = known["complete"] or column.get("characters") == column.get("total_characters")

    def _version(self, path: str, version: Any) -> dict[str, Any]:
        """The entry of a version of a file. It replaces the entry of any other version."""
        version = str(version)  # comparisons store it as a text
        if path not in self._read or self._read[path]["version"] != version:
            self._read[path] = {"path": path, "version": version, "complete": False, "gaps": [], "lines": []}
        return self._read[path]


def _covered(ranges: list[tuple[Any, Any]], total: Any) -> bool:
    """Whether several ranges of lines together cover a text of `total` lines."""
    if not isinstance(total, int) or total < 2 or len(ranges) < 2:
        return False
    next_line = 1
    for first, last in sorted(one for one in ranges if all(isinstance(place, int) for place in one)):
        if first > next_line:
            return False
        next_line = max(next_line, last + 1)
    return next_line > total
