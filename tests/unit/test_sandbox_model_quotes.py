"""How the Sandbox model cuts a text into passages, which of them it prefers, and how it quotes them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sandbox import passages, ranking
from sandbox.model import answers, markdown, questions
from sandbox.model.tool_results import File, Hit, Reading
from tests.unit.test_sandbox_model_brain import Chat, Drive, lead

MANUAL = """\
[page 1]
Contents
5.11 Non-Maintainer Uploads (NMUs) . . . . . . . . . . . . . 2
5.12 Salvaging . . . . . . . . . . . . . . . . . . . . . . . 3
[page 2]
Reference, Release 12
A non-maintainer upload may need review, and a non-maintainer upload should be announced before.
5.11 Non-Maintainer Uploads (NMUs)
Every package has maintainers who work on new versions of the package. In some situations other developers
can upload a new version as well. Such uploads are called Non-Maintainer Uploads (NMU).
[page 3]
Chapter 4: Functions 3
asn1 create element
int asn1_create_element (asn1 node const definitions, const char * name, node * element)
element: pointer to the structure that is created.
Creates a structure of type name. Example using "pkix.asn":
asn1 copy element
int asn1_copy_element (asn1 node const definitions, const char * name, node * element)
Copies what asn1_create_element() has made, and calls asn1_create_element() for every child of it.
"""


def best(text: str, question: str, name: str = "Manual.pdf") -> Hit:
    return answers.ranked(questions.read(question), [Reading(File("m", name, "", "pdf"), "all", text)])[0]


def test_the_passage_with_most_words_of_the_question_leads():
    answer = Chat(Drive({"Manual.pdf": MANUAL})).ask("Who announces a non-maintainer upload before?")
    assert "A non-maintainer upload may need review" in lead(answer)
    assert "(page 2)" in lead(answer)
    assert ". . ." not in answer


@pytest.mark.parametrize(("text", "question", "quoted"), [
    ("The pump was mended by Ida.\n\nThe pump failed on 4 May 2026.", "When did the pump fail?",
     "The pump failed on 4 May 2026."),
    ("The pump is checked by two people.\n\nThe pump is checked by Ida Berg.", "Who checks the pump?",
     "The pump is checked by Ida Berg."),
    ("Was ist neu?\n\nEin Kelterer ist jemand, der Obst presst.\n\nApfel.", "Was ist ein Kelterer?",
     "Ein Kelterer ist jemand, der Obst presst."),
])  # fmt: skip
def test_numbers_and_names_decide_between_passages(text: str, question: str, quoted: str):
    assert best(text, question, "Notes.md").passage.text == quoted


def test_a_heading_is_quoted_with_what_stands_under_it():
    text = "# Spec\n\nSome cider.\n\n## Cider press\n\nIt stands in the barn."
    assert "“Cider press — It stands in the barn.”" in lead(
        Chat(Drive({"Notes.md": text})).ask("Where is the cider press?")
    )


def test_a_row_is_found_by_its_key_and_its_column():
    text = (
        "| Variable | Default | What it is |\n| --- | --- | --- |\n| `PORT` | `3000` | port of the pages |\n"
        "| `LEAF_BACKEND_PORT` | free | the routes under `make dev` |\n"
    )
    assert best(text, "What is the default of PORT?", "R.md").passage.cells[0] == "`PORT`"


def test_wrapped_lines_are_joined_and_items_and_short_lines_are_kept():
    text = (
        "A paragraph that was wrapped at the end of the line and\ngoes on here.\n\n- one apple\n- one pear\n\n"
        "Roses are red,\nviolets are blue.\n"
    )
    found = passages.split(text)
    assert [one.text for one in found] == [
        "A paragraph that was wrapped at the end of the line and goes on here.", "one apple", "one pear",
        "Roses are red,", "violets are blue.",
    ]  # fmt: skip


def test_inline_code_stays_and_links_images_and_html_are_neutralised():
    shown = markdown.quoted("Run `make <x>` and [this](https://e.example) ![p](x) <b>now</b>, or `a stray one")
    assert "`make <x>`" in shown
    assert "\\[this\\](https://e.example) !\\[p\\](x) \\<b>now" in shown
    assert "\\`a stray one" in shown


@given(st.text(alphabet=st.sampled_from("`[]<>\\!a (\n"), max_size=40))
def test_no_text_of_a_file_makes_a_link_or_html(text: str):
    html = MarkdownIt().render(f"> {markdown.quoted(text)}x")
    assert not re.search(r"<(?!/?(?:p|code|blockquote)>)", html)


def test_notes_for_models_are_not_told_to_people():
    note = (
        "This file is long: 1,234 of its 5,678 characters are given here. Go on with part “page 7”. The best 2 of 9 "
        "passages with words of “a. b” are given. The other 7 match less well, or did not fit: look for rarer words, "
        "or within a part. Not found: “5.11.2”, “x”. Page 2 has no text layer (scanned or blank): nothing "
        "could be read there."
    )
    drive = Drive({"Manual.pdf": MANUAL})
    read = drive.read_drive_file
    chat = Chat(drive)
    drive.read_drive_file = lambda **given: {**read(**given), "note": note}  # type: ignore[method-assign]
    assert "Note on" not in chat.ask("What is a non-maintainer upload?")
    unsure = Chat(drive).ask("What does a maintainer think of zeppelins and airships in general?")
    assert "no text layer" in unsure
    assert "This file is long" not in unsure


def test_quotes_are_few_and_each_is_shown_once():
    text = "\n\n".join(f"The parking fee of lot {number} is {number} euros." for number in range(1, 20))
    answer = Chat(Drive({"Fees.pdf": text})).ask("What is the parking fee?")
    quotes = re.findall(r"(?m)^> .*$", answer)
    assert len(quotes) <= 4
    assert len(set(quotes)) == len(quotes)


@pytest.mark.parametrize("question", [
    "Which files are in this Drive?", "What is in my Drive?", "list my files", "What files do I have?",
    "Show me all my documents", "Welche Dateien habe ich?", "Was liegt in meinem Drive?", "How many files do I have?",
])  # fmt: skip
def test_what_is_there_at_all_is_answered_by_listing_the_top(question: str):
    chat = Chat(Drive({"Lease.pdf": "x", "Plan.csv": "a,b\n1,2\n"}))
    answer = chat.ask(question)
    assert chat.calls[0] == [("list_drive_folder", {"folder": "root"})]
    assert len(chat.calls) == 2
    language = questions.read(question).language
    assert {"en": "holds 2 files:", "de": "enthält 2 Dateien:"}[language] in answer
    assert answer.endswith(answers.say(language, "closing"))


@pytest.mark.parametrize(("first", "second"), [
    ("signed", "sign"), ("policies", "policy"), ("planned", "planning"), ("states", "state"),
])  # fmt: skip
def test_forms_of_a_word_are_the_same(first: str, second: str):
    assert ranking.likeness(ranking.stem(first), ranking.stem(second)) == 1.0


@pytest.mark.parametrize(("text", "fits"), [
    ("They are tied for six weeks.", True), ("Frist: drei Monate", True), ("90 days' notice", True),
    ("The sixties, weeks later", False), ("They are tied with raffia.", False),
])  # fmt: skip
def test_a_time_may_be_written_in_words(text: str, fits: bool) -> None:
    assert questions.read("How long are the grafts tied?").fits(text) is fits
