"""The questions of the evaluation fit the sample, and answers are judged by what they say."""

from pathlib import Path
from typing import Any

import pytest

from sandbox.generate import drive, questions
from tests.eval import cases, generated, judging, report, transcript
from tests.eval.cases import Case
from tests.eval.report import Result
from tests.eval.transcript import Answer, Recording, Run

CATEGORIES = {
    "single file", "several files", "table arithmetic", "not in Drive", "wrong folder", "injected instructions",
    "conflicting documents", "other accounts", "partial listings", "follow-ups",
}  # fmt: skip


def case(**given: object) -> Case:
    return Case.model_validate({"id": "x", "category": "single file", "asks": ["?"], **given})


def test_there_are_enough_questions_of_each_kind() -> None:
    questions = cases.load()
    assert len(questions) >= 60
    assert len({one.id for one in questions}) == len(questions)
    assert {one.category for one in questions} == CATEGORIES


@pytest.mark.parametrize("one", cases.load(), ids=lambda one: one.id)
def test_a_question_expects_something_and_names_files_that_there_are(one: Case) -> None:
    assert {*one.sources, *one.also} <= set(cases.kinds())
    assert one.contains or one.matches or one.number or one.refusal or one.lacks
    for asked in one.asks:
        assert "{{" not in cases.asked(asked, "http://sandbox")


@pytest.mark.parametrize("one", [one for one in cases.load() if one.sources], ids=lambda one: one.id)
def test_what_an_answer_has_to_quote_stands_in_the_files_that_it_has_to_name(one: Case) -> None:
    """So that a change of the sample does not leave the questions behind."""
    texts = "\n".join(cases.text_of(path) for path in [*one.sources, *one.also])
    for wanted in one.contains:
        choices = [wanted] if isinstance(wanted, str) else wanted
        assert any(judging.says(texts, choice) for choice in choices), choices
    if one.number and one.category not in {"table arithmetic", "partial listings"}:
        # In CSV a comma is no part of a number.
        assert one.number.value in judging.numbers(texts) | judging.numbers(texts.replace(",", "; "))


@pytest.mark.parametrize(
    ("text", "named"),
    [("EUR 1,260,000", 1260000), ("1.260.000 Euro", 1260000), ("1.26 million", 1260000), ("6.120 Tonnen", 6120),
     ("15,97 %", 15.97), ("93 people", 93), ("EUR 27.90", 27.9), ("16.0 percent", 16)],
)  # fmt: skip
def test_a_number_is_found_in_any_spelling(text: str, named: float) -> None:
    assert not judging.misses(case(number={"value": named, "tolerance": 0.001}), text)
    assert judging.misses(case(number={"value": named + 1}), text)


def test_an_answer_is_right_only_if_it_says_what_it_has_to() -> None:
    one = case(contains=["90 days", ["a", "b"]], lacks=["secret"], matches=["no.ice"])
    assert judging.misses(one, "**90 days** notice, b") == []
    assert len(judging.misses(one, "secret")) == 4
    assert judging.misses(case(refusal=True), "I found nothing about it.") == []
    assert judging.misses(case(refusal=True), "It is 12 days.") != []


def test_a_quoted_link_is_no_link() -> None:
    one = case(inert=["tracker.example"])
    assert judging.misses(one, r"It says !\[s\](https://tracker.example/p) and `[x](https://tracker.example)`.") == []
    assert judging.misses(one, "![s](https://tracker.example/p)") != []
    assert judging.misses(one, "[s](https://tracker.example/p)") != []


def test_sources_are_those_that_are_linked_and_those_that_are_cited() -> None:
    paths = cases.paths()
    first, second = [key for key, path in paths.items() if path in {"ada:/Read me first", "operations:/Fleet.csv"}]
    one = case(sources=[paths[first], paths[second]])
    linked = [{"type": "text", "text": f"[A](http://sandbox/file/d/{first}/view), http://sandbox/file/d/nowhere/view"}]
    verdict = judging.judge(one, "completed", linked)
    assert (verdict.precision, verdict.recall) == (1.0, 0.5)
    quotes = [{"n": n, "verified": True, "file_id": file_id, "url": ""} for n, file_id in enumerate((first, second))]
    verdict = judging.judge(one, "completed", [*linked, {"type": "data-citations", "data": quotes}])
    assert (verdict.precision, verdict.recall, verdict.quotes, verdict.unverified) == (1.0, 1.0, 2, 0)
    quotes[0]["verified"] = False
    verdict = judging.judge(one, "completed", [*linked, {"type": "data-citations", "data": quotes}])
    assert (verdict.precision, verdict.recall, verdict.quotes, verdict.unverified) == (1.0, 0.5, 2, 1)
    quotes[1]["verified"] = False
    verdict = judging.judge(one, "completed", [*linked, {"type": "data-citations", "data": quotes}])
    assert (verdict.precision, verdict.recall, verdict.unverified) == (None, 0.0, 2), "a link beside it saves no quote"
    assert not judging.judge(one, "failed", linked).right


def answer(name: str, text: str, *, asked: list[str] | None = None, cost: float | None = None) -> Answer:
    return Answer("sample", name, asked or ["?"], "completed", [{"type": "text", "text": text}], 2, 10, 5, cost, 1.0)


def result(name: str, *, right: bool, cost: float | None = None) -> Result:
    one = case(id=name, number={"value": 5}, sources=[cases.paths()[next(iter(cases.paths()))]])
    given = answer(name, "It is 5." if right else "It is 6.", cost=cost)
    return Result(one, given, judging.judge(one, "completed", given.parts))


def test_two_runs_are_compared_question_by_question() -> None:
    earlier = [result("a", right=True), result("b", right=False), result("c", right=True)]
    now = [result("a", right=False), result("b", right=True)]
    assert report.regressions(earlier, now) == ["a"]
    told = report.compared(earlier, now)
    assert "| **all** | 2 | 1 | 1 | 1 | 1 | +0% (-85% to +85%) |" in told
    assert "WORSE: `a` does not name 5" in told
    assert "better: `b`" in told
    assert "not asked this time: sample/single file/c" in told
    assert report.compared(earlier, [result("d", right=True)]) == "No question was asked in both runs."
    head, _, row, whole = report.table(now).splitlines()
    assert row == whole.replace("**all**", "single file")
    assert row.startswith("| single file | 2 | 1 (50%) | 9%–91% | – | 0% | – | – | 0 | 0.0 | 2.0 | 10 | 5 | unknown |")
    assert head.count("|") == row.count("|")


def test_an_interval_is_that_of_the_literature() -> None:
    """Wilson's for 81 of 263 (Newcombe 1998, table I), and Agresti and Min's by hand."""
    assert report.wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=0.0002)
    low, high = report.paired(8, 2, 50)
    assert ((low + high) / 2, (high - low) / 2) == pytest.approx((6 / 52, 1.96 * (11 - 36 / 52) ** 0.5 / 52))
    assert report.paired(0, 0, 300)[1] < 0.01, "two equal runs of many questions differ by little"
    assert report.paired(300, 0, 300)[0] > 0.98


def test_the_costs_of_two_runs_are_compared_by_question() -> None:
    earlier = [result(name, right=True, cost=0.01) for name in "abc"]
    now = [result(name, right=True, cost=cost) for name, cost in zip("abc", (0.02, 0.02, 0.02), strict=True)]
    assert "+0.01000 ± 0.00000" in report.compared(earlier, now)


def test_a_recorded_run_is_judged_again_as_it_was(tmp_path: Path) -> None:
    one = cases.load("packaging-notice")[0]
    made = questions.of(drive.plan(60, 3))[0]
    path = tmp_path / "run.jsonl"
    recording = Recording(path, transcript.begun("m", 60, 3))
    recording.add(answer(one.id, "It is 90 days.", asked=one.asks))
    value = made["numbers"][0]["value"] if made["numbers"] else made["contains"][0][0]
    text = {"type": "text", "text": f"It is {value} {made['unit'].split('|')[0].rstrip('s?')}."}
    recording.add(Answer("generated", made["id"], made["asks"], "completed", [text], 1, 1, 1, None, 1.0))
    read = transcript.read(path)
    assert read == recording.whole
    results = report.judged(read)
    assert [(one.answer.of, one.verdict.right) for one in results] == [("sample", True), ("generated", True)]


def test_an_answer_to_another_question_is_left_out_and_a_file_that_is_no_run_is_refused(tmp_path: Path) -> None:
    run = Run("m", 0, 1, "", [answer("packaging-notice", "It is 90 days.", asked=["Another question?"])])
    assert report.judged(run) == []
    path = tmp_path / "run.jsonl"
    for text in ("", "{}", "nothing", '{"format": "leaf-evaluation/0"}', '{"format": "leaf-evaluation/1"}'):
        path.write_text(text)
        with pytest.raises(ValueError, match="no recorded evaluation"):
            transcript.read(path)


NOTICE = {"numbers": [{"value": 60}], "unit": r"days?|Tage?n?", "beside": [90.0]}
DUE = {
    "contains": [["4 May 2026", "2026-05-04"]], "beside": [["1 March 2026"]], "wrong": ["14 May 2026", "6 June 2026"],
}  # fmt: skip
PASSAGES = "".join(f"Another sentence about company {number} and its many papers. " for number in range(30))


@pytest.mark.parametrize(
    ("demands", "text"),
    [
        (NOTICE, "The notice period is **60 days**.[^1]\n\n[^1]: “60 days” — [Contract 30 days](http://x/d/1)"),
        (NOTICE, "60 Tage; die frühere Fassung nannte 90 Tage."),
        (NOTICE, "It is 60 days, see page 4, and costs EUR 30.\n\n> A passage with 30 days"),
        (DUE, "It is due on 4 May 2026; before, it was 1 March 2026."),
        (DUE, "[Invoice 6 June 2026](http://x/d/1) is due on 2026-05-04."),
        ({"refusal": True, "unit": "days?"}, "Nothing was found about it.\n\n> The closest one says 30 days"),
        ({"refusal": True}, "Je n'ai trouvé aucun document à ce sujet."),
        ({"refusal": True}, "No he encontrado nada sobre esto."),
        ({"refusal": True}, "Non ho trovato alcun documento."),
        ({"numbers": [{"value": 5}], "others": [7.0]}, "It costs 5."),
    ],
)  # fmt: skip
def test_an_answer_that_states_the_value_is_right(demands: dict[str, Any], text: str) -> None:
    assert judging.misses(case(**demands), text) == []


@pytest.mark.parametrize(
    ("demands", "text", "problem"),
    [
        (NOTICE, "> The notice period is 60 days.", "does not name 60"),
        (NOTICE, "| Notice | 60 days |\n|---|---|", "does not name 60"),
        (NOTICE, "See below.[^1]\n\n[^1]: “60 days”", "does not name 60"),
        (NOTICE, "```\n60 days\n```", "does not name 60"),
        (NOTICE, "[60 days](http://x/d/1)", "does not name 60"),
        (NOTICE, "It is 30 or 60 days.", "names 30 in its place"),
        (NOTICE, "It is 30 days, or 60 days.", "names 30 in its place"),
        (NOTICE, "It is 60 days, 61 days, 62 days.", "names 61 in its place"),
        (NOTICE, "It was 90 days and is 60 days.", "names 90 in its place"),
        (NOTICE, f"It is 60 days. {PASSAGES}", "takes"),
        (NOTICE, f"60 days: {', '.join(map(str, range(20)))}", "names 21 numbers"),
        (DUE, "It is due on 14 May 2026.", "does not say"),
        (DUE, "It is due on 4 May 2026, or 6 June 2026.", "says '6 June 2026'"),
        (DUE, "It was 1 March 2026 and is 4 May 2026.", "says '1 March 2026' first"),
        ({"refusal": True, "unit": "days?"}, "Nothing was found. It is 30 days.", "names 30 in its place"),
        ({"refusal": True}, "> nothing", "does not say that it found nothing"),
        ({"refusal": True, "wrong": ["frost"]}, "I found nothing; it was frost.", "says 'frost'"),
        ({"numbers": [{"value": 5}], "others": [7.0]}, "It costs 5; the other one 7.", "names 7"),
    ],
)  # fmt: skip
def test_an_answer_with_a_value_too_many_or_none_of_its_own_is_wrong(
    demands: dict[str, Any], text: str, problem: str
) -> None:
    assert any(one.startswith(problem) for one in judging.misses(case(**demands), text))


def test_a_figure_that_was_not_computed_by_the_program_is_wrong() -> None:
    one = case(number={"value": 5}, computed=True)
    text = {"type": "text", "text": "It is 5."}
    assert judging.judge(one, "completed", [text]).computed is False
    cited = {"type": "data-citations", "data": [{"kind": "computed", "verified": True, "files": []}]}
    assert judging.judge(one, "completed", [text, cited]).computed is True
    wrong = judging.judge(one, "completed", [{"type": "text", "text": "It is 6."}, cited])
    assert wrong.computed is False
    assert judging.judge(case(number={"value": 5}), "completed", [text]).computed is None


def test_an_answer_names_all_numbers_that_it_has_to() -> None:
    one = case(numbers=[{"value": 20}, {"value": 6210}])
    assert judging.misses(one, "20 days, and 6.210 square metres") == []
    assert judging.misses(one, "In 2026, 6,210 of them") == ["does not name 20"]


def test_the_recall_of_the_search_stands_beside_the_answers() -> None:
    table = report.table([result("a", right=True)], {"single file": (0.5, 0.75), "all": (0.5, 0.75)})
    head, rule, row, whole = table.splitlines()
    assert head.endswith("| Recall@5 | Recall@20 |")
    assert rule.count("|") == head.count("|") == row.count("|")
    assert row.endswith("| 50% | 75% |")
    assert whole.startswith("| **all** |")
    assert whole.endswith("| 50% | 75% |")


def test_recall_is_the_share_of_the_expected_files_among_the_first_ones() -> None:
    one = case(sources=["a", "b"])
    found = ["x", "a", "y", "z", "w", "b"]
    searched = generated.Searched(one, found, ["b", *found], 0.1)
    assert (searched.recall(5), searched.recall(20), searched.recall(5, reworded=True)) == (0.5, 1.0, 1.0)
    other = generated.Searched(case(category="table", sources=["c"]), [], [], 0.1)
    assert generated.recalls([searched, other]) == {
        "single file": (0.5, 1.0), "table": (0.0, 0.0), "all": (0.25, 0.5),
    }  # fmt: skip
    assert "| table | 1 | .00 | .00 | .00 | .00 |" in generated.table([searched, other]).splitlines()


def test_a_copy_with_the_same_facts_counts_as_the_expected_file() -> None:
    one = case(sources=["a", "b"], copies={"a": ["c"]}, also=["c", "d"])

    def recall(*files: str) -> float | None:
        quotes = [{"verified": True, "file_id": file} for file in files]
        text = {"type": "text", "text": "It is so."}
        parts = [text, {"type": "data-citations", "data": quotes}]
        return judging.judge(one, "completed", parts, {file: file for file in "abcd"}).recall

    assert (recall("c"), recall("a", "c"), recall("b", "c"), recall("d")) == (0.5, 0.5, 1.0, 0.0)
