"""The agent's tools for the text files of the chat: read, write, edit, list, search, delete."""

from pydantic_ai import FunctionToolset

from leaf.agent.deps import Deps
from leaf.agent.tools.files.changing import delete_file, edit_file, write_file
from leaf.agent.tools.files.finding import grep, list_files, read_file


def toolset() -> FunctionToolset[Deps]:
    """The file tools, for the files of the run's own chat."""
    return FunctionToolset[Deps](
        [list_files, read_file, grep, write_file, edit_file, delete_file],
        id="files",
        max_retries=3,
        docstring_format="google",
        require_parameter_descriptions=True,
    )


__all__ = ["delete_file", "edit_file", "grep", "list_files", "read_file", "toolset", "write_file"]
