"""A wrapper around the toolsets that requires an approval for some changes of the chat's files.

The rule (decision 0039) reads no intentions and no language. A new file is free. An existing file may be changed or
deleted if the asker's message names it. Every other change waits for the asker's approval. Each change is a version, so
one click undoes it.
"""

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ToolReturnPart, UserPromptPart
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from leaf import errors, parts, texts
from leaf.agent import continuation, mentions
from leaf.agent.approval.request import required, shown
from leaf.agent.deps import Deps

TOOLS = {
    "write_file": "approvals.write_file",
    "edit_file": "approvals.edit_file",
    "delete_file": "approvals.delete_file",
}
"""The tools that change the files of the chat, each with the key of the reason for its approval."""
_SEPARATORS = frozenset("/\\._-")


@dataclass
class NamedFilesOnly(WrapperToolset[Deps]):
    """A toolset, with an approval before each change of an existing file that the asker did not name."""

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> Any:
        if name in TOOLS and not ctx.tool_call_approved:
            path = str(tool_args.get("path", ""))
            if not await is_free(ctx, name, path):
                raise required(texts.english(TOOLS[name], name=shown(path)))
        return await super().call_tool(name, tool_args, ctx, tool)


async def is_free(ctx: RunContext[Deps], tool: str, path: str) -> bool:
    """Whether a change needs no approval."""
    try:
        path = (await ctx.deps.files.read(path)).path
    except (errors.NotFound, errors.Invalid):
        return True  # The file is new, or the tool itself refuses the call.
    if tool != "delete_file" and path in _created(ctx.messages):
        return True
    paths = [file.path for file in await ctx.deps.files.listed()]
    return names(_question(ctx.messages, ctx.deps.suggested), path, paths)


def names(question: str, path: str, paths: Collection[str]) -> bool:
    """Returns whether a message names a file.

    A message names a file by its path, or by its file name with the extension if no other file has that name. Case is
    ignored. The name has to stand by itself: `very-old.md`, `old.md.bak` and `archive/old.md` do not name `old.md`. A
    name without an extension could be any word, so it counts only as a path with a slash or in quotation marks. A
    letter of another script ends a name, because some languages put no space between words.
    """
    text = _folded(question)
    wanted = _folded(path)
    name = PurePosixPath(wanted).name
    others = [_folded(other) for other in paths if other != path]
    is_only = all(PurePosixPath(other).name != name for other in others)
    other_names = {one for other in others for one in (other, PurePosixPath(other).name)}
    for candidate in {wanted, name} if is_only else {wanted}:
        # `my plan.md` does not name `plan.md` if both exist.
        longer = [one for one in other_names if candidate in one and one != candidate]
        rest = text
        for other in sorted(longer, key=len, reverse=True):
            rest = rest.replace(other, "\0")
        if any(_stands_alone(rest, candidate, begin) for begin in _positions(rest, candidate)):
            return True
    return False


def _folded(text: str) -> str:
    return parts.normalized("NFC", parts.normalized("NFC", text).casefold())


def _positions(text: str, name: str) -> Iterator[int]:
    position = text.find(name) if name else -1
    while position >= 0:
        yield position
        position = text.find(name, position + len(name))


def _stands_alone(text: str, name: str, begin: int) -> bool:
    """Whether a name is not a part of a longer name or word, judged by the characters around it."""
    end = begin + len(name)
    for prefix in ("./", "/"):
        if text[:begin].endswith(prefix):
            begin -= len(prefix)
            break
    before, after, next_one = text[begin - 1 : begin], text[end : end + 1], text[end + 1 : end + 2]
    if before and (before in _SEPARATORS or _same_word(before, name[0])):
        return False
    if after and (_same_word(after, name[-1]) or (after in _SEPARATORS and next_one.isalnum())):
        return False
    return "/" in name or "." in name.strip(".") or (_is_quotation_mark(before) and _is_quotation_mark(after))


def _same_word(one: str, other: str) -> bool:
    """Whether two neighbouring characters belong to one word: letters of one script, or digits."""
    if not one.isalnum() or not other.isalnum():
        return False
    return one.isdigit() or other.isdigit() or _script(one) == _script(other)


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _is_quotation_mark(character: str) -> bool:
    if character in {"`", '"', "'"}:
        return True
    return character != "" and unicodedata.category(character) in {"Pi", "Pf", "Ps", "Pe"}


def _created(messages: Sequence[ModelMessage]) -> set[str]:
    """The paths of the files that were created since the last question."""
    paths: set[str] = set()
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart) and continuation.is_question(message):
                paths = set()
            elif isinstance(part, ToolReturnPart) and part.tool_name == "write_file" and part.outcome == "success":
                content: Any = part.content
                if isinstance(content, dict) and content.get("done") == "created":
                    paths.add(str(content.get("path", "")))
    return paths


def _question(messages: Sequence[ModelMessage], suggested: Collection[str]) -> str:
    """The asker's own words of the last question; empty if it was sent by a click."""
    for message in filter(continuation.is_question, reversed(messages)):
        for part in reversed(message.parts):
            if isinstance(part, UserPromptPart):
                return "\n".join(mentions.own_words(part, suggested))
    return ""
