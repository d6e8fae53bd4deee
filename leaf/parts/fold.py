"""Folds chunks into a message, as `processUIMessageStream` of the npm package `ai` 7 does."""

from collections.abc import Iterable, Sequence

from leaf.parts.chunks import REWIND, Chunk, MalformedChunk, Message, Part, copy_json
from leaf.parts.handlers import apply
from leaf.parts.state import State, tool_name


class Fold:
    """Builds a message from its chunks.

    `data-rewind` removes the effect of the chunks from an index on. All chunks are kept for that.

    Args:
        message: A stored message to continue. If the first chunk is a `start` with the same id, it replays the message
            from the beginning and rebuilds it.
        index: The index of the first chunk that will be applied.
    """

    def __init__(self, message: Message | None = None, *, index: int = 0) -> None:
        self._base = _stored(message) if message else State()
        self._state = self._base.copy()
        self._first = index
        self._log: list[Chunk | None] = []
        self._may_replay = message is not None
        self._replays = self._may_replay

    @property
    def index(self) -> int:
        """The index of the next chunk."""
        return self._first + len(self._log)

    @property
    def message(self) -> Message:
        """A copy of the message so far."""
        state = self._state
        return {
            "id": state.id,
            "role": "assistant",
            "parts": copy_json(state.parts),
            "metadata": copy_json(state.metadata),
        }

    @property
    def parts(self) -> Sequence[Part]:
        """The parts so far. They are not copied, so callers must neither change nor keep them."""
        return self._state.parts

    @property
    def begun(self) -> bool:
        """Whether a `start` chunk was applied."""
        return bool(self._state.id)

    @property
    def step_open(self) -> bool:
        """Whether a step was started and not yet finished."""
        return self._state.step_open

    @property
    def open_parts(self) -> list[tuple[str, str]]:
        """Open text and reasoning parts as ("text" or "reasoning", chunk id), in the order of their opening."""
        return [*self._state.open]

    def copy(self) -> "Fold":
        """An independent fold in the same state."""
        twin = Fold(index=self._first)
        twin._base, twin._state = self._base, self._state.copy()
        twin._log, twin._may_replay, twin._replays = [*self._log], self._may_replay, self._replays
        return twin

    def apply(self, chunk: Chunk, index: int | None = None) -> None:
        """Applies the next chunk.

        Args:
            chunk: The chunk, which is copied.
            index: Its index, if known. A chunk that was already applied is skipped.

        Raises:
            MalformedChunk: The AI SDK's clients would refuse the chunk, or `index` leaves a gap.
        """
        if index is not None and index < self.index:
            return
        if index is not None and index > self.index:
            raise MalformedChunk(f"chunk {index} came where {self.index} was due")
        chunk = copy_json(chunk)
        if chunk["type"] == REWIND:
            self._rewind(int(chunk["data"]["index"]))
            self._log.append(None)
            return
        self._apply(chunk)
        self._log.append(chunk)

    def _apply(self, chunk: Chunk) -> None:
        if chunk["type"] == "start":
            message_id = chunk.get("messageId")
            if self._replays or (message_id is not None and message_id != self._state.id):
                self._state = State(id=self._state.id)
            self._replays = False
        apply(self._state, chunk)

    def _rewind(self, index: int) -> None:
        keep = max(0, index - self._first)
        dropped = len(self._log) - keep
        if dropped <= 0:
            return
        self._log[keep:] = [None] * dropped
        self._state, self._replays = self._base.copy(), self._may_replay
        for chunk in self._log:
            if chunk is not None:
                self._apply(chunk)


def fold(chunks: Iterable[Chunk], into: "Fold | Message | None" = None) -> Message:
    """The message that chunks form.

    `fold(a + b) == fold(b, into=fold(a))`. There are two exceptions, for which the message lacks information: `a`
    leaves several text parts open at once, or `b` rewinds into `a`. Pass the `Fold` of `a` in these cases.

    Args:
        chunks: Consecutive chunks of a run.
        into: The message or the fold of the earlier chunks; it is not changed.

    Raises:
        MalformedChunk: The AI SDK's clients would refuse a chunk.
    """
    folding = into.copy() if isinstance(into, Fold) else Fold(into)
    for chunk in chunks:
        folding.apply(chunk)
    return folding.message


def _stored(message: Message) -> State:
    """The state after the chunks of a stored message, which may have open parts."""
    state = State(
        id=message.get("id") or "",
        parts=copy_json(message.get("parts") or []),
        metadata=copy_json(message.get("metadata") or {}),
    )
    for slot, part in enumerate(state.parts):
        if part.get("state") == "streaming" and part["type"] == "text":
            state.nameless.append(slot)
        elif part.get("state") == "streaming" and part["type"] == "reasoning" and "id" in part:
            state.open["reasoning", part["id"]] = slot
        elif part.get("state") == "input-streaming":
            call: Part = {"toolName": tool_name(part), "text": part.get("rawInput", "")}
            call |= {key: part[key] for key in ("inputEncoding", "title", "toolMetadata") if key in part}
            state.inputs[part["toolCallId"]] = call | {"dynamic": part["type"] == "dynamic-tool"}
    return state
