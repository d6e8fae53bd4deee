"""An answer whose writing breaks off goes on: nothing that was shown is taken back, and no words come twice."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.run.seam import Overlap, Seam
from leaf import parts
from leaf.parts import Chunk

SHOWN = "The rent of the depot is EUR 90"


def new_part(shown: str, *pieces: str) -> str:
    overlap = Overlap(shown)
    return "".join([*map(overlap.put, pieces), overlap.rest()])


@pytest.mark.parametrize(
    ("pieces", "new"),
    [
        ((SHOWN, "0 a month."), "0 a month."),
        (("The rent", " of the depot is EUR 900", " a month."), "0 a month."),
        (("depot is EUR 90", "0 a month."), "0 a month."),
        (("the depot is", " EUR 900 a month."), "0 a month."),
        ((SHOWN,), ""),
        (("EUR 90",), ""),
        ((", to be paid monthly.",), ", to be paid monthly."),
        (("It ends in 2027.",), " It ends in 2027."),
        ((), ""),
    ],
)
def test_words_that_come_again_are_left_out(pieces: tuple[str, ...], new: str) -> None:
    """# 000-24"""
    assert new_part(SHOWN, *pieces) == new


@given(st.data())
@settings(deadline=None)
def test_a_reply_that_repeats_its_last_words_goes_on_behind_them(data: st.DataObject) -> None:
    """# 000-24"""
    whole = " ".join(f"word{number}" for number in range(data.draw(st.integers(2, 200))))
    cut = data.draw(st.integers(8, len(whole)))
    repeated = data.draw(st.one_of(st.just(cut), st.integers(8, min(cut, 400))))
    rest = whole[cut - repeated :]
    size = data.draw(st.integers(1, 50))
    pieces = [rest[place : place + size] for place in range(0, len(rest), size)]
    assert whole[:cut] + new_part(whole[:cut], *pieces) == whole


@pytest.mark.parametrize(
    "whole",
    [
        "one two three four five six. " * 30 + "END",
        "go " * 150 + "stop.",
        "```\n" + "    x = f(x)\n" * 60 + "```",
        "| a | 0 | 0 |\n" * 40 + "\nThat is all.",
        "🙂 これは同じ文です。 " * 40 + "\n終わり。",
    ],
)
def test_a_text_that_repeats_itself_loses_nothing(whole: str) -> None:
    """# 000-24"""
    for cut in range(1, len(whole)):
        shown = whole[:cut]
        begins = [word.start() for word in re.finditer(r"\S+", shown)][-5:]
        rest = whole[begins[0] if begins else cut :]
        pieces = [rest[place : place + 7] for place in range(0, len(rest), 7)]
        assert shown + new_part(shown, *pieces) == whole


def test_a_long_text_is_compared_in_linear_time() -> None:
    """# 000-24"""
    for shown in ("Begin " + "a" * 400_000, "It begins here " + "ab " * 150_000):
        began = time.process_time()
        overlap = Overlap(shown)
        for place in range(0, len(shown), 20):
            assert overlap.put(shown[place : place + 20]) == ""
        assert time.process_time() - began < 1


def reply(suffix: str = "") -> list[Chunk]:
    """A reply of the model with thoughts, text and a call; its ids differ from attempt to attempt."""
    return [
        {"type": "start-step"},
        {"type": "reasoning-start", "id": f"r{suffix}"},
        {"type": "reasoning-delta", "id": f"r{suffix}", "delta": "I should "},
        {"type": "reasoning-delta", "id": f"r{suffix}", "delta": "write it down."},
        {"type": "reasoning-end", "id": f"r{suffix}"},
        {"type": "text-start", "id": f"t{suffix}"},
        {"type": "text-delta", "id": f"t{suffix}", "delta": "I write "},
        {"type": "text-delta", "id": f"t{suffix}", "delta": "it to plan.md."},
        {"type": "text-end", "id": f"t{suffix}"},
        {"type": "source-url", "sourceId": "s", "url": "https://example.org"},
        {"type": "tool-input-start", "toolCallId": "c", "toolName": "write_file"},
        {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '{"path": '},
        {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '"plan.md"}'},
        {"type": "tool-input-available", "toolCallId": "c", "toolName": "write_file", "input": {"path": "plan.md"}},
        {"type": "tool-output-available", "toolCallId": "c", "output": {}},
        {"type": "finish-step"},
        {"type": "start-step"},
        {"type": "text-start", "id": f"u{suffix}"},
        {"type": "text-delta", "id": f"u{suffix}", "delta": "It is written."},
        {"type": "text-end", "id": f"u{suffix}"},
        {"type": "finish-step"},
        {"type": "finish"},
    ]


START: list[Chunk] = [{"type": "start", "messageId": "m"}]


def folded(chunks: list[Chunk]) -> parts.Fold:
    fold = parts.Fold()
    for chunk in chunks:
        fold.apply(chunk)
    return fold


def going_on(shown: list[Chunk], again: list[Chunk]) -> Iterator[Chunk]:
    """The chunks that the next attempt adds to those of an attempt that broke off in its first step."""
    seam, closing = Seam.of(folded(shown))
    yield from closing
    for chunk in again[1:]:
        yield from seam.put(chunk)
    yield from seam.close()


def without_thoughts(found: list[parts.Part]) -> list[dict[str, Any]]:
    return [part for part in found if part["type"] != "reasoning"]


@pytest.mark.parametrize("cut", range(1, 14))
def test_a_reply_goes_on_wherever_it_was_cut_off(cut: int) -> None:
    """# 000-24, 000-30"""
    shown = [*START, *reply()[:cut]]
    sent = [*shown, *going_on(shown, reply("-again"))]
    whole = parts.fold([*START, *reply()])["parts"]
    made = parts.fold(sent)["parts"]
    assert without_thoughts(made) == without_thoughts(whole)
    thoughts = "".join(part["text"] for part in made if part["type"] == "reasoning")
    assert "I should write it down.".startswith(thoughts), "they are not thought twice"


@pytest.mark.parametrize("cut", range(1, 14))
def test_nothing_that_was_shown_is_taken_back(cut: int) -> None:
    """# 000-30"""
    shown = [*START, *reply()[:cut]]
    sent = [*shown, *going_on(shown, reply("-again"))]
    texts_before: list[str] = []
    for place in range(1, len(sent) + 1):
        texts = [part["text"] for part in parts.fold(sent[:place])["parts"] if "text" in part]
        assert all(now.startswith(before) for before, now in zip(texts_before, texts, strict=False))
        assert len(texts) >= len(texts_before)
        texts_before = texts


def test_a_call_that_the_next_reply_does_not_make_ends_in_words() -> None:
    """# 000-24"""
    shown = [*START, *reply()[:12]]
    again: list[Chunk] = [
        {"type": "start-step"},
        {"type": "text-start", "id": "x"},
        {"type": "text-delta", "id": "x", "delta": "to plan.md. I cannot."},
        {"type": "text-end", "id": "x"},
        {"type": "finish-step"},
    ]
    made = parts.fold([*shown, *going_on(shown, again)])["parts"]
    (call,) = [part for part in made if parts.is_tool(part)]
    assert (call["state"], call["errorText"]) == ("output-error", "The answer broke off here.")
    assert [part["text"] for part in made if part["type"] == "text"] == ["I write it to plan.md.", " I cannot."]
