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
        """The name that a model uses for the file, or for a file of the folder. It does not reveal ids of Drive.

        Args:
            file_id: For a file of a folder, its id in Drive; else empty.
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
    given: Mapping[str, Any] = result if isinstance(result, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
    passages: list[Any] = given.get("passages", [given] if "source" in given else [])
    titles = [cast("Mapping[str, Any]", one).get("source") for one in passages if isinstance(one, Mapping)]
    return [*dict.fromkeys(title for title in titles if isinstance(title, str))]
