"""The rest of a stored answer, for a client that was sent its beginning."""

import json
import tracemalloc
from functools import partial

import pytest

from leaf import parts
from leaf.api import ui_chunks
from leaf.db import Actor
from leaf.parts import Chunk, Fold
from leaf.services import passages
from leaf.streams import Batch
from tests import golden_streams


def _made(chunks: list[Chunk]) -> parts.Message:
    fold = Fold()
    for chunk in chunks:
        fold.apply(chunk)
    return fold.message


@pytest.mark.parametrize("name", golden_streams.NAMES)
def test_a_beginning_and_the_rest_of_the_stored_answer_show_the_whole(name: str) -> None:
    """At every chunk, each text and each call once. # 000-59"""
    run = golden_streams.chunks_of(name)
    if any(chunk["type"] == parts.REWIND for chunk in run):
        pytest.skip("streams of the release before")
    whole = _made(run)
    stored = [*parts.replay(whole), {"type": "finish"}]
    for length in range(1, len(run)):
        missing = parts.SentChunks(run[:length]).rest(stored)
        assert missing is not None
        shown = _made([*run[:length], *missing])
        assert parts.text_of(shown) == parts.text_of(whole), length
        calls = [[part for part in one["parts"] if parts.is_tool(part)] for one in (shown, whole)]
        assert [part["toolCallId"] for part in calls[0]] == [part["toolCallId"] for part in calls[1]]
        assert [part["state"] for part in calls[0]] == [part["state"] for part in calls[1]]


def test_other_words_have_no_rest() -> None:
    """The client has to read the answer from its beginning."""
    sent: list[Chunk] = [
        {"type": "start"},
        {"type": "text-start", "id": "1"},
        {"type": "text-delta", "id": "1", "delta": "No"},
    ]
    stored = parts.replay(
        {"id": "m", "role": "assistant", "parts": [{"type": "text", "text": "Yes.", "state": "done"}]}
    )
    assert parts.SentChunks(sent).rest(stored) is None


async def test_a_reader_of_a_long_answer_costs_a_few_kilobytes() -> None:
    """Each reader that comes late has chunks of its own, and lets go of them when they are sent."""
    written = [{"type": "start", "messageId": "m"}, {"type": "text-start", "id": "1"}]
    written += [{"type": "text-delta", "id": "1", "delta": f"word{number} "} for number in range(8000)]
    encoder = ui_chunks.Encoder(ui_chunks.Form(), partial(passages.withheld_in_chunks, Actor.system()))
    tracemalloc.start()
    try:
        await encoder.encode(Batch(json.loads(json.dumps(written))))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 50_000
