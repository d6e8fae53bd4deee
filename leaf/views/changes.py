"""The changes of an answer to the chat's files, as entries that can be undone, one for each file. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from leaf import parts
from leaf.texts import say

_TOOLS = frozenset({"write_file", "edit_file", "delete_file"})


@dataclass(frozen=True)
class FileChanges:
    """The last uninterrupted series of changes that an answer made to one file."""

    path: str
    first: int
    """The number of the version that the first of these changes made."""
    last: int
    """The number of the version that the last of these changes made."""
    created: bool
    """Whether the file did not exist before these changes."""
    deleted: bool
    """Whether the file does not exist after these changes."""

    @property
    def text(self) -> str:
        """The changes in a few words."""
        if self.deleted:
            return say("steps.deleted", name=self.path)
        return say("steps.created" if self.created else "steps.edited", name=self.path)


def changes_of(message_parts: Iterable[parts.Part]) -> list[FileChanges]:
    """The changes of an answer by file, without files that the answer created and deleted again.

    If somebody else has changed a file in between, the entry begins after that change, so that an undo keeps it.
    """
    found: dict[str, FileChanges] = {}
    for part in message_parts:
        output: Any = part.get("output") if parts.is_tool(part) and parts.tool_name(part) in _TOOLS else None
        if not isinstance(output, dict) or part["state"] != "output-available":
            continue
        path, version, done = str(output.get("path") or ""), output.get("version"), output.get("done")
        if not path or not isinstance(version, int):
            continue
        before = found.pop(path, None)
        if before is not None and before.last == version - 1:
            first, created = before.first, before.created
        else:
            first, created = version, done == "created"
        found[path] = FileChanges(path, first, version, created, deleted=done == "deleted")
    return [one for one in found.values() if not (one.created and one.deleted)]
