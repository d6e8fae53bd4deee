"""The agent's tools for Google Drive: list a folder, search, read a file."""

from pydantic_ai import FunctionToolset

from leaf.agent.deps import Deps
from leaf.agent.tools.drive.listing import list_drive_folder, search_drive
from leaf.agent.tools.drive.reading import read_drive_file


def toolset() -> FunctionToolset[Deps]:
    """The Drive tools, each with the asker's own permissions."""
    return FunctionToolset[Deps](
        [list_drive_folder, search_drive, read_drive_file],
        id="drive",
        max_retries=3,
        docstring_format="google",
        require_parameter_descriptions=True,
    )


__all__ = ["list_drive_folder", "read_drive_file", "search_drive", "toolset"]
