"""Quotations without a footnote: which are taken for somebody's words, and which are left alone."""

import pytest

from leaf import citations
from leaf.citations import Call, Library, Text
from leaf.citations.markers import numbered
from leaf.citations.verification import EXCERPT

PLAN, NOTE = (
    "https://docs.google.com/document/d/1aaaaaaaaaaaaaaaa/edit",
    "https://docs.google.com/document/d/1bbbbbbbbbbbbbbbb/edit",
)
WEB = "https://news.example/hail"
WORDS = "the board may dismiss the director at any time"


def _found(text: str) -> list[tuple[str, str]]:
    return [(one.quote, one.target) for one, _ in citations.references(text).unmarked]


@pytest.mark.parametrize(
    "text",
    [
        f"[Plan]({PLAN}) shows that the board “{WORDS}”.",
        f"[Plan]({PLAN}) (“{WORDS}”) is clear.",
        f"There it is (“{WORDS}”, in the [Plan]({PLAN})).",
        f"The rule is “{WORDS}”, which the [Plan]({PLAN}) has on page 3.",
        f"In [Plan]({PLAN}), ‘{WORDS}’ is the wording.",
        f"In [Plan]({PLAN}), '{WORDS}' is the wording.",
        f"Laut [Plan]({PLAN}) gilt „{WORDS}“.",
        f"Selon [Plan]({PLAN}), « {WORDS} » est la règle.",
        f"| Rule | Source |\n|---|---|\n| “{WORDS}” | [Plan]({PLAN}) |\n| nothing | [Note]({NOTE}) |",
        f"Rule | Source\n---|---\n[Plan]({PLAN}) | “{WORDS}”",
        f"> {WORDS}\n\nThis is from [Plan]({PLAN}).",
        f"> {WORDS}\n\nThe passage stands in [Plan]({PLAN}), page 3. It is old.",
        f"As [Plan]({PLAN}) puts it\n\n> {WORDS}\n\nThat is all.",
        f"- a\n- [Plan]({PLAN}) has “{WORDS}”\n- [Note]({NOTE}) has nothing",
        f"What [Plan]({PLAN}) says on this:\n\n- “{WORDS}”\n- nothing else",
        f"One: [Note]({NOTE}) is short. Two: [Plan]({PLAN}) holds that “{WORDS}”. Three.",
        f"The source is {PLAN} and it says that “{WORDS}”.",
        f"It holds that “{WORDS}” ({PLAN}).",
    ],
)
def test_words_in_quotation_marks_near_one_link_are_taken_for_its_words(text: str) -> None:
    """Whatever the wording between them. # 000-37"""
    assert _found(text) == [(WORDS, PLAN)]


@pytest.mark.parametrize(
    "text",
    [
        f"It was told that “{WORDS}” [1]({WEB}).",
        f"It was told that “{WORDS}”.[1]({WEB}) And [2]({NOTE}).",
        f"It was told: “{WORDS}.” [1]({WEB})[2]({NOTE})",
        f"Nothing here. [2]({NOTE}) A paper reports “{WORDS}” of its own [1]({WEB}). More. [2]({NOTE})",
        f"A paper reports “{WORDS}” of its own. [[1]]({WEB}) More. [2]({NOTE})",
    ],
)
def test_the_mark_of_a_page_says_where_the_words_of_its_sentence_are_from(text: str) -> None:
    """# 002-14"""
    assert [(quote.rstrip("."), target) for quote, target in _found(text)] == [(WORDS, WEB)]


@pytest.mark.parametrize(
    "text",
    [
        f"[Plan]({PLAN}) is a “work in progress” for them.",
        f"[Plan]({PLAN}) is what they call a “living document”.",
        f"[Plan]({PLAN}) replaces “The Rules of the Board” of 2019.",
        f"[Plan]({PLAN}) is the file called “the rules of the board, new”.",
        f"I searched for “rules of the board in 2026” and found [Plan]({PLAN}).",
        f"I looked in [Plan]({PLAN}) for “what the board may do”.",
        f"Ich habe nach „Regeln des Vorstands von 2026“ gesucht: [Plan]({PLAN}).",
        f"“{WORDS}” is in one of [Plan]({PLAN}) and [Note]({NOTE}).",
        f"“{WORDS}” may be said.\n\n[Plan]({PLAN}) is old.",
        f"| “{WORDS}” |\n|---|\n| [Plan]({PLAN}) |",
        f"A draft:\n\n> Dear Ms Hale, thank you for all of it.\n\nI can change it. [Plan]({PLAN}) has the dates.",
        f"> **Note:** only a part was read of it.\n\nThe rest of [Plan]({PLAN}) is long.",
        f"Connect Drive in [Settings](/settings/integrations), as “{WORDS}”.",
        f"It is the boards' plan, not the members' one: [Plan]({PLAN}), '90s style.",
        f"`“{WORDS}”` and [Plan]({PLAN})",
    ],
)
def test_other_words_in_quotation_marks_are_left_alone(text: str) -> None:
    """Names, words that are not meant so, what was looked for, drafts, and what may be from several files."""
    assert _found(text) == []


def test_words_with_a_footnote_are_not_taken_twice() -> None:
    text = (
        f"[Plan]({PLAN}) has that “{WORDS}”.[^1] It also has “{WORDS} of the year”.\n\n[^1]: “{WORDS}” — [Plan]({PLAN})"
    )
    assert _found(text) == []


def _read(file_id: str, name: str, content: str) -> Call:
    return Call(
        "read_drive_file", {"file": {"id": file_id, "name": name, "revision": "1"}, "part": "all", "content": content}
    )


def _checked(answer: str, *calls: Call) -> list[tuple[bool, str, str]]:
    library = Library.of(calls)
    texts = {key: [Text(one) for one in material.texts] for key, material in library.read.items()}
    texts |= {(EXCERPT, one.id): [Text(text) for text in one.texts] for one in library.excerpts.values()}
    found = citations.check(numbered({0: citations.references(answer)}), library, texts)
    return [(one.verified, one.reason, one.source.name) for one in found]


READ = (
    _read("1aaaaaaaaaaaaaaaa", "Plan", f"It holds that {WORDS}."),
    _read("1bbbbbbbbbbbbbbbb", "The note of the board", "A."),
)


def test_an_invented_quote_is_unverified_in_any_wording() -> None:
    """# 000-37"""
    assert _checked(f"[Plan]({PLAN}) shows that “{WORDS}”.", *READ) == [(True, "", "Plan")]
    invented = f"[Plan]({PLAN}) shows that “the board may never dismiss the director”."
    assert _checked(invented, *READ) == [(False, "not_found", "Plan")]
    assert _checked(invented) == [(False, "not_read", "Plan")]


def test_words_whose_source_is_only_assumed_may_be_from_another_file_that_was_read() -> None:
    """No false alarm, and the right source; words right beside a link are from there. # 000-37"""
    assert _checked(f"It says that “{WORDS}”, unlike [the note]({NOTE}).", *READ) == [(True, "", "Plan")]
    assert _checked(f"“{WORDS}” ([the note]({NOTE}))", *READ) == [(False, "not_found", "The note of the board")]


def test_the_name_of_a_file_is_no_quote() -> None:
    assert _checked(f"I read “the note of the board” and [Plan]({PLAN}).", *READ) == []


def test_words_beside_the_mark_of_a_page_are_matched_with_its_text() -> None:
    """# 002-14"""
    page = Call("fetch", {"url": WEB, "title": "Hail", "content": f"Some say {WORDS}."}, {"url": WEB})
    results = [{"url": WEB, "title": "Hail", "snippet": "the board may not dismiss anybody at all"}]
    answer = f"It says “{WORDS}” [1]({WEB}). It says “the board may not dismiss anybody” [1]({WEB})."
    assert _checked(answer, page, Call("search", {"results": results})) == [
        (True, "", "Hail"),
        (False, "snippet", "Hail"),
    ]


def test_words_of_leaf_about_a_file_that_it_could_not_read_are_no_quote() -> None:
    """An answer repeats them; the same words of anything else are checked."""
    reason = f"The box “{WORDS}” has to be ticked."
    answer = f"I could not read [Plan]({PLAN}): the box “{WORDS}” has to be ticked."
    found = numbered({0: citations.references(answer)})
    refused = Library.of([Call("read_drive_file", {"skipped": {"id": "1aaaaaaaaaaaaaaaa", "reason": reason}})])
    assert citations.check(found, refused, {}) == []
    (checked,) = citations.check(found, Library(), {})
    assert not checked.verified
