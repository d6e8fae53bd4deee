"""Knowledge of a site's agent: files and Drive folders that its team has chosen for the public. Pure.

Visitors see only the titles from the team. They see neither names, ids and addresses of files in a folder, nor the
passages that the tools return (`without_passages`).
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast
from uuid import UUID

TOOLS: Final = ("search_knowledge", "read_knowledge")
"""The tools that read knowledge."""
_HANDLE_CHARACTERS: Final = 16


@dataclass(frozen=True)
class Source:
    """A file or folder of an agent's knowledge."""

    id: UUID
    title: str
    kind: Literal["file", "folder"]
    owner_id: UUID | None = None
    """The member whose grant is used to read a folder; None for a file."""
    workspace_id: UUID | None = None
    folder_id: str = ""
    resource_key: str | None = None

    def handle(self, file_id: str = "") -> str:
        """The name by which a model refers to the file, or to a file of the folder. It does not reveal ids of Drive.

        Args:
            file_id: The id in Drive of a file of the folder; empty for the file itself.
        """
        digest = hashlib.sha256(f"{self.id}/{file_id}".encode()).hexdigest()
        return digest[:_HANDLE_CHARACTERS]


def without_passages(tool: str, result: Any) -> Any:
    """The result of a tool call for a visitor. A tool of knowledge shows only the titles of its sources."""
    if tool not in TOOLS:
        return result
    return {"sources": titles_of(result)}


def titles_of(result: Any) -> list[str]:
    """The titles of the sources in a result of a tool of knowledge, each once."""
    fields: Mapping[str, Any] = result if isinstance(result, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
    passages: list[Any] = fields.get("passages", [fields] if "source" in fields else [])
    titles = [cast("Mapping[str, Any]", one).get("source") for one in passages if isinstance(one, Mapping)]
    return [*dict.fromkeys(title for title in titles if isinstance(title, str))]
