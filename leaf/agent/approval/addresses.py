"""Which addresses a run may open by itself: hosts that its searches have found or that the user has named. Pure.

Hosts are compared as the client that asks them reads them (`leaf.outbound`), so no spelling means two of them.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from leaf import outbound

_ADDRESS = re.compile(r"https?://[^\s\"'<>\\`]+", re.IGNORECASE)
_AROUND = ".,;:!?)]}*_"
"""What may stand behind an address in a text."""
_MARKS = 6
"""At most so many of these are taken off: a page may be made of nothing else."""
_NAME = re.compile(r"(?<![\w@./%-])(?:\w(?:[\w-]{0,61}\w)?\.)+\w(?:[\w-]{0,61}\w)(?::\d{2,5})?(?![\w@-])")
"""A host without a scheme, such as `example.com`."""
_FILE_ENDINGS = frozenset(
    {"md", "txt", "csv", "zip", "mov", "py", "rs", "sh", "pl", "ps", "ai", "so", "cc", "app", "doc", "docx", "pdf"}
)
"""Names that end so are files in what people write, although some of these are domains too."""


def place_of(address: str) -> str:
    """The host that an address asks, with its port where that is not the usual one; empty where it is no address."""
    try:
        origin = outbound.origin_of(address)
    except outbound.NotPermitted:
        return ""
    place = origin.partition("://")[2]
    name, _, port = place.rpartition(":")
    return name if port in {"80", "443"} else place


def found(run: Sequence[ModelMessage]) -> set[str]:
    """The hosts of what the searches of a run have found."""
    return {place for url in _results(run) if (place := place_of(url))}


def named(messages: Sequence[ModelMessage]) -> set[str]:
    """The hosts that the user has named, with a scheme or without."""
    places: set[str] = set()
    for text in _prompts(messages):
        places |= {place_of(address) for address in in_text(text)}
        for match in _NAME.finditer(text):
            name = match.group()
            if name.partition(":")[0].rpartition(".")[2].lower() not in _FILE_ENDINGS:
                places.add(place_of(f"https://{name}"))
    return places - {""}


def run_of(messages: Sequence[ModelMessage]) -> Sequence[ModelMessage]:
    """The messages since the last question, this one included."""
    starts = [
        place
        for place, message in enumerate(messages)
        if isinstance(message, ModelRequest) and any(isinstance(part, UserPromptPart) for part in message.parts)
    ]
    return messages[starts[-1] :] if starts else messages


def new_part(address: str, messages: Sequence[ModelMessage]) -> str:
    """What an address carries that no address of its host did which the chat has met: the end of its path and query.

    An address that a search, a page or the user gave carries nothing of the model's own.
    """
    place, target = place_of(address), outbound.target_of(address)
    longest = 0
    for text in _given(messages):
        if outbound.host_of(address) not in text.lower():
            continue
        for met in _targets(text).get(place, ()):
            longest = max(longest, _common(target, met))
    return target[longest:]


@lru_cache(maxsize=512)
def _targets(text: str) -> dict[str, list[str]]:
    """What the addresses in a text ask of each host. Remembered, as `in_text` is."""
    found: dict[str, list[str]] = {}
    for address in in_text(text):
        found.setdefault(place_of(address), []).append(outbound.target_of(address))
    return found


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    length = min(len(one), len(other))
    return next((place for place in range(length) if one[place] != other[place]), length)


def size_bytes(carried: str) -> int:
    """How much an end of an address carries, without what only writes it down."""
    return len(unquote_to_bytes(carried))


def leads_on(carried: str) -> bool:
    """Whether an end of an address holds another address, to which the host might pass on what it is asked."""
    return "//" in unquote(unquote(carried))


def opened(run: Sequence[ModelMessage]) -> Iterator[str]:
    """The addresses that a run has asked for so far; not those that the user did not allow, or that wait."""
    done = {
        part.tool_call_id
        for message in run
        for part in message.parts
        if isinstance(part, ToolReturnPart) and part.tool_name == "fetch" and part.outcome in {"success", "failed"}
    }
    for message in run:
        for part in message.parts if isinstance(message, ModelResponse) else ():
            if isinstance(part, ToolCallPart) and part.tool_call_id in done:
                yield str(part.args_as_dict().get("url", ""))


@lru_cache(maxsize=512)
def in_text(text: str) -> tuple[str, ...]:
    """The addresses that stand in a text; of one with a mark behind it also the shorter ones.

    Remembered: each call of a run looks through all that was read before it.
    """
    found: dict[str, None] = {}
    for match in _ADDRESS.finditer(text):
        address = match.group()
        for _ in range(_MARKS):
            found[address] = None
            if address[-1] not in _AROUND:
                break
            address = address[:-1]
    return tuple(found)


def _results(run: Sequence[ModelMessage]) -> Iterator[str]:
    for part in _returns(run):
        for result in _pages(part):
            yield str(result.get("url", ""))


def _given(messages: Sequence[ModelMessage]) -> Iterator[str]:
    """What the user wrote, and what searches and pages gave; not the address that a page was asked by."""
    yield from _prompts(messages)
    for part in _returns(messages):
        yield from (f"{page.get('url', '')} {page.get('snippet', '')}" for page in _pages(part))
        if part.tool_name == "fetch" and isinstance(part.content, dict):
            yield str(part.content.get("content", ""))


def _pages(part: ToolReturnPart) -> Iterator[dict[str, Any]]:
    """What a search has found; nothing of other tools."""
    content: Any = part.content
    results = content.get("results") if part.tool_name == "search" and isinstance(content, dict) else None
    yield from (one for one in (results if isinstance(results, list) else ()) if isinstance(one, dict))


def _returns(messages: Sequence[ModelMessage]) -> Iterator[ToolReturnPart]:
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolReturnPart) and part.outcome == "success":
                yield part


def _prompts(messages: Sequence[ModelMessage]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                content = [part.content] if isinstance(part.content, str) else part.content
                yield from (one for one in content if isinstance(one, str))
