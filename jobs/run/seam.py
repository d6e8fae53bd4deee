"""The seam between a reply that broke off and the reply that continues it (decision 0042).

Readers keep everything that they have seen. The model is asked for the rest, and words that it repeats are left out.
Its text continues in the same part, and a call that was being written continues under the same id.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from leaf import parts, texts
from leaf.parts import Chunk

OVERLAP_CHARACTERS = 400
"""The length of the end of the shown text that is searched for a repetition. A repetition of the whole text is found at
any length."""
SHORTEST_OVERLAP = 5
"""Shorter repetitions count as coincidences, such as the same letter on both sides of the seam."""
_LAST_WORDS = re.compile(r"\S+(?:\s+\S+){0,4}\s*\Z")
"""The last words of the shown text. The model is asked to begin with them (`leaf.agent.continuation.COMPLETE`)."""
_STEP_ENDS = {"finish-step", "finish"}


class Overlap:
    """Removes the beginning of a new text if it repeats the shown text, or the end of it.

    A repetition of the last five words wins, because the model is asked to begin with them. Otherwise the longest
    repetition wins.
    """

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._tail = shown[-OVERLAP_CHARACTERS:]
        self._last_words = last.group() if (last := _LAST_WORDS.search(self._tail)) else ""
        self._came: list[str] = []
        self._length = 0
        self._is_whole = bool(shown)
        """Whether all of the new text so far repeats the shown text from its beginning."""
        self._is_decided = not shown

    def put(self, text: str) -> str:
        """Adds new text, and returns it without repetition. Empty while all of it may be a repetition."""
        if self._is_decided:
            return text
        self._is_whole = self._is_whole and self._repeats(text)
        self._came.append(text)
        self._length += len(text)
        if self._length - len(text) < len(self._last_words):
            came = "".join(self._came)
            if came.startswith(self._last_words):
                self._is_decided = True
                return came[len(self._last_words) :]
            if self._last_words.startswith(came):
                return ""
        if self._is_whole:
            if self._length < len(self._shown):
                return ""
        elif self._length < len(self._tail) and "".join(self._came) in self._tail:
            return ""
        return self.rest()

    def rest(self) -> str:
        """The text that is still held back, without repetition. Called when no more text follows."""
        if self._is_decided:
            return ""
        self._is_decided = True
        came = "".join(self._came)
        if self._is_whole:
            return came[len(self._shown) :]
        for length in range(min(len(self._tail), len(came)), 0, -1):
            if self._tail.endswith(came[:length]):
                if length >= min(SHORTEST_OVERLAP, len(self._shown)):
                    return came[length:]
                break
        return f" {came}" if came and self._shown[-1].isalnum() and came[0].isalnum() else came

    def _repeats(self, text: str) -> bool:
        expected = self._shown[self._length : self._length + len(text)]
        return text.startswith(expected) if len(expected) < len(text) else text == expected


@dataclass
class Seam:
    """Fits the chunks of a new reply to the reply that broke off. If no reply broke off, it changes nothing."""

    text: str = ""
    """The text of the reply that broke off."""
    calls: dict[str, str] = field(default_factory=dict[str, str])
    """The calls in the cut reply that were not made: tool names by call id. The new reply uses their ids."""
    is_open: bool = False
    """Whether the new reply still has to be fitted."""
    _shown_id: str | None = None
    """The chunk id of the text part that is continued."""
    _hides_thoughts: bool = False
    _overlap: Overlap = field(default_factory=lambda: Overlap(""))
    _start: Chunk | None = None
    """The `text-start` chunk of the new reply."""
    _is_text_shown: bool = False
    _sources: list[Mapping[str, object]] = field(default_factory=list[Mapping[str, object]])

    @classmethod
    def of(cls, fold: parts.Fold) -> tuple["Seam", list[Chunk]]:
        """The seam after the last step of a message, and the chunks that close the open thoughts of that step.

        Args:
            fold: The message. A reply has begun in its last step.
        """
        begins = max((slot for slot, part in enumerate(fold.parts) if part["type"] == "step-start"), default=-1) + 1
        step = fold.parts[begins:]
        written = "".join(part["text"] for part in step if part["type"] == "text")
        texts_open = [name for kind, name in fold.open_parts if kind == "text"]
        closing: list[Chunk] = [
            {"type": "reasoning-end", "id": name} for kind, name in fold.open_parts if kind == "reasoning"
        ]
        seam = cls(
            text=written,
            calls={
                part["toolCallId"]: parts.tool_name(part)
                for part in step
                if parts.is_tool(part) and parts.is_open_call(part) and not part.get("providerExecuted")
            },
            is_open=True,
            _shown_id=texts_open[-1] if texts_open else None,
            _hides_thoughts=bool(written) or any(part["type"] == "reasoning" for part in step),
            _overlap=Overlap(written),
            _sources=[part for part in step if part["type"] in {"source-url", "source-document", "file"}],
        )
        return seam, closing

    def put(self, chunk: Chunk) -> Iterator[Chunk]:
        """The chunks to send in place of a chunk of the new reply."""
        if not self.is_open:
            yield chunk
            return
        kind: str = chunk["type"]
        if kind.startswith("reasoning-"):
            if not self._hides_thoughts:
                yield chunk
        elif kind.startswith("text-"):
            yield from self._text(chunk)
        elif kind in _STEP_ENDS:
            yield from self.close()
            yield chunk
        else:
            if kind.startswith("tool-"):
                yield from self._end_text()
                self.calls.pop(chunk["toolCallId"], None)
            if not any(_is_same(chunk, source) for source in self._sources):
                yield chunk

    def close(self) -> Iterator[Chunk]:
        """The last chunks of the new reply. Calls of the cut reply that the new reply does not repeat get an error."""
        if not self.is_open:
            return
        yield from self._end_text()
        self.is_open = False
        for call_id in self.calls:
            yield {
                "type": "tool-output-error",
                "toolCallId": call_id,
                **parts.failure(texts.english("failures.broke_off")),
            }
        self.calls.clear()

    def _text(self, chunk: Chunk) -> Iterator[Chunk]:
        if chunk["type"] == "text-start":
            self._start, self._is_text_shown = chunk, self._shown_id is not None
        elif chunk["type"] == "text-delta":
            yield from self._added(self._overlap.put(chunk["delta"]))
        else:
            yield from self._end_text(chunk)

    def _added(self, text: str) -> Iterator[Chunk]:
        if not text or self._start is None:
            return
        if not self._is_text_shown:
            self._is_text_shown = True
            yield self._start
        yield {"type": "text-delta", "id": self._shown_id or self._start["id"], "delta": text}

    def _end_text(self, end: Chunk | None = None) -> Iterator[Chunk]:
        if self._start is not None:
            yield from self._added(self._overlap.rest())
        own_id = self._start["id"] if self._start is not None and self._is_text_shown else None
        if (open_id := self._shown_id or own_id) is not None:
            yield {**(end or {"type": "text-end"}), "id": open_id}
        self._shown_id = self._start = None
        self._is_text_shown = False


def _is_same(chunk: Chunk, part: Mapping[str, object]) -> bool:
    return all(chunk.get(key) == value for key, value in part.items())
