"""Chunks: the AI SDK's UI message chunks as plain JSON objects, and the types that Leaf adds to them."""

from collections.abc import Mapping, Sequence
from typing import Any

Chunk = dict[str, Any]
Message = dict[str, Any]
Part = dict[str, Any]

DELTAS = {
    "text-delta": ("id", "delta"),
    "reasoning-delta": ("id", "delta"),
    "tool-input-delta": ("toolCallId", "inputTextDelta"),
}
"""Chunks that only append text. For each type: the key that identifies the part, and the key of the text."""

REWIND = "data-rewind"
"""Discards the effect of all chunks from an index on. Only workers of earlier versions write it (decision 0042)."""
TAKEN_OVER = "data-taken-over"
"""Another attempt continues the answer (`taken_over`). Tabs handle it in `leaf.state.run_feed`."""
RESUMED = "data-resumed"
"""Ends the replay of a stored message; the chunks after it are new. It is transient."""
VOID = "data-rewound"


class MalformedChunk(ValueError):
    """A chunk that the AI SDK's clients would refuse too, such as a delta for a part that is not open."""


def copy_json(value: Any) -> Any:
    """A deep copy of a JSON value, several times faster than `copy.deepcopy`."""
    if isinstance(value, dict):
        return {key: copy_json(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [copy_json(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def merge_json(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Merges objects deeply. Arrays and plain values are replaced (`mergeObjects` of the AI SDK)."""
    merged = dict(base)
    for key, value in overrides.items():
        earlier: Any = merged.get(key)
        both = isinstance(value, dict) and isinstance(earlier, dict)
        merged[key] = merge_json(earlier, value) if both else copy_json(value)
    return merged


def taken_over() -> Chunk:
    """The transient chunk that announces that another attempt continues an interrupted answer."""
    return {"type": TAKEN_OVER, "data": {}, "transient": True}


def void_rewound(chunks: Sequence[Chunk], first: int) -> list[Chunk]:
    """Replaces each chunk that a later `data-rewind` among `chunks` discards with a blank chunk.

    Blank chunks are transient and have no effect. They keep every other chunk at its index.
    """
    kept = list(chunks)
    for place, chunk in enumerate(chunks):
        if chunk["type"] != REWIND:
            continue
        for dropped in range(max(0, int(chunk["data"]["index"]) - first), place):
            # A rewind stays: a reader that knows chunks before `first` needs it.
            if kept[dropped]["type"] != REWIND:
                kept[dropped] = {"type": VOID, "data": {}, "transient": True}
    return kept


def merge_deltas(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Joins adjacent deltas of the same part."""
    merged: list[Chunk] = []
    for chunk in chunks:
        names = DELTAS.get(chunk["type"])
        last = merged[-1] if merged else None
        if names and last and last["type"] == chunk["type"] and last[names[0]] == chunk[names[0]]:
            merged[-1] = {**last, **chunk, names[1]: last[names[1]] + chunk[names[1]]}
        else:
            merged.append(chunk)
    return merged
