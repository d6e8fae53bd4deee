"""The kinds of text that a chat has read: private text, text that strangers wrote, or both. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic_ai.messages import ModelMessage, ToolReturnPart, UserPromptPart

from leaf.agent import attachments

PRIVATE = frozenset(
    {
        "search_files", "search_drive", "list_drive_folder", "read_drive_file", "compute", "compare_files",
        "read_file", "list_files", "grep", "edit_file", "write_file", "delete_file",
    }
)  # fmt: skip
"""Tools that return content of the asker's Drive or of the chat's files. A change of a file returns its previous text
too."""
FOREIGN = frozenset({"search", "fetch", "displayLinkPreview", "search_knowledge", "read_knowledge"})
"""Tools that return text that strangers wrote. The card of a page may contain the page's own words. The knowledge of a
site's agent is not secret, and other people may have written into its folders."""
NEITHER = frozenset(
    {"todoWrite", "askQuestion", "displayPlan", "displayTable", "displayCitations", "displayOptionList"}
)
"""Tools that return only the model's own text or an answer of the user."""


@dataclass(frozen=True)
class Taint:
    """Kinds of text that the model may have read."""

    private: bool = False
    foreign: bool = False

    @property
    def both(self) -> bool:
        """Whether text of strangers could cause private text to be sent out."""
        return self.private and self.foreign


def _may_contain_text(part: ToolReturnPart) -> bool:
    """Returns whether a failed call may still have returned text of files or strangers.

    An MCP server writes its own error messages. Leaf's error for a wrong argument lists the valid names, such as the
    names of a workbook's sheets.
    """
    known = part.tool_name in PRIVATE | FOREIGN | NEITHER
    return (part.outcome == "failed" and not known) or (part.outcome == "retried" and part.tool_name in PRIVATE)


def taint(messages: Sequence[ModelMessage], earlier_tools: Iterable[str] = ()) -> Taint:
    """Returns the kinds of text in the tool results of a chat.

    The result depends on the arguments alone, so a worker that takes over a run, or continues it days later, gets the
    same result.

    Args:
        messages: All messages of the chat that the run has, including its own messages.
        earlier_tools: Names of tools used in turns whose messages the run no longer has.
    """
    used = {*earlier_tools}
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolReturnPart) and (part.outcome == "success" or _may_contain_text(part)):
                used.add(part.tool_name)
            elif isinstance(part, UserPromptPart) and attachments.may_show(part):
                # A picture that came with a question is shown to the model without a call.
                used.add("read_file")
    # An unknown tool, such as one of an MCP server, may return anything.
    unknown = used - PRIVATE - FOREIGN - NEITHER
    private = bool(unknown or used & PRIVATE)
    # Anybody may have written a file and shared or uploaded it, so a file can mislead the model like a web page.
    return Taint(private=private, foreign=private or bool(used & FOREIGN))
