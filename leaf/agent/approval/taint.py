"""What a chat has read: text of its own people, text that strangers wrote, or both. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic_ai.messages import ModelMessage, ToolReturnPart

PRIVATE = frozenset(
    {
        "search_drive",
        "list_drive_folder",
        "read_drive_file",
        "read_file",
        "list_files",
        "grep",
        "edit_file",
        "write_file",
        "delete_file",
    }
)
"""Tools that return what is in somebody's Drive, or in the files of the chat: a change shows what stood there."""
FOREIGN = frozenset({"search", "fetch", "displayLinkPreview"})
"""Tools that return what strangers wrote. The card of a page may have the page's own words."""
NEITHER = frozenset(
    {
        "todoWrite", "askQuestion",
        "displayPlan", "displayTable", "displayCitations", "displayOptionList",
    }
)  # fmt: skip
"""Tools that return what the model wrote itself, or what the user answered."""


@dataclass(frozen=True)
class Taint:
    """What the model may have before it."""

    private: bool = False
    foreign: bool = False

    @property
    def both(self) -> bool:
        """Whether what strangers wrote could have private text sent to them."""
        return self.private and self.foreign


def _may_say_more(part: ToolReturnPart) -> bool:
    """Whether a call that did not succeed may have brought text all the same.

    An MCP server words its own errors; and what was called wrongly is told with the names that there are, such as those
    of a workbook's sheets.
    """
    known = part.tool_name in PRIVATE | FOREIGN | NEITHER
    return (part.outcome == "failed" and not known) or (part.outcome == "retried" and part.tool_name in PRIVATE)


def taint(messages: Sequence[ModelMessage], earlier_tools: Iterable[str] = ()) -> Taint:
    """What the results in a chat are.

    It follows from the messages alone, so that whoever takes over a run, or goes on with it days later, knows the same.

    Args:
        messages: All of the chat that the run has, its own messages included.
        earlier_tools: Tools of turns whose messages the run does not have any more.
    """
    used = {*earlier_tools}
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolReturnPart) and (part.outcome == "success" or _may_say_more(part)):
                used.add(part.tool_name)
    # A tool that is not known here, such as an MCP server's, may return anything.
    unknown = used - PRIVATE - FOREIGN - NEITHER
    private = bool(unknown or used & PRIVATE)
    # What lies in a Drive may have been written by anybody, and shared or uploaded: it can mislead as a page can.
    return Taint(private=private, foreign=private or bool(used & FOREIGN))
