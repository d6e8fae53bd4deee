"""When the sandbox's model uses the display tools, and that what it shows fits them."""

from dataclasses import dataclass
from typing import Any

import pytest

from leaf.agent.tools import strict
from leaf.agent.tools.display.shapes import Citations, OptionList, Plan, Shown
from leaf.agent.tools.display.table import Table
from sandbox.model.conversation import Call
from tests.unit.test_sandbox_model_brain import BUDGET, HANDBOOK, LEASE, TOOLS, Chat, Drive

MOVING = """\
# Moving out

1. Give notice three months before.
2. Paint the walls.
3. Hand over the keys.

The deposit comes back after six weeks.
"""
FILES = {"Handbook.pdf": HANDBOOK, "Lease.pdf": LEASE, "Budget.csv": BUDGET, "Moving out.md": MOVING}
SHAPES: dict[str, type[Shown]] = {
    "displayTable": Table, "displayPlan": Plan, "displayOptionList": OptionList, "displayCitations": Citations
}  # fmt: skip


@dataclass
class Office(Drive):
    """A Drive beside which the display tools are offered."""

    def answer(self, call: Call) -> str:
        if call.name not in SHAPES:
            return super().answer(call)
        return str(strict.fitting(SHAPES[call.name], call.arguments).output()).replace("'", '"')


def _shown(question: str, *offered: str, files: dict[str, str] = FILES) -> tuple[list[tuple[str, Any]], str]:
    """The display calls of an answer, and its text."""
    chat = Chat(Office(files), {**TOOLS, **{name: {} for name in offered or SHAPES}})
    text = chat.ask(question)
    return [call for step in chat.calls for call in step if call[0] in SHAPES], text


def test_a_table_that_is_asked_for_is_shown():
    """# 002-20"""
    [(name, given)], text = _shown("Show me a table of the budget by department")
    assert name == "displayTable"
    assert [column["label"] for column in given["columns"]] == ["Department", "2025", "2026"]
    assert given["rows"][0] == {"c0": "Marketing", "c1": "41000", "c2": "48000"}
    assert "Budget.csv" in text


def test_a_plan_is_the_list_that_a_file_has():
    """# 002-19"""
    [(name, given)], _ = _shown("Make me a plan for moving out")
    assert name == "displayPlan"
    assert [step["label"] for step in given["steps"]] == [
        "Give notice three months before.", "Paint the walls.", "Hand over the keys."
    ]  # fmt: skip


def test_options_are_the_files_that_were_found_and_ask_for_one_of_them():
    """# 002-23"""
    [(name, given)], _ = _shown("Give me options for https://drive.google.com/drive/folders/office")
    assert name == "displayOptionList"
    assert given["options"][1]["label"] == "What does “Lease.pdf” say?"


def test_sources_are_the_files_that_were_read():
    """# 002-21"""
    [(name, given)], _ = _shown("List the sources on the monthly rent of the lease")
    assert name == "displayCitations"
    assert given["items"][0]["url"] == "https://drive.google.com/file/d/Lease/view"
    assert "EUR 4,200" in given["items"][0]["snippet"]


@pytest.mark.parametrize(
    "question",
    ["What is the marketing budget for 2026?", "Which tables are in the budget?", "What does the cash plan say?"],
)
def test_a_question_that_asks_for_none_gets_none(question: str):
    assert _shown(question)[0] == []


def test_a_tool_that_is_not_offered_is_not_called():
    assert _shown("Show me a table of the budget", "displayPlan")[0] == []


def test_what_cannot_be_shown_is_answered_in_words():
    shown, text = _shown("Show me a table of the monthly rent of the lease", files={"Lease.pdf": LEASE})
    assert shown == []
    assert "EUR 4,200" in text
