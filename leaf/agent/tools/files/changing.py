"""Changing the files of the chat. Each change is known by its call's id: made again, it changes nothing again."""

from typing import Any

from pydantic_ai import RunContext

from leaf.agent.deps import Deps, FileChange
from leaf.agent.tools.files.outcomes import told


async def write_file(ctx: RunContext[Deps], path: str, content: str) -> dict[str, Any]:  # noqa: D417 - read by the model
    """Make a text file in this chat, or replace all that is in one. To change a part, use edit_file.

    Args:
        path: Where, such as "notes/plan.md": relative, with slashes. Folders come by themselves.
        content: All of the file's text, at most 1 MB.
    """
    with told(path):
        change = await ctx.deps.files.write(path, content, call_id=ctx.tool_call_id)
    return _told(change, "created" if change.created else "replaced")


async def edit_file(  # noqa: D417 - read by the model
    ctx: RunContext[Deps], path: str, old: str, new: str, replace_all: bool = False
) -> dict[str, Any]:
    """Replace a text in a file of this chat. Returns the diff.

    Args:
        path: The file.
        old: The text as it stands there, exactly, with its blanks and line ends. It must be there only once: give
            enough of what stands around it.
        new: What takes its place; empty to take the text out.
        replace_all: Replaces every place instead.
    """
    with told(path):
        change = await ctx.deps.files.edit(path, old, new, everywhere=replace_all, call_id=ctx.tool_call_id)
    return _told(change, "edited")


async def delete_file(ctx: RunContext[Deps], path: str) -> dict[str, Any]:  # noqa: D417 - read by the model
    """Delete a file of this chat. The user can restore it.

    Args:
        path: The file.
    """
    with told(path):
        change = await ctx.deps.files.delete(path, call_id=ctx.tool_call_id)
    return _told(change, "deleted")


def _told(change: FileChange, done: str) -> dict[str, Any]:
    return {
        "path": change.path,
        "done": done,
        "version": change.version,
        "size_bytes": change.size_bytes,
        "diff": change.diff,
    }
