"""The laws of folding, and what is read out of a message."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaf import parts
from leaf.citations import coverage, redaction
from leaf.texts import say
from leaf.views import sources

PATIENT = settings(deadline=None)


def _rewind(index: int) -> parts.Chunk:
    return {"type": parts.REWIND, "data": {"index": index}, "transient": True}


"""Examples may take their time on a busy machine."""


class _Stream:
    """Makes a valid sequence of chunks from hypothesis' choices."""

    def __init__(self, draw: st.DrawFn, *, at_once: bool) -> None:
        self._draw = draw
        self._at_once = at_once
        self.texts: list[tuple[str, str]] = []
        self.calls: list[str] = []
        self.inputs: list[str] = []
        self.chunks: list[parts.Chunk] = [{"type": "start", "messageId": "m"}]

    def add(self) -> None:
        choices = ["start-step", "finish-step", "open", "call", "data", "metadata", "source"]
        choices += ["delta", "delta", "end"] if self.texts else []
        choices += ["available", "output", "error"] if self.calls else []
        choices += ["input"] if self.inputs else []
        getattr(self, "_" + self._draw(st.sampled_from(choices)).replace("-", "_"))()

    def _start_step(self) -> None:
        self.calls, self.inputs = [], []
        self.chunks.append({"type": "start-step"})

    def _finish_step(self) -> None:
        self.chunks.append({"type": "finish-step"})

    def _open(self) -> None:
        kind = self._draw(st.sampled_from(["text", "reasoning"]))
        if not self._at_once and any(kind == open_kind for open_kind, _ in self.texts):
            return
        self.texts.append((kind, f"{kind[0]}{len(self.chunks)}"))
        self.chunks.append({"type": f"{kind}-start", "id": self.texts[-1][1]})

    def _delta(self) -> None:
        kind, name = self._draw(st.sampled_from(self.texts))
        delta = self._draw(st.sampled_from(["", "a", "word ", "ä🙂\n"]))
        self.chunks.append({"type": f"{kind}-delta", "id": name, "delta": delta})

    def _end(self) -> None:
        kind, name = self.texts.pop(self._draw(st.integers(0, len(self.texts) - 1)))
        self.chunks.append({"type": f"{kind}-end", "id": name})

    def _call(self) -> None:
        call = f"c{len(self.chunks)}"
        self.calls.append(call)
        self.inputs.append(call)
        self.chunks.append({"type": "tool-input-start", "toolCallId": call, "toolName": "look"})

    def _input(self) -> None:
        delta = self._draw(st.sampled_from(['{"a": ', '"b', '", ', "[1,", "}"]))
        self.chunks.append({"type": "tool-input-delta", "toolCallId": self.inputs[-1], "inputTextDelta": delta})

    def _available(self) -> None:
        call = self._over(self._draw(st.sampled_from(self.calls)))
        chunk: parts.Chunk = {"type": "tool-input-available", "toolCallId": call, "toolName": "look"}
        self.chunks.append(chunk | {"input": {"a": [1, {"b": None}]}})

    def _over(self, call: str) -> str:
        self.inputs = [name for name in self.inputs if name != call]
        return call

    def _output(self) -> None:
        call = self._over(self.calls.pop())
        self.chunks.append({"type": "tool-output-available", "toolCallId": call, "output": {"files": [{"id": call}]}})

    def _error(self) -> None:
        call = self._over(self.calls.pop())
        self.chunks.append({"type": "tool-output-error", "toolCallId": call, "errorText": "no"})

    def _data(self) -> None:
        chunk = {"type": "data-plan", "id": self._draw(st.sampled_from("12")), "data": {"n": len(self.chunks)}}
        self.chunks.append(chunk | ({"transient": True} if self._draw(st.booleans()) else {}))

    def _metadata(self) -> None:
        self.chunks.append({"type": "message-metadata", "messageMetadata": {"usage": {str(len(self.chunks)): [1]}}})

    def _source(self) -> None:
        self.chunks.append({"type": "source-document", "sourceId": "s", "mediaType": "text/plain", "title": "t"})


@st.composite
def streams(draw: st.DrawFn, *, at_once: bool = True, least: int = 1) -> list[parts.Chunk]:
    stream = _Stream(draw, at_once=at_once)
    for _ in range(draw(st.integers(least, 30))):
        stream.add()
    return stream.chunks


def places(chunks: list[parts.Chunk]) -> st.SearchStrategy[int]:
    return st.integers(0, len(chunks))


@given(st.data())
@PATIENT
def test_folding_in_two_goes_is_folding_at_once(data: st.DataObject) -> None:
    chunks = data.draw(streams())
    place = data.draw(places(chunks))
    first = parts.Fold()
    for chunk in chunks[:place]:
        first.apply(chunk)
    before = first.message
    assert parts.fold(chunks[place:], into=first) == parts.fold(chunks)
    assert first.message == before, "the fold passed in is not changed"


@given(st.data())
@PATIENT
def test_a_stored_message_can_be_gone_on_from(data: st.DataObject) -> None:
    """Through JSON and back, as from the database."""
    chunks = data.draw(streams(at_once=False))
    place = data.draw(st.integers(1, len(chunks)))
    stored = json.loads(json.dumps(parts.fold(chunks[:place])))
    kept = json.loads(json.dumps(stored))
    assert parts.fold(chunks[place:], into=stored) == parts.fold(chunks)
    assert stored == kept, "the message passed in is not changed"


@given(streams())
@PATIENT
def test_replaying_is_the_same_as_playing(chunks: list[parts.Chunk]) -> None:
    once = parts.fold(chunks)
    assert parts.fold(chunks) == once
    assert parts.fold(chunks, into=once) == once
    twice = parts.Fold()
    for _ in range(2):
        for index, chunk in enumerate(chunks):
            twice.apply(chunk, index)
    assert twice.message == once


@given(streams())
@PATIENT
def test_merged_deltas_make_the_same_message(chunks: list[parts.Chunk]) -> None:
    merged = parts.merge_deltas(chunks)
    assert parts.fold(merged) == parts.fold(chunks)
    kinds = [(chunk["type"], chunk.get("id"), chunk.get("toolCallId")) for chunk in merged]
    assert all(kind != following or kind[0] not in parts.DELTAS for kind, following in pairwise(kinds))


@given(st.data())
@PATIENT
def test_a_rewind_drops_exactly_what_came_from_its_index_on(data: st.DataObject) -> None:
    chunks = data.draw(streams())
    keep = data.draw(st.integers(1, len(chunks)))
    later = [chunk for chunk in data.draw(streams())[1:] if not chunk["type"].startswith("message-")]
    sent = [*chunks, _rewind(keep), *later]
    folding = parts.Fold()
    for chunk in sent:
        folding.apply(chunk)
    assert folding.message == parts.fold([*chunks[:keep], *later])
    assert folding.index == len(sent)
    assert parts.fold(parts.void_rewound(sent, 0)) == folding.message
    assert len(parts.void_rewound(sent, 0)) == len(sent)


@given(st.data())
@PATIENT
def test_rewinds_behind_rewinds_are_told_by_index_too(data: st.DataObject) -> None:
    log: list[parts.Chunk] = [{"type": "start", "messageId": "m"}]
    live: dict[int, parts.Chunk] = {0: log[0]}
    for _ in range(data.draw(st.integers(1, 4))):
        for _ in range(data.draw(st.integers(0, 5))):
            live[len(log)] = {"type": "data-n", "data": len(log)}
            log.append(live[len(log)])
        keep = data.draw(st.integers(1, len(log)))
        live = {index: chunk for index, chunk in live.items() if index < keep}
        log.append(_rewind(keep))
    place = data.draw(places(log))
    folding = parts.Fold()
    for chunk in [*log[:place], *parts.void_rewound(log[place:], place)]:
        folding.apply(chunk)
    assert folding.message == parts.fold(live.values())


def test_a_rewind_before_the_first_chunk_of_a_fold_leaves_the_message_it_began_with() -> None:
    base = parts.fold([{"type": "start", "messageId": "m"}, {"type": "data-a", "data": 1}])
    folding = parts.Fold(base, index=2)
    folding.apply({"type": "data-b", "data": 1})
    folding.apply(_rewind(1))
    assert folding.message == base
    assert folding.index == 4


@given(streams(least=5))
@settings(PATIENT, max_examples=50)
def test_messages_and_chunks_are_never_shared(chunks: list[parts.Chunk]) -> None:
    given_chunks = json.loads(json.dumps(chunks))
    folding = parts.Fold()
    for chunk in chunks:
        folding.apply(chunk)
        _spoil(folding.message)
        _spoil(chunk)
    assert folding.message == parts.fold(given_chunks)


def _spoil(value: Any) -> None:
    if isinstance(value, dict):
        for item in value.values():
            _spoil(item)
        value["spoilt"] = True
    elif isinstance(value, list):
        for item in value:
            _spoil(item)
        value.append("spoilt")


def test_a_gap_is_refused() -> None:
    with pytest.raises(parts.MalformedChunk):
        parts.Fold(index=3).apply({"type": "start-step"}, 4)


@given(streams())
@PATIENT
def test_closing_chunks_leave_nothing_open(chunks: list[parts.Chunk]) -> None:
    folding = parts.Fold()
    for chunk in chunks:
        folding.apply(chunk)
    for chunk in parts.close_open_parts(folding, "stopped"):
        folding.apply(chunk)
    assert folding.open_parts == []
    states = {part.get("state") for part in folding.message["parts"]}
    assert states <= {None, "done", "output-available", "output-error"}
    assert parts.close_open_parts(folding) == []


def test_a_run_tells_whether_a_step_is_open() -> None:
    folding = parts.Fold()
    folding.apply({"type": "start", "messageId": "m"})
    folding.apply({"type": "start-step"})
    assert folding.step_open
    folding.apply({"type": "finish-step"})
    assert not folding.step_open


def _read(call: str, file_id: str, part: str, content: str) -> parts.Part:
    file = {"id": file_id, "name": file_id + ".pdf", "kind": "pdf", "url": "https://x/" + file_id, "revision": "1"}
    output = {"file": file, "part": part, "content": content}
    return {"type": "tool-read_drive_file", "toolCallId": call, "state": "output-available", "output": output}


def test_sources_are_the_files_that_were_read() -> None:
    """Not those that were listed, skipped, or asked for in vain."""
    skipped = {"skipped": {"id": "z", "name": "z", "url": "", "reason": "too large"}}
    message: parts.Message = {
        "parts": [
            {"type": "tool-list_drive_folder", "state": "output-available", "output": {"files": [{"id": "q"}]}},
            _read("c1", "a", "pages 1-3", "one"),
            _read("c2", "b", "all", "two"),
            _read("c3", "a", "pages 4-6", "three"),
            _read("c4", "a", "pages 1-3", "one"),
            {"type": "tool-read_drive_file", "toolCallId": "c5", "state": "output-available", "output": skipped},
            {"type": "tool-read_drive_file", "toolCallId": "c6", "state": "output-error", "errorText": "no"},
            {"type": "tool-read_drive_file", "toolCallId": "c7", "state": "input-available", "input": {}},
        ]
    }
    first, second = parts.sources_of(message)
    assert first == {
        "file_id": "a",
        "name": "a.pdf",
        "url": "https://x/a",
        "kind": "pdf",
        "excerpts": [
            {"part": "pages 1-3", "text": "one", "tool_call_id": "c1"},
            {"part": "pages 4-6", "text": "three", "tool_call_id": "c3"},
        ],
        "withheld": "",
    }
    assert (second["file_id"], len(second["excerpts"])) == ("b", 1)


def test_sources_are_the_files_that_the_receipt_counts_as_read() -> None:
    """Passages that a search gave are read, too; a file that was looked through in vain or refused is not. # 000-56"""
    names = ("a", "p", "listed", "refused", "vain")
    files = [{"id": one, "name": one, "kind": "pdf", "url": f"https://x/{one}"} for one in names]
    passages = [
        {"file_id": one, "name": one, "place": "page 2", "text": f"Text of {one}.", "heading": ""}
        for one in ("p", "a", "refused", "p")
    ]
    search = {"queries": ["boiler"], "files": files, "passages": passages}
    vain = _read("c2", "vain", "all", "")
    vain["output"] |= {"find": "boiler", "matches": 0}
    refusal = {"skipped": {"id": "refused", "name": "refused", "url": "", "reason": "too large"}}
    message: parts.Message = {
        "parts": [
            {
                "type": "tool-search_files",
                "toolCallId": "s",
                "state": "output-available",
                "input": {},
                "output": search,
            },
            _read("c1", "a", "all", "one"),
            vain,
            {"type": "tool-read_drive_file", "toolCallId": "c3", "state": "output-available", "output": refusal},
        ]
    }
    found = parts.sources_of(message)
    receipt = coverage.coverage_of(message["parts"])
    assert receipt is not None
    assert {one["file_id"] for one in found} == {one["id"] for one in receipt["read"]} == {"a", "p"}
    assert [one["file_id"] for one in found] == ["a", "p"], "what was opened comes first"
    assert found[1]["excerpts"] == [{"part": "page 2", "text": "Text of p.", "tool_call_id": "s"}]


def test_a_source_whose_passages_are_withheld_says_why() -> None:
    """# 000-56"""
    file = {"id": "p", "name": "p", "kind": "pdf", "url": "https://x/p"}
    passage = {"file_id": "p", "name": "p", "place": "page 2", "text": "Secret.", "heading": ""}
    output = {"queries": ["x"], "files": [file], "passages": [passage]}
    part: parts.Part = {"type": "tool-search_files", "toolCallId": "s", "state": "output-available", "output": output}
    shown = redaction.without([part], {"p": "refused"})
    (source,) = sources.of([{"id": "m", "role": "assistant", "metadata": {}, "parts": shown}])
    assert "Secret" not in str(source)
    assert (source.excerpts, source.note) == ([], say("trust.refused"))


def test_the_text_of_a_message_is_its_text_parts() -> None:
    texts: list[parts.Part] = [{"type": "text", "text": text} for text in ("One.", " ", "Two.")]
    message: parts.Message = {"parts": [texts[0], {"type": "reasoning", "text": "hm"}, *texts[1:]]}
    assert parts.text_of(message) == "One.\n\nTwo."


@given(streams())
@PATIENT
def test_a_stored_message_can_be_told_again_as_chunks(chunks: list[parts.Chunk]) -> None:
    """The chunks that a continued run sends first make the same message. # 002-17"""
    once = parts.fold(chunks)
    assert parts.fold(parts.replay(once)) == once


def test_a_call_that_is_answered_next_is_told_without_having_a_client_make_it_again() -> None:
    part = {"type": "tool-ask", "toolCallId": "c", "state": "input-available", "input": {"a": 1}}
    message = {"id": "m", "parts": [{"type": "step-start"}, part], "metadata": {}}
    chunks = parts.replay(message, waiting=["c"])
    assert "tool-input-available" not in {chunk["type"] for chunk in chunks}
    told = parts.fold([*chunks, {"type": "tool-output-available", "toolCallId": "c", "output": {"b": 2}}])
    assert told["parts"][1] == part | {"state": "output-available", "output": {"b": 2}}


def test_an_approval_is_told_with_its_answer() -> None:
    approval = {"id": "a", "requestReason": "It would send text.", "approved": True}
    part = {"type": "tool-send", "toolCallId": "c", "state": "approval-responded", "input": {}, "approval": approval}
    message = {"id": "m", "parts": [{"type": "step-start"}, part], "metadata": {}}
    assert parts.fold(parts.replay(message)) == {**message, "role": "assistant"}
