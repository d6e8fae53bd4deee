"""Files with the same passages: the newest is shown, and names the others."""

import time
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from leaf.services.library.search import Found, Passage, grouped

ORDER = "The minimum order of trays is 40,000 pieces a year, delivered in four lots and payable within thirty days."


def file(name: str, year: int, *texts: str, score: float = 1.0) -> Found:
    """A file that was changed in a year, with passages."""
    passages = [Passage("all", name, text, score) for text in texts]
    return Found(name, "1", name, "text", "https://x.example", datetime(year, 1, 1, tzinfo=UTC), 1, "", passages, score)


def shown(files: list[Found]) -> list[tuple[str, int, list[str]]]:
    return [(one.name, len(one.passages), [copy.name for copy in one.copies]) for one in grouped(files)]


def test_older_files_with_the_same_passage_become_copies_of_the_newest() -> None:
    found = [file("2023", 2023, ORDER, score=0.9), file("2025", 2025, ORDER, score=0.5), file("2024", 2024, ORDER)]
    assert shown(found) == [("2025", 1, ["2024", "2023"])]
    assert grouped(found)[0].score == 1.0


def test_another_number_is_another_finding() -> None:
    found = [file("old", 2023, ORDER), file("new", 2025, ORDER.replace("40,000", "55,000"))]
    assert sorted(shown(found)) == [("new", 1, []), ("old", 1, [])]


def test_a_file_keeps_the_passages_that_it_alone_has() -> None:
    found = [file("old", 2023, ORDER, "Pears are cut in winter."), file("new", 2025, ORDER.upper())]
    assert sorted(shown(found)) == [("new", 1, []), ("old", 1, [])]


def test_files_found_by_their_names_alone_are_no_copies() -> None:
    assert sorted(shown([file("one", 2023), file("other", 2025)])) == [("one", 0, []), ("other", 0, [])]


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.lists(st.sampled_from(["pear tree", "apple 7", ""]))), max_size=8)
)
def test_no_passage_and_no_file_is_lost(parts: list[tuple[str, list[str]]]) -> None:
    """Each is shown by its own file, or by the newest one with the same text."""
    found = [file(f"{name}{n}", 2000 + n, *texts) for n, (name, texts) in enumerate(parts)]
    result = grouped(found)
    named = [one.file_id for file in result for one in (file, *file.copies)]
    assert len(named) == len(set(named))
    texts = {passage.text for one in found for passage in one.passages}
    assert {passage.text for one in result for passage in one.passages} == texts


def test_many_long_passages_are_compared_quickly() -> None:
    """The event loop waits for it. The best of three counts: garbage of other tests may be collected meanwhile."""

    def text(n: int, m: int) -> str:
        return " ".join(f"word{n}x{m}y{k % 97}".translate(_LETTERS) for k in range(120))

    files = [file(f"{n}", 2000 + n, *(text(n, m) for m in range(3))) for n in range(40)]
    taken: list[float] = []
    for _ in range(3):
        begun = time.thread_time()
        assert len(grouped(files)) == 40
        taken.append(time.thread_time() - begun)
    assert min(taken) < 0.1


_LETTERS = str.maketrans("0123456789", "abcdefghij")
