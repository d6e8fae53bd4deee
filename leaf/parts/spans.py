"""The times of thinking and tool calls, in the metadata of their parts.

Clients of the AI SDK keep `providerMetadata` without reading it. Under Leaf's own name it says
`{"leaf": {"beganMs": …, "endedMs": …}}`, in milliseconds since 1970: of thinking on the part, of a call on its result.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from leaf.parts.chunks import Chunk, Part, merge_json

NAME = "leaf"
_ENDS = {"tool-output-available": "toolCallId", "tool-output-error": "toolCallId", "reasoning-end": "id"}
_BEGINS = {"tool-input-available": "toolCallId", "reasoning-start": "id"}


@dataclass
class Spans:
    """Stamps the chunks of one run. A step that began under another worker gets no span."""

    _began: dict[str, int] = field(default_factory=dict[str, int])
    _metadata: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def stamped(self, chunk: Chunk) -> Chunk:
        """The chunk; what ends something says when that began and ended."""
        kind: str = chunk["type"]
        if kind.startswith("reasoning-") and chunk.get("providerMetadata"):
            # The metadata of the end takes the place of what came with earlier chunks.
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
    """The begin and end of a tool call or a stretch of thinking, in milliseconds since 1970; None if unknown."""
    metadata = part.get("providerMetadata" if part["type"] == "reasoning" else "resultProviderMetadata")
    own = metadata.get(NAME) if isinstance(metadata, dict) else None
    if not isinstance(own, dict):
        return None
    began, ended = own.get("beganMs"), own.get("endedMs")
    return (began, ended) if isinstance(began, int) and isinstance(ended, int) and began <= ended else None


def lasted_ms(parts: Iterable[Part]) -> int | None:
    """The time from the first beginning to the last end of several parts, in ms; None if no span is known.

    Args:
        parts: Tool parts and reasoning parts. Calls that ran side by side count once.
    """
    spans = [span for part in parts if (span := span_of(part)) is not None]
    return max(ended for _, ended in spans) - min(began for began, _ in spans) if spans else None


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
