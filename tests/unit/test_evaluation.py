"""The questions of the evaluation fit the sample, and answers are judged by what they say."""

import pytest

from tests.eval import cases, generated, judging, report
from tests.eval.asking import Result
from tests.eval.cases import Case

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


def result(name: str, *, right: bool) -> Result:
    return Result(
        name, "single file", right, [], "", [], None, 1.0 if right else 0.0, 3, 1, ["search"], 2, 10, 5, None, 1.0
    )


def test_an_earlier_evaluation_shows_what_has_become_worse() -> None:
    earlier = report.as_json("m", [result("a", right=True), result("b", right=False), result("c", right=True)])
    now = [result("a", right=False), result("b", right=True)]
    assert report.regressions(earlier, now) == ["a"]
    assert "WORSE: `a`" in report.compared(earlier, now)
    assert "better: `b`" in report.compared(earlier, now)
    assert "not asked this time: c" in report.compared(earlier, now)
    assert "| single file | 2 | 1 (50%) | – | 50% | 6 | 2 | 1.0 | 2.0 | 10 | 5 | unknown | 1.0 |" in report.table(now)


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
