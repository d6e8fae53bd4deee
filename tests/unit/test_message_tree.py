"""The messages of a chat as a tree, and the path that the reader of each branch sees."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf.services.chats import Tree


def uid(number: int) -> UUID:
    return UUID(int=number)


def tree(*parents: int | None) -> Tree:
    """A tree of messages 1, 2, 3, … with these parents; None for a first message."""
    return Tree((uid(number), None if parent is None else uid(parent)) for number, parent in enumerate(parents, 1))


def numbers(found: tuple[UUID, ...] | list[UUID]) -> list[int]:
    return [one.int for one in found]


# Question 1, answer 2; question 3 with answers 4 and 7; its other version 5 with answer 6; first question 8, answer 9.
CHAT = tree(None, 1, 2, 3, 2, 5, 3, None, 8)


@pytest.mark.parametrize(
    ("branch", "path"),
    [
        (None, [8, 9]),
        (1, [1, 2, 3, 7]),
        (2, [1, 2, 3, 7]),
        (3, [1, 2, 3, 7]),
        (4, [1, 2, 3, 4]),
        (5, [1, 2, 5, 6]),
        (8, [8, 9]),
        (99, [8, 9]),
    ],
)
def test_a_branch_is_seen_down_to_its_newest_message(branch: int | None, path: list[int]) -> None:
    """# 002-44, 003-36"""
    tip = CHAT.tip(uid(branch) if branch else None)
    assert numbers(CHAT.path(tip)) == path


def test_versions_are_the_messages_with_the_same_parent() -> None:
    """# 002-44"""
    several = CHAT.versions(map(uid, (1, 2, 3, 5, 7, 6)))
    assert {one.int: numbers(versions) for one, versions in several.items()} == {
        1: [1, 8],
        3: [3, 5],
        5: [3, 5],
        7: [4, 7],
    }


def test_choosing_the_newest_version_also_follows_later_ones() -> None:
    assert [CHAT.choice(uid(one)) for one in (8, 9)] == [None, None]
    assert [CHAT.choice(uid(one)) for one in (1, 4)] == [uid(1), uid(4)]


def test_an_empty_chat_has_no_path() -> None:
    empty = tree()
    assert (empty.tip(None), empty.tip(uid(1)), empty.path(None)) == (None, None, [])
    with pytest.raises(KeyError):
        empty.path(uid(1))


@given(st.lists(st.integers(min_value=0), max_size=40))
def test_every_path_begins_at_the_beginning_and_goes_from_parent_to_child(choices: list[int]) -> None:
    parents = [None if choice % (place + 1) == 0 else choice % (place + 1) for place, choice in enumerate(choices)]
    found = tree(*parents)
    for number in range(1, len(parents) + 1):
        path = numbers(found.path(uid(number)))
        assert [parents[one - 1] for one in path] == [None, *path[:-1]]
        tip = found.tip(uid(number))
        assert tip is not None
        assert path == numbers(found.path(tip))[: len(path)], "the chosen message is on the shown path"
        assert uid(number) in found.versions([uid(number)]).get(uid(number), [uid(number)])


@given(st.lists(st.integers(min_value=0), max_size=40), st.integers(min_value=0, max_value=40))
def test_a_tree_with_further_messages_is_the_tree_of_all_and_the_one_before_stays(
    choices: list[int], first: int
) -> None:
    parents = [None if choice % (place + 1) == 0 else choice % (place + 1) for place, choice in enumerate(choices)]
    rows = [(uid(number), None if parent is None else uid(parent)) for number, parent in enumerate(parents, 1)]
    before, whole = Tree(rows[:first]), Tree(rows)
    # Rows of the last minutes come again.
    later = before.extended(rows[first // 2 :])
    known = [one for one, _ in rows]
    assert [later.path(one) for one in known] == [whole.path(one) for one in known]
    assert [later.tip(one) for one in (None, *known)] == [whole.tip(one) for one in (None, *known)]
    assert later.versions(known) == whole.versions(known)
    alone = Tree(rows[:first])
    assert before.versions(known[:first]) == alone.versions(known[:first])
    assert before.tip(None) == alone.tip(None)
