"""How the Sandbox model cuts a text into passages, which of them it prefers, and how it quotes them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sandbox.model import answers, markdown, passages, questions, ranking, sources, words
from sandbox.model.conversation import Call, Exchange
from sandbox.model.sources import File, Reading
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


def best(text: str, question: str, name: str = "Manual.pdf") -> ranking.Hit:
    asked = questions.read(question)
    reading = Reading(File("m", name, "", "pdf"), "all", text, complete=True, outline=(), note="")
    return ranking.rank(asked.topics, asked.wanted, [reading])[0]


def test_a_definition_is_led_by_the_passage_that_defines():
    answer = Chat(Drive({"Manual.pdf": MANUAL})).ask("What is a non-maintainer upload?")
    assert "In some situations other developers can upload" in lead(answer)
    assert "Such uploads are called Non-Maintainer Uploads" in lead(answer)
    assert "(page 2)" in lead(answer)
    assert ". . ." not in answer


def test_what_a_function_does_stands_right_after_its_name():
    hit = best(MANUAL, "What does asn1_create_element do?")
    assert (hit.passage.text, hit.label) == ("Creates a structure of type name.", "page 3")


@pytest.mark.parametrize(("text", "question", "said"), [
    ("# Grafting\n\nGrafting is old.\n\nUse wax.\n\nThe grafting knife.", "What is grafting?", "Grafting is old."),
    ("# Terms\n\nWe love cider. Cider means fermented juice.", "What does cider mean?", "Cider means fermented juice."),
    ("# Spec\n\nSome cider.\n\n## Cider\n\nBottles of good fruit wine stand here.", "Define cider",
     "Bottles of good fruit wine stand here."),
    ("The pump failed.\n\nDate: 4 May 2026.\n\nThe pump was mended by Ida.", "When did the pump fail?",
     "Date: 4 May 2026."),
    ("Was ist neu?\n\nEin Kelterer ist jemand, der Obst presst.\n\nKelterer gesucht.", "Was ist ein Kelterer?",
     "Ein Kelterer ist jemand, der Obst presst."),
    ("A lock is held while the row changes. It is in PostgreSQL.\n\nThe lock lies in Redis.", "Where is the lock?",
     "The lock lies in Redis."),
])  # fmt: skip
def test_the_kind_of_question_decides_which_passage_leads(text: str, question: str, said: str):
    if question.startswith("When"):
        text = text.replace("The pump failed.", "# The pump failed")
    assert best(text, question, "Notes.md").passage.text == said


def test_identifiers_names_of_files_and_section_numbers_are_one_word_each():
    text = "Set LEAF_MODEL in README.md, see 5.11.2, INC-2026-03 and asn1_create_element(); not non-maintainer."
    found = [word.text for word in words.split(text)]
    assert {"LEAF_MODEL", "README.md", "INC-2026-03", "asn1_create_element", "non", "maintainer"} <= set(found)
    assert words.likeness("leaf_model", "leaf_models") == 0.0
    assert {"Budget_2026.csv", "Budget"} <= {word.text for word in words.split_name("Budget_2026.csv")}
    assert "March" in {word.text for word in words.split_name("Meeting 2026-03-23")}


def test_a_row_that_is_named_by_its_key_and_a_column_leads():
    text = (
        "| Variable | Default | What it is |\n| --- | --- | --- |\n| `PORT` | `3000` | port of the pages |\n"
        "| `LEAF_BACKEND_PORT` | free | port of the routes under `make dev` |\n"
    )
    assert best(text, "Which port is used by default?", "R.md").passage.cells[0] == "`PORT`"


def test_letterheads_are_quoted_only_where_nothing_else_matches():
    text = "To: the members of the budget group\n\nThe budget of the group is 90 euros.\n"
    assert "90 euros" in lead(Chat(Drive({"Letter.pdf": text})).ask("What is the budget of the group?"))
    only = Chat(Drive({"Letter.pdf": "To: the members of the budget group\n"})).ask("Which budget group?")
    assert "To: the members" in only


def test_wrapped_lines_are_joined_and_items_and_short_lines_are_kept():
    text = (
        "A paragraph that was wrapped at the end of the line and\ngoes on here.\n\n- one apple\n- one pear\n\n"
        "Roses are red,\nviolets are blue.\n"
    )
    found = passages.split(text)
    quote = markdown.blockquote(passages.lines(found, range(len(found))))
    assert "> A paragraph that was wrapped at the end of the line and goes on here.\n>\n" in quote
    assert "> - one apple\n> - one pear\n>\n" in quote
    assert "> Roses are red,  \n> violets are blue." in quote
    assert "\\\n" not in quote


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
        "or within a part. Found nowhere in it: “5.11.2”, “x”. Page 2 has no text layer (scanned or blank): nothing "
        "could be read there."
    )
    drive = Drive({"Manual.pdf": MANUAL})
    read = drive.read_drive_file
    chat = Chat(drive)
    drive.read_drive_file = lambda **given: {**read(**given), "note": note}  # type: ignore[method-assign]
    assert "Note on" not in chat.ask("What is a non-maintainer upload?")
    unsure = Chat(drive).ask("What does the manual say of zeppelins and airships in a non-standard way?")
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
    assert "holds 2 files:" in answer
    assert answer.endswith(answers.CLOSING)


def test_a_gap_ends_what_a_title_covers():
    signature = "asn1 create element\nint asn1_create_element (node const definitions, const char * name, int size)\n"
    found = passages.split(f"[page 3]\n{signature}[page 9]\n[…]\nElse.")
    assert (found[0].text, found[0].kind) == ("asn1 create element", "heading")
    assert (found[-1].heading, found[-1].label) == ("", "page 9")


def test_what_was_found_inside_a_file_knows_the_titles_of_its_outline():
    about = {"file": {"id": "m", "name": "Manual.pdf", "url": "", "kind": "pdf"}, "complete": False, "note": None}
    first = {**about, "part": "page 1", "content": "Begin.", "outline": [{"part": "page 7", "title": "Pears; Plums"}]}
    second = {**about, "part": "passages on page 7", "content": "[page 7]\nPlums\nThey are blue.", "outline": None,
              "find": "plums", "matches": 1}  # fmt: skip
    found = sources.collect(
        Exchange(Call(str(at), "read_drive_file", {}), output, None) for at, output in enumerate((first, second))
    )
    assert [reading.found_inside for reading in found.readings] == [False, True]
    assert [passage.kind for passage in found.readings[1].passages] == ["heading", "sentence"]


@pytest.mark.parametrize(("question", "query"), [
    ("Where are page states kept?", "page states"), ("When does the cold store lease end?", "cold store lease end"),
    ("How many database writes does an answer take?", "database writes"),
    ("What is in this folder?", ""), ("On which page is the cider?", "cider"), ("Where is cider kept?", "cider kept"),
    ("Who keeps the cellar key?", "cellar key"), ("What has to be kept?", "kept"), ("Define cider", "cider"),
])  # fmt: skip
def test_a_search_is_for_the_words_that_a_file_is_sure_to_have(question: str, query: str):
    """A verb may be put in another way; a word such as `page` counts beside another one, where little else is said."""
    assert questions.query_of(questions.topics_of(question)) == query


@pytest.mark.parametrize(("first", "second"), [
    ("kept", "keep"), ("written", "writes"), ("policies", "policy"), ("taken", "takes"), ("states", "state"),
])  # fmt: skip
def test_forms_of_a_word_are_the_same(first: str, second: str):
    assert words.likeness(words.stem(first), words.stem(second)) == 1.0


def test_data_is_not_what_database_means():
    assert words.likeness(words.stem("database"), words.stem("data")) == 0.0
