"""Text is sent in whole words, and nothing of it is lost."""

from hypothesis import given
from hypothesis import strategies as st

from jobs.run.write import HELD_CHARACTERS, Smoother
from leaf.parts import Chunk

BURST = "A burst of text that is longer than sixty characters and ends in the middle of a wo"


def delta(text: str, name: str = "1") -> Chunk:
    return {"type": "text-delta", "id": name, "delta": text}


def sent(*chunks: Chunk) -> list[list[Chunk]]:
    smoother = Smoother()
    return [*([*smoother.put(chunk)] for chunk in chunks), [*smoother.rest()]]


def test_a_burst_ends_between_words() -> None:
    """# 002-25"""
    first, second, rest = sent(delta(BURST), delta("rd, and goes on."))
    assert first == [delta(BURST.removesuffix("wo"))]
    assert second == [delta("word, and goes ")]
    assert rest == [delta("on.")]


def test_single_tokens_become_words() -> None:
    """At every speed; marks belong to their word. # 002-25"""
    tokens = ["Hel", "lo wor", "ld", ", don", "'", "t **sto", "p** [he", "re](x) ", "now"]
    shown = [[one["delta"] for one in group] for group in sent(*map(delta, tokens))]
    assert shown == [[], ["Hello "], [], ["world, "], [], ["don't "], ["**stop** "], ["[here](x) "], [], ["now"]]


def test_an_endless_word_is_not_waited_for() -> None:
    assert sent(*[delta("x")] * (HELD_CHARACTERS + 2))[-3:] == [[delta("x" * (HELD_CHARACTERS + 1))], [], [delta("x")]]


def test_a_burst_keeps_its_last_line_break() -> None:
    whole = "A burst of text that is longer than sixty characters and ends in a line\n"
    assert sent(delta(whole)) == [[delta(whole)], []]


def test_what_is_held_goes_before_anything_else() -> None:
    end = {"type": "text-end", "id": "1"}
    assert sent(delta(BURST), end)[1] == [delta("wo"), end]
    assert sent(delta(BURST), delta("x ", "2"))[1] == [delta("wo"), delta("x ", "2")]
    assert sent(delta(BURST))[-1] == [delta("wo")]
    for word in ("字字", "คำ", "かな", "ab字"):
        assert sent(delta(word)) == [[delta(word)], []], "a script without blanks is not waited for"


TEXTS = st.text(alphabet="ab é字.\n", max_size=8) | st.builds(
    lambda begin, end: begin * HELD_CHARACTERS + end, st.sampled_from("a ."), st.text(alphabet="ab 字.\n", max_size=8)
)
"""Short pieces, and bursts with any end."""


@given(st.lists(st.tuples(st.sampled_from("12"), TEXTS)))
def test_no_character_is_lost_or_moved(pieces: list[tuple[str, str]]) -> None:
    out = [chunk for group in sent(*(delta(text, name) for name, text in pieces)) for chunk in group]
    flat = [(chunk["id"], character) for chunk in out for character in chunk["delta"]]
    assert flat == [(name, character) for name, text in pieces for character in text]
