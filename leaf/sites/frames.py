"""Frames of the widget, made from the chunks of a run.

Frames are the increments of `events`. They contain only the fields named here, and no costs, thinking, or fields that
later versions add to chunks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import from_json

from leaf import parts
from leaf.parts import Chunk
from leaf.sites.knowledge import without_passages

Frame = dict[str, Any]


@dataclass
class Frames:
    """Makes the frames of one run from all its chunks, beginning with the first.

    Args:
        after: Id of the last frame that the reader has, -1 for none. Frames up to it are not repeated.
    """

    after: int = -1
    _index: int = 0
    """Index of the next chunk."""
    _texts: dict[str, int] = field(default_factory=dict[str, int])
    """The numbers of the text parts, by their ids in the chunks."""
    _names: dict[str, str] = field(default_factory=dict[str, str])
    """The names of the tools, by tool call id."""
    _inputs: dict[str, str] = field(default_factory=dict[str, str])
    """The text of the arguments so far, by tool call id."""
    _calls: set[str] = field(default_factory=set[str])
    """The ids of tool calls whose frame was made."""
    _sent: list[Frame] = field(default_factory=list[Frame])
    """All frames that are still valid."""

    @property
    def last(self) -> int:
        """The index of the newest chunk."""
        return max(self._index - 1, self.after, 0)

    def feed(self, chunks: Sequence[Chunk]) -> list[Frame]:
        """The frames of further chunks."""
        return [frame for chunk in chunks for frame in self._next(chunk)]

    def _next(self, chunk: Chunk) -> list[Frame]:
        index, self._index = self._index, self._index + 1
        if chunk["type"] == parts.REWIND:
            return self._rewind(index, int(chunk["data"]["index"]))
        made: list[Frame] = [{"type": frame.pop("type"), "id": index, **frame} for frame in self._frames_of(chunk)]
        self._sent += made
        return made if index > self.after else []

    def _rewind(self, index: int, kept: int) -> list[Frame]:
        dropped = [frame for frame in self._sent if frame["id"] >= kept]
        self._sent = [frame for frame in self._sent if frame["id"] < kept]
        self._calls = {frame["toolCallId"] for frame in self._sent if frame["type"] == "tool_call"}
        # Chunks that were dropped before this reader came back arrive as blanks, but the reader may have seen them.
        has_seen = bool(dropped) or kept <= self.after
        if index <= self.after or not has_seen:
            return []
        # All frames have the id before the rewind, so that a reader that loses the connection gets all of them again.
        return [{"type": "reset", "id": index - 1}, *({**frame, "id": index - 1} for frame in self._sent)]

    def _frames_of(self, chunk: Chunk) -> list[Frame]:
        kind = chunk["type"]
        if kind == "text-start":
            # The index in the run is the same for every reader, because dropped chunks are blanks.
            self._texts[chunk["id"]] = self._index - 1
        elif kind == "text-delta" and chunk["delta"]:
            return [{"type": "text", "part": self._texts.get(chunk["id"], 0), "delta": chunk["delta"]}]
        elif kind == "tool-input-start":
            self._names[chunk["toolCallId"]] = chunk["toolName"]
            self._inputs[chunk["toolCallId"]] = ""
        elif kind == "tool-input-delta":
            self._inputs[chunk["toolCallId"]] = self._inputs.get(chunk["toolCallId"], "") + chunk["inputTextDelta"]
        elif kind == "tool-input-available":
            return [self._call_frame(chunk)]
        elif kind == "tool-output-available" and not chunk.get("preliminary"):
            name = self._names.get(chunk["toolCallId"], "")
            return self._result_frames(chunk, {"toolResult": without_passages(name, chunk.get("output"))})
        elif kind in {"tool-output-error", "tool-input-error"}:
            return self._result_frames(chunk, {"error": chunk["errorText"]})
        elif kind == "tool-output-denied":
            return self._result_frames(chunk, {"error": "denied"})
        return []

    def _call_frame(self, chunk: Chunk) -> Frame:
        call = chunk["toolCallId"]
        self._names[call] = chunk.get("toolName") or self._names.get(call, "")
        self._calls.add(call)
        arguments = chunk["input"] if "input" in chunk else self._arguments(call)
        return {"type": "tool_call", **self._call(chunk), "toolInput": arguments}

    def _result_frames(self, chunk: Chunk, outcome: Frame) -> list[Frame]:
        # A call that was refused because of its arguments has no call frame yet.
        call = [] if chunk["toolCallId"] in self._calls else [self._call_frame(chunk)]
        return [*call, {"type": "tool_result", **self._call(chunk), **outcome}]

    def _arguments(self, call: str) -> Any:
        """The arguments of a replayed call without an `input` field (`parts.replay`), from the text of its deltas."""
        try:
            return from_json(self._inputs.get(call, "null"))
        except ValueError:
            return None

    def _call(self, chunk: Chunk) -> Frame:
        return {"toolCallId": chunk["toolCallId"], "toolName": self._names.get(chunk["toolCallId"], "")}
