"""The state of a fold, and functions that look up its parts."""

from dataclasses import dataclass, field, replace
from typing import Any

from leaf.parts.chunks import Chunk, Part

DRIVE_TOOLS = frozenset(
    {"search_files", "search_drive", "list_drive_folder", "read_drive_file", "compute", "compare_files"}
)
"""The names of the tools that use Drive, including those of earlier versions."""
TOOLS = DRIVE_TOOLS | {
    "list_files", "read_file", "grep", "write_file", "edit_file", "delete_file", "search", "fetch", "displayPlan",
    "displayTable", "displayCitations", "displayLinkPreview", "displayOptionList", "todoWrite", "askQuestion",
}  # fmt: skip
"""The names of all of Leaf's own tools for members, including those of earlier versions."""
_OPEN_CALLS = {"input-streaming", "input-available", "approval-requested", "approval-responded"}


@dataclass
class State:
    """The message so far. Parts are never changed in place, so a shallow copy is a snapshot."""

    id: str = ""
    parts: list[Part] = field(default_factory=list[Part])
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    open: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    """Indexes of open text and reasoning parts, by kind and chunk id."""
    inputs: dict[str, Part] = field(default_factory=dict[str, Part])
    """Tool calls whose input has started, by call id: the `tool-input-start` chunk, with the input text so far."""
    nameless: list[int] = field(default_factory=list[int])
    """Indexes of open text parts of a stored message. It has no chunk ids, so an unknown id means the first of them."""
    step_open: bool = False

    def copy(self) -> "State":
        """A snapshot that later chunks do not change."""
        return replace(
            self,
            parts=[*self.parts],
            metadata={**self.metadata},
            open={**self.open},
            inputs={**self.inputs},
            nameless=[*self.nameless],
        )


def is_tool(part: Part) -> bool:
    """Whether the part is a tool call."""
    return part["type"] == "dynamic-tool" or part["type"].startswith("tool-")


def is_open_call(part: Part) -> bool:
    """Whether a tool call is unfinished. Its output may be preliminary."""
    return part["state"] in _OPEN_CALLS or part.get("preliminary") is True


def is_running_call(part: Part) -> bool:
    """Whether a tool is working on the call."""
    return part["state"] == "input-available" or part.get("preliminary") is True


def tool_name(part: Part) -> str:
    """The name of the tool that a part calls."""
    return part["toolName"] if part["type"] == "dynamic-tool" else part["type"].removeprefix("tool-")


def present_fields(chunk: Chunk, *keys: str) -> Part:
    """The fields of a chunk among `keys` that have a value."""
    return {key: chunk[key] for key in keys if chunk.get(key) is not None}


def step_begin(state: State) -> int:
    """The index of the first part of the current step; 0 if no step has started."""
    for slot in range(len(state.parts) - 1, -1, -1):
        if state.parts[slot]["type"] == "step-start":
            return slot + 1
    return 0
