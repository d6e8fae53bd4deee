"""The parts of a question are found where that is certain, and judged by what the program can check."""

from dataclasses import replace

import pytest

from leaf.citations import coverage_of, has_only_failed, subquestions
from leaf.citations.verification import Citation, Source
from sandbox.conversation import Conversation, Message
from sandbox.model import question_parts
from sandbox.model.brain import decide


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is the rent and when does the lease end?", ["What is the rent?", "When does the lease end?"]),
        ("How much did we claim, and within how many days does the policy ask for it?",
         ["How much did we claim?", "Within how many days does the policy ask for it?"]),
        ("What is the rent? And who is the landlord?", ["What is the rent?", "And who is the landlord?"]),
        ("Wie hoch ist die Miete und bis wann läuft der Vertrag?",
         ["Wie hoch ist die Miete?", "Bis wann läuft der Vertrag?"]),
        ("Weißt du, wann er endet und wie hoch die Miete ist?",
         ["Weißt du, wann er endet?", "Wie hoch die Miete ist?"]),
        ("Quel est le loyer et quand le bail finit-il ?", ["Quel est le loyer?", "Quand le bail finit-il ?"]),
        ("¿Cuál es el alquiler y cuándo termina el contrato?",
         ["¿Cuál es el alquiler?", "Cuándo termina el contrato?"]),
        ("Qual è il canone e quando scade il contratto?", ["Qual è il canone?", "Quando scade il contratto?"]),
        ("Please find:\n1. the rent\n2. the notice period\n3. the landlord",
         ["the rent", "the notice period", "the landlord"]),
        ("What is the rent of the U.S. office? When does it end?",
         ["What is the rent of the U.S. office?", "When does it end?"]),
    ],
)  # fmt: skip
def test_parts_are_found_in_five_languages(question: str, parts: list[str]) -> None:
    assert subquestions.found(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "What is the rent?",
        "What are the rent and the notice period?",
        "How many pallets and how many boxes did we order?",
        "Wann und wo findet das Treffen statt?",
        "What did the firm that delivers, who wrote in May, and who is late answer?",
        "Summarise the lease and the amendment",
        "What is this?\n```python\nwhy = 'What?'\nhow = 'How is it?'\n```",
        "See https://a.example/x?y=z and https://a.example/?b. What is it?",
        " ".join(f"What is number {n}?" for n in range(40)),
        "",
    ],
)
def test_other_questions_have_no_parts(question: str) -> None:
    assert subquestions.found(question) == []


ASKED = ["What is the rent?", "When does the lease end?"]
NOTE = '\n\n[^1]: "The rent is 12,000" — [Lease](https://drive.example/1)\n'


def _judged(text: str, *marks: tuple[str, bool], whole: bool = True, only_failed: bool = False) -> list[str]:
    cited = [
        Citation(n, verified, "", Source("drive", "f", "", "Lease", ""), "", "q", [(0, at, at + len(mark))])
        for n, (mark, verified) in enumerate(marks, 1)
        for at in (text.index(mark),)
    ]
    judged = subquestions.judged(ASKED, {0: text}, cited, whole=whole, only_failed=only_failed)
    return [one["state"] for one in judged]


def test_a_part_is_answered_by_a_quote_of_its_own() -> None:
    both = "The rent is 12,000.[^1] The lease ends in June.[^2]"
    assert _judged(both, ("[^1]", True), ("[^2]", True)) == ["answered", "answered"]


def test_numbers_before_paragraphs_say_which_part_they_answer() -> None:
    """The words of the second paragraph are none of the question's."""
    text = "**1.** It is 12,000.[^1]\n\n**2.** On 3 May.[^2]" + NOTE
    assert _judged(text, ("[^1]", True), ("[^2]", True)) == ["answered", "answered"]
    text = "**1.** It is 12,000.[^1]\n\n**2.** That was not found in any file." + NOTE
    assert _judged(text, ("[^1]", True)) == ["answered", "missing"]


def test_nothing_is_missing_where_no_look_has_worked() -> None:
    """A Drive that is not connected says nothing about what is in it."""
    call = {"type": "tool-search_files", "state": "output-error", "input": {}, "errorText": "Drive is not connected."}
    receipt = coverage_of([call])
    assert has_only_failed(receipt)
    found = {**call, "state": "output-available", "output": {"queries": ["rent"], "files": [], "total": 0}}
    assert not has_only_failed(coverage_of([call, found]))
    assert not has_only_failed(coverage_of([found]))
    assert not has_only_failed(None)
    text = "**1.** I cannot look for the rent.\n\n**2.** I cannot look for the end of the lease."
    assert _judged(text) == ["missing", "missing"]
    assert _judged(text, only_failed=True) == ["unknown", "unknown"]


def test_who_asks_when_is_not_answered_by_words_alone() -> None:
    text = "**1.** It is 12,000.[^1]\n\n**2.** The lease ends as agreed.[^2]" + NOTE
    assert _judged(text, ("[^1]", True), ("[^2]", True)) == ["answered", "unknown"]


def test_a_part_of_which_nothing_is_said_is_named() -> None:
    assert _judged("The rent is 12,000.[^1]" + NOTE, ("[^1]", True)) == ["answered", "unanswered"]


@pytest.mark.parametrize(
    ("text", "marks", "whole"),
    [
        ("It costs 12,000.[^1] It runs until May.[^2]", (("[^1]", True), ("[^2]", True)), True),
        ("The rent is 12,000.[^1] It runs until May.[^2]", (("[^1]", True), ("[^2]", False)), True),
        ("The rent is 12,000.[^1]", (("[^1]", True),), False),
        ("The rent is about 12,000, and most leases end in May.", (), True),
    ],
)
def test_nothing_is_claimed_where_the_program_cannot_tell(
    text: str, marks: tuple[tuple[str, bool], ...], whole: bool
) -> None:
    """Words of neither part, a quote that was not verified, an answer that was stopped, an answer without proof."""
    assert "unanswered" not in _judged(text, *marks, whole=whole)


def test_the_stand_in_model_looks_for_each_part() -> None:
    listed = '<question_parts>\n["What is the rent?", "When does the lease end?"]\n</question_parts>'
    tools = {name: {} for name in ("search_files", "read_drive_file", "list_drive_folder")}
    asked = Message("user", "What is the rent and when does the lease end?")
    first = decide(Conversation((Message("system", listed), asked), tools))
    (call,) = first.calls
    assert call.arguments == {"queries": ["rent", "What is the rent?"]}
    nothing = '{"files": [], "passages": [], "queries": [], "partial": false}'
    made = (Message("assistant", calls=(call,)), Message("tool", nothing, call_id=call.id))
    second = decide(Conversation((Message("system", listed), asked, *made), tools))
    assert [one.arguments for one in second.calls] == [{"queries": ["lease end", "When does the lease end?"]}]
    assert question_parts.parts(Conversation((asked,), tools)) == []
    lost = "Google Drive is not connected: see /settings/integrations."
    failed = (Message("assistant", calls=(call,)), Message("tool", lost, call_id=call.id, failed=True))
    answer = decide(Conversation((Message("system", listed), asked, *failed), tools))
    assert not answer.calls
    assert answer.text.count("Drive") == 1, "it is so for both parts, and said once"


def test_a_half_without_words_of_its_own_is_looked_for_with_the_one_before_it() -> None:
    listed = '<question_parts>\n["Which supplier charged the most?", "How much in all?"]\n</question_parts>'
    asked = Message("user", "Which supplier charged the most, and how much in all?")
    conversation = Conversation((Message("system", listed), asked), {"search_files": {}})
    nothing = '{"files": [], "passages": [], "queries": [], "partial": false}'
    wordings: list[str] = []
    while calls := decide(conversation).calls:
        wordings += [one for call in calls for one in call.arguments["queries"]]
        answers = (Message("tool", nothing, call_id=call.id) for call in calls)
        conversation = replace(
            conversation, messages=(*conversation.messages, Message("assistant", calls=calls), *answers)
        )
    assert "Which supplier charged the most? How much in all?" in wordings
    assert "find words to look for" not in decide(conversation).text
