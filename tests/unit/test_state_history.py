"""Which rows of a chat a page is sent."""

from hypothesis import given
from hypothesis import strategies as st

from leaf.views.rows import Row, Shown, shown_after, shown_anew


def rows(*names: int) -> list[Row]:
    return [Row(id=str(name), role="user", status="completed") for name in names]


def drawn(page: Shown) -> list[str]:
    """The messages as the page has them, from above to below."""
    shown = [*page.earlier[: page.earlier_kept], *page.history[: page.kept], *page.later]
    return [row.id for row in shown]


def test_of_a_long_chat_the_end_comes_first_and_is_not_sent_again() -> None:
    first = shown_anew(rows(3, 4), above=3)
    assert (drawn(first), first.awaited) == (["3", "4"], 3)
    whole = shown_after(first, rows(0, 1, 2, 3, 4))
    assert (drawn(whole), whole.awaited) == (["0", "1", "2", "3", "4"], 0)
    assert whole.history is first.history
    again = shown_after(whole, rows(0, 1, 2, 3, 4, 5, 6))
    assert (again.earlier, again.history) == (whole.earlier, whole.history)
    assert [row.id for row in again.later] == ["5", "6"]


@given(st.lists(st.integers(0, 3), max_size=8), st.integers(0, 8), st.lists(st.lists(st.integers(0, 3), max_size=8)))
def test_a_page_shows_what_there_is_whatever_branch_is_gone_to(
    first: list[int], cut: int, then: list[list[int]]
) -> None:
    """The history before it is only not sent again."""
    page = shown_anew(rows(*first[cut:]), above=min(cut, len(first)))
    for path in then:
        page = shown_after(page, rows(*path))
        assert drawn(page) == [str(name) for name in path]
        assert page.awaited == 0
