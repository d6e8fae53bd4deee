"""A rewind as clients of the AI SDK 7 are told it: folding what they are sent makes the same message."""

import pytest

from leaf import parts
from leaf.parts import Chunk

FIRST: list[Chunk] = [
    {"type": "start", "messageId": "m"},
    {"type": "start-step"},
    {"type": "text-start", "id": "a"},
    {"type": "text-delta", "id": "a", "delta": "I look. "},
    {"type": "text-end", "id": "a"},
    {"type": "tool-input-available", "toolCallId": "c", "toolName": "look", "input": {}},
]
"""A step up to its call, where a checkpoint is taken."""
LOOKED: list[Chunk] = [{"type": "tool-output-available", "toolCallId": "c", "output": 1}, {"type": "finish-step"}]
SECOND: list[Chunk] = [
    {"type": "start-step"},
    {"type": "text-start", "id": "b"},
    {"type": "text-delta", "id": "b", "delta": "It is one."},
    {"type": "text-end", "id": "b"},
    {"type": "finish-step"},
    {"type": "finish", "finishReason": "stop"},
]


def _made(chunks: list[Chunk]) -> list[parts.Part]:
    """The parts of the message that chunks make, by the rules of version 7."""
    return parts.fold(chunks)["parts"]


WHOLE = _made([*FIRST, *LOOKED, *SECOND])


@pytest.mark.parametrize("cut", [1, 2, 3, 4])
def test_a_step_that_is_cut_off_begins_anew(cut: int) -> None:
    before = [*FIRST, *LOOKED, *SECOND[:cut]]
    index = len(FIRST) + len(LOOKED)
    assert parts.reset(before, index) == [{"type": "reset-step"}]
    # The step is open for the reader: its beginning is not told again.
    assert _made([*before, *parts.reset(before, index), *SECOND[1:]]) == WHOLE


@pytest.mark.parametrize("done", [0, 1])
def test_what_a_step_keeps_is_told_once_more(done: int) -> None:
    before = [*FIRST, *LOOKED[:done]]
    assert parts.reset(before, len(FIRST)) == [{"type": "reset-step"}, *FIRST[2:]]
    assert _made([*before, *parts.reset(before, len(FIRST)), *LOOKED, *SECOND]) == WHOLE


def test_more_than_a_step_cannot_be_taken_back() -> None:
    """The reader has to begin anew."""
    assert parts.reset([*FIRST, *LOOKED, *SECOND[:2]], len(FIRST)) == []
