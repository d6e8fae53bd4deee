"""Files and pages that a question names beside its words."""

from typing import Any

import pytest

from leaf.parts import question_files
from leaf.parts.question_files import Mention
from leaf.views import chips
from leaf.views.chips import Chip

PLAN = Mention("a" * 20, "Plan")
OTHER_PLAN = Mention("b" * 20, "Plan")
PLAN_B = Mention("c" * 20, "Plan B")


def test_a_mention_counts_as_long_as_its_name_stands_in_the_words() -> None:
    """# 002-45"""
    assert question_files.mentioned_in("Compare @Plan B with last year", [PLAN_B, PLAN]) == [PLAN_B]
    assert question_files.mentioned_in("Compare @Plan with @Plan B", [PLAN, PLAN_B]) == [PLAN, PLAN_B]
    assert question_files.mentioned_in("Compare Plan with Plan B", [PLAN, PLAN_B]) == []


def test_two_files_of_one_name_are_two_mentions() -> None:
    assert question_files.mentioned_in("@Plan or @Plan?", [PLAN, OTHER_PLAN]) == [PLAN, OTHER_PLAN]
    assert question_files.mentioned_in("@Plan?", [PLAN, OTHER_PLAN]) == [PLAN]
    assert question_files.mentioned_in("@Plan and @Plan", [PLAN, PLAN]) == [PLAN]


@pytest.mark.parametrize(
    "given",
    [
        None,
        "x",
        {},
        {"id": "short", "name": "Plan"},
        {"id": "a" * 20, "name": " "},
        {"id": "a" * 20, "name": "x" * 301},
        {"id": "a/../" * 5, "name": "Plan"},
        {"id": "a" * 20 + "\n", "name": "Plan"},
        {"id": ["a" * 20], "name": "Plan"},
    ],
)
def test_what_is_no_mention_is_none(given: Any) -> None:
    assert question_files.mention_of(given) is None


def test_a_mention_survives_being_a_part() -> None:
    for one in (PLAN, Mention("d" * 12, "Budget 2026", "spreadsheet", "key-1")):
        assert question_files.mentions_of([{"type": "text", "text": "@Plan"}, one.as_part()]) == [one]
    odd = question_files.mention_of({"id": "a" * 20, "name": "A\n name", "kind": "<b>", "resourceKey": "x y"})
    assert odd == Mention("a" * 20, "A name")


def test_new_words_keep_what_they_still_name_and_every_file_that_came_along() -> None:
    """# 002-44, 002-45"""
    before = [
        {"type": "text", "text": "@Plan, @Plan B"},
        PLAN.as_part(),
        PLAN_B.as_part(),
        question_files.attachment("a.md"),
    ]
    assert question_files.kept(before, "only @Plan B") == [PLAN_B.as_part(), question_files.attachment("a.md")]


def test_a_question_is_split_at_the_files_that_it_mentions() -> None:
    """The longest name is taken where one begins another. # 002-45"""
    budget, letter = Chip("Budget", "https://b.example"), Chip("Budget letter", "https://l.example")
    pieces = chips.pieces("Is @Budget letter like @Budget?", [budget, letter])
    assert [one.label for one in pieces] == ["Is ", "@Budget letter", " like ", "@Budget", "?"]
    assert [one.address for one in pieces] == ["", letter.address, "", budget.address, ""]
    assert chips.pieces("Neither is named.", [budget, letter]) == []
