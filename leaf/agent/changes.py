"""Changes of the chat's files wait for the user where the user has not asked for one. A wrapper around the toolsets.

A document or a page may tell the agent to write, change or delete a file of the chat. No instruction to a model
prevents for sure that it does. So once text that others may have written is before the model, a call that changes
a file goes through by itself only if the user's own last message asks for a change of this file (`leaf.agent.wishes`),
or if it goes on with a file that this answer has made; else the user is asked, and told what would change. What the
user sent by a click, a model has written: it asks for nothing. Every change can be undone besides: files have
versions. Tools know nothing of it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from pydantic_ai import ApprovalRequired, RunContext
from pydantic_ai.messages import ModelMessage, ToolReturnPart, UserPromptPart
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from leaf import errors
from leaf.agent import continuing, naming, wishes
from leaf.agent.deps import Deps

CHANGING = {"write_file": "write", "edit_file": "change", "delete_file": "delete"}
"""The tools that change the files of the chat, and what each does, in a word."""
_OWN = frozenset({"todoWrite", "askQuestion", "displayPlan", "displayTable", "displayCitations", "displayOptionList"})
"""Tools that return what the model or the user wrote themselves; those that change files do where the file was the
agent's own, and all others return what anybody may have written."""
_SHOWN_CHARACTERS = 200


def toolset(wrapped: AbstractToolset[Deps]) -> AbstractToolset[Deps]:
    """The toolset, with changes of files that wait for the user where nobody has asked for them."""
    return _Asked(wrapped)


@dataclass
class _Asked(WrapperToolset[Deps]):
    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        if name in CHANGING and not ctx.tool_call_approved and has_read_others(ctx):
            path = str(tool_args.get("path", ""))
            if not await _is_asked(ctx, name, path):
                raise ApprovalRequired(metadata={"reason": _reason(name, path)})
        return await super().call_tool(name, tool_args, ctx, tool)


def has_read_others(ctx: RunContext[Deps]) -> bool:
    """Whether text that others may have written is before the model: any result of the chat that is not its own."""
    window = ctx.deps.context
    if window is not None and window.summary is not None:
        return True  # Documents have a part in it.
    own: dict[str, int] = {}
    for message in ctx.messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart) and naming.names_files(part):
                return True
            if isinstance(part, ToolReturnPart) and part.tool_name not in _OWN and not _is_own(part, own):
                return True
    return False


def _is_own(part: ToolReturnPart, own: dict[str, int]) -> bool:
    """Whether a result shows nothing but what the agent wrote: a change shows what stood in the file before it.

    Args:
        part: The result.
        own: The files that the agent alone has written so far, and their versions; it is kept up to date.
    """
    content: Any = part.content
    if part.tool_name not in CHANGING:
        return False
    if part.outcome != "success" or not isinstance(content, dict):
        return True  # Why it was refused, in Leaf's own words.
    path, version = str(content.get("path", "")), content.get("version")
    if not isinstance(version, int) or (content.get("done") != "created" and own.get(path) != version - 1):
        return False
    own[path] = version
    return True


async def _is_asked(ctx: RunContext[Deps], name: str, path: str) -> bool:
    if name != "delete_file" and path in _made(ctx.messages):
        return True
    asked = wishes.read(_question(ctx.messages, ctx.deps.clicked), name, path)
    if not any(one.holds(path, is_new=True) for one in asked):
        return False
    if name == "write_file" and await _is_new(ctx, path):
        return True
    is_only = await _is_only(ctx, path)
    return any(one.holds(path, is_new=False, is_only=is_only) for one in asked)


async def _is_only(ctx: RunContext[Deps], path: str) -> bool:
    """Whether no other file of the chat has the name of this one."""
    name = PurePosixPath(path).name.casefold()
    found = [one.path for one in await ctx.deps.files.listed() if PurePosixPath(one.path).name.casefold() == name]
    return found in ([], [path])


async def _is_new(ctx: RunContext[Deps], path: str) -> bool:
    try:
        await ctx.deps.files.read(path)
    except errors.NotFound:
        return True
    except errors.LeafError:
        return False
    return False


def _made(messages: Sequence[ModelMessage]) -> set[str]:
    """The files that this answer has made."""
    paths: set[str] = set()
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart) and continuing.asks(message):
                paths = set()
            elif isinstance(part, ToolReturnPart) and part.tool_name == "write_file" and part.outcome == "success":
                content: Any = part.content
                if isinstance(content, dict) and content.get("done") == "created":
                    paths.add(str(content.get("path", "")))
    return paths


def _question(messages: Sequence[ModelMessage], clicked: Collection[str]) -> str:
    """The user's last message; what goes on without a new one is still about it. Empty where it was a click."""
    for message in filter(continuing.asks, reversed(messages)):
        for part in reversed(message.parts):
            if isinstance(part, UserPromptPart):
                return "\n".join(naming.own_words(part, clicked))
    return ""


def _reason(tool: str, path: str) -> str:
    shown = " ".join("".join(letter if letter.isprintable() else " " for letter in path).split())[:_SHOWN_CHARACTERS]
    return (
        f"Leaf wants to {CHANGING[tool]} the file “{shown}”, which your message does not ask for. This chat has read "
        "text that others may have written, and such text can mislead Leaf."
    )
