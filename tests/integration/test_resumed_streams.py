"""The chunks that a reader has, followed by the chunks that it resumes with, show the same as the whole run."""

import json
from typing import Any
from uuid import UUID

import pytest

from leaf import parts, streams
from leaf.db import Actor
from leaf.parts import Chunk
from leaf.services import chats, conversations
from leaf.sites import Frames
from leaf.views.frames import Frame, framed
from leaf.views.rows import Items
from tests import live_text
from tests.golden_streams import NAMES, chunks_of
from tests.integration.people import end
from tests.integration.web_fixtures import World


async def _run(actor: Actor, chunks: list[Chunk]) -> UUID:
    turn = await conversations.ask(actor, await chats.new(actor), "How many apples?")
    run_id = turn.assistant.run_id
    assert run_id is not None
    await streams.Writer(run_id, "worker").append(chunks)
    await end(run_id)
    return run_id


def _sent(body: str) -> list[Chunk]:
    lines = [line[6:] for line in body.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


@pytest.mark.parametrize("name", NAMES)
async def test_a_program_resumes_at_every_chunk(world: World, name: str) -> None:
    """Also without any header of its version. # 000-30"""
    chunks = chunks_of(name)
    whole = parts.fold(chunks)
    async with world.browser("ada") as ada:
        run_id = await _run(await ada.actor(), chunks)
        for cut in range(len(chunks) + 1):
            answer = await ada.get(f"/api/runs/{run_id}", params={"startIndex": cut})
            assert parts.fold([*chunks[:cut], *_sent(answer.text)]) == whole, cut


@pytest.mark.parametrize("name", NAMES)
def test_no_text_of_a_stream_is_taken_back_or_comes_twice(name: str) -> None:
    """Readers that only ever append, such as the AI SDK 5 and 6, show the whole answer. # 000-24, 000-30"""
    chunks = chunks_of(name)
    assert not {parts.REWIND, "reset-step"} & {chunk["type"] for chunk in chunks}
    fold, before = parts.Fold(), list[str]()
    for chunk in chunks:
        fold.apply(chunk)
        texts = [part["text"] for part in fold.parts if part["type"] in {"text", "reasoning"}]
        assert len(texts) >= len(before)
        assert all(now.startswith(earlier) for earlier, now in zip(before, texts, strict=False))
        before = texts
    assert len({*before}) == len(before)


class _Widget:
    """The events that a widget shows, by the frames it is sent."""

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}
        self.calls: dict[str, Any] = {}
        self.last = -1

    def take(self, frames: list[dict[str, Any]]) -> None:
        for frame in frames:
            if frame["type"] == "reset":
                self.texts, self.calls = {}, {}
            elif frame["type"] == "text":
                self.texts[frame["part"]] = self.texts.get(frame["part"], "") + frame["delta"]
            else:
                kept = {key: value for key, value in frame.items() if key != "id"}
                assert self.calls.get(f"{frame['type']}:{frame['toolCallId']}", kept) == kept
                self.calls[f"{frame['type']}:{frame['toolCallId']}"] = kept
            self.last = frame["id"]

    @property
    def shown(self) -> tuple[dict[int, str], dict[str, Any]]:
        return self.texts, self.calls


@pytest.mark.parametrize("name", NAMES)
def test_a_widget_resumes_at_every_chunk(name: str) -> None:
    """# 000-30"""
    chunks = chunks_of(name)
    whole = _Widget()
    whole.take(Frames().feed(chunks))
    for cut in range(len(chunks) + 1):
        widget = _Widget()
        widget.take(Frames().feed(chunks[:cut]))
        widget.take(Frames(widget.last).feed(chunks))
        assert widget.shown == whole.shown, cut


def _frame(chunks: list[Chunk], before: Frame) -> Frame:
    """The next frame of a page, from all chunks so far."""
    found = parts.fold(chunks)["parts"]
    return framed(before, Items(live=True).of(found), found)


def _drawn(texts: live_text.Texts) -> live_text.Texts:
    """A block without text is not drawn."""
    return {place: text for place, text in texts.items() if text}


@pytest.mark.parametrize("name", NAMES)
def test_a_page_resumes_at_every_chunk(name: str) -> None:
    """It has the text of one frame, and is sent what a later one adds. # 000-30"""
    chunks = chunks_of(name)
    whole = _drawn(live_text.applied({}, _frame(chunks, Frame()).all()))
    for cut in range(1, len(chunks)):
        first = _frame(chunks[:cut], Frame())
        last = _frame(chunks, first)
        changes = last.since(first)
        assert changes is not None, "nothing is taken back"
        assert _drawn(live_text.applied(live_text.applied({}, first.all()), changes)) == whole, cut
