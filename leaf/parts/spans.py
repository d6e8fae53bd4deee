"""Records when thinking and tool calls began and ended, in the metadata of their parts.

Clients of the AI SDK keep `providerMetadata` without interpreting it. Leaf adds
`{"leaf": {"beganMs": …, "endedMs": …}}` to it, in milliseconds since 1970. It is in the metadata of
a part for thinking, and in the metadata of the result for a call.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from leaf.parts.chunks import Chunk, Part, merge_json
from leaf.parts.objects import object_of

NAME = "leaf"
_ENDS = {"tool-output-available": "toolCallId", "tool-output-error": "toolCallId", "reasoning-end": "id"}
_BEGINS = {"tool-input-available": "toolCallId", "reasoning-start": "id"}


@dataclass
class Spans:
    """Adds times to the chunks of one run. A step that began under another worker gets none."""

    _began: dict[str, int] = field(default_factory=dict[str, int])
    _metadata: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def stamped(self, chunk: Chunk) -> Chunk:
        """The chunk. A chunk that ends thinking or a call gets the times of its beginning and end."""
        kind: str = chunk["type"]
        if kind.startswith("reasoning-") and chunk.get("providerMetadata"):
            # The metadata of the end replaces the metadata of earlier chunks, so they are merged here.
            earlier = self._metadata.get(chunk["id"], {})
            self._metadata[chunk["id"]] = merge_json(earlier, chunk["providerMetadata"])
        if kind in _BEGINS:
            self._began[chunk[_BEGINS[kind]]] = _now_ms()
        if kind not in _ENDS or chunk.get("preliminary"):
            return chunk
        key = chunk[_ENDS[kind]]
        began = self._began.pop(key, None)
        if began is None:
            return chunk
        given = self._metadata.pop(key, None) or chunk.get("providerMetadata") or {}
        own = given.get(NAME) or {}
        return {**chunk, "providerMetadata": given | {NAME: {**own, "beganMs": began, "endedMs": _now_ms()}}}


def span_of(part: Part) -> tuple[int, int] | None:
    """When a tool call or a stretch of thinking began and ended, in milliseconds since 1970; None if unknown."""
    metadata = part.get("providerMetadata" if part["type"] == "reasoning" else "resultProviderMetadata")
    own = object_of(object_of(metadata).get(NAME))
    began, ended = own.get("beganMs"), own.get("endedMs")
    return (began, ended) if isinstance(began, int) and isinstance(ended, int) and began <= ended else None


def lasted_ms(parts: Iterable[Part]) -> int | None:
    """The time from the beginning of the first part to the end of the last one, in milliseconds; None if it is unknown.

    Args:
        parts: Tool parts and reasoning parts. The time of simultaneous calls counts once.
    """
    spans = [span for part in parts if (span := span_of(part)) is not None]
    return max(ended for _, ended in spans) - min(began for began, _ in spans) if spans else None


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
