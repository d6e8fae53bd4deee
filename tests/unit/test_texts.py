"""The catalogue of texts: whole in every language, used in full, and the only place where sentences stand."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextvars import copy_context
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest
from pydantic_ai import ModelRetry
from pydantic_ai.messages import FunctionToolResultEvent, ToolReturnPart
from pydantic_ai.ui.vercel_ai.request_types import SubmitMessage

from jobs import reaper
from leaf import documents, errors, parts, texts
from leaf.agent import translate
from leaf.agent.tools import access
from leaf.citations.coverage import _GAPS, coverage_of
from leaf.components import texts as page_texts
from leaf.documents.pieces import span_of
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.google.refusals import Named, Subject, explain
from leaf.google.transport import HttpFailure
from leaf.sites import ConversationMessage, events_of
from leaf.state import notices
from leaf.texts import dates
from leaf.texts.catalogue import isolated
from leaf.texts.notes import MOST_CHARACTERS, note_text
from leaf.texts.places import place_text
from leaf.views import steps

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "assets" / "client"
NODE = Path(sys.executable).parent / "node"
WIDGET = ROOT / "leaf" / "sites" / "widget" / "source"
DRAWN = [*sorted((ROOT / "leaf" / "components").glob("*.py")), *sorted((ROOT / "leaf" / "pages").glob("*.py"))]

NOT_YET = {
    "components": set[str](),
    "pages": set[str](),
    "client": set[str](),
}  # fmt: skip
"""Files that hold sentences still. Each one leaves this list with the last of them."""

NOT_TEXTS = {
    "class_name",
    "id",
    "html_for",
    "style",
    "d",
    "custom_attrs",
    "name",
    "key",
    "rel",
    "type",
    "content",
    "tag",
}
"""Arguments that nobody reads."""
NAMES = {
    "Leaf", "Google Drive", "Escape", "Home", "End", "Tab", "Enter", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight",
    "Files", "Overlay", "Arial, Helvetica, sans-serif", "PageUp", "PageDown", "Page", "Alt", "Shift", "Ctrl", "Redis",
    "Backspace", "Delete", "noopener noreferrer nofollow",
}  # fmt: skip
"""Names that are the same in every language, and those that browsers have for keys and the like."""
SENTENCE = re.compile(r"^[“„]?[A-Z][a-z]+([ ,.…!?:’'-]|$)|[a-z]{2,} [a-z]{2,} [a-z]{2,}|^ ?[a-z]{3,}( [a-z]+)*[.…!?]$")
"""Attributes and calls whose strings are read by people."""


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def texts_of(path: Path) -> Iterator[str]:
    """The strings of a Python module that are given as what an element shows or is called."""
    tree = tree_of(path)
    docstrings = {
        node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    quiet = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg in NOT_TEXTS
        for inner in ast.walk(node.value)
    }
    quiet |= {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and {ast.unparse(one) for one in node.targets} <= NOT_TEXTS
    }
    raised = {inner for node in ast.walk(tree) if isinstance(node, ast.Raise) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings | quiet | raised:
            yield node.value


def strings_of(script: str) -> Iterator[str]:
    """The strings of a JavaScript file, without those of its imports, its comments and of class names."""
    code = re.sub(
        r"/\*.*?\*/|^\s*//[^\n]*|^import [^;]*;|className: [^,\n]*", "", script, flags=re.DOTALL | re.MULTILINE
    )
    for match in re.finditer(r'"([^"\n]*)"|`([^`\n]*)`', code):
        yield match[1] or re.sub(r"\$\{[^}]*\}", "x", match[2] or "")


def sentences_of(path: Path) -> list[str]:
    found = texts_of(path) if path.suffix == ".py" else strings_of(path.read_text())
    return [text for text in found if SENTENCE.search(text) and text.strip() not in NAMES]


@pytest.mark.parametrize(
    "path", [*DRAWN, *sorted(CLIENT.glob("*.js"))], ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_what_people_read_stands_in_the_catalogue(path: Path) -> None:
    """A sentence in a component is one that readers of other languages cannot read."""
    found = sentences_of(path)
    if path.stem in NOT_YET[path.parent.name]:
        assert found, f"{path.name} holds no sentence any more: take it from NOT_YET"
    else:
        assert not found, f"these belong into leaf/texts: {found}"


def test_every_language_has_every_text_with_the_same_parameters() -> None:
    """A form may leave `count` out, as in "one file"."""
    english = texts.catalogue(texts.DEFAULT)
    for language in texts.LANGUAGES:
        other = texts.catalogue(language)
        assert set(other) == set(english), set(other) ^ set(english)
        for key, text in english.items():
            assert isinstance(text, str) == isinstance(other[key], str), key
            assert texts.parameters(text) == texts.parameters(other[key]), (language, key)
            assert all(form.strip() for form in ([text] if isinstance(text, str) else text.values())), key


def forms(language: str) -> list[tuple[str, str]]:
    """Every text of a language with its key, and each form of those that count."""
    found = texts.catalogue(language).items()
    return [(key, form) for key, text in found for form in ([text] if isinstance(text, str) else text.values())]


def test_signs_and_words_are_written_in_one_way() -> None:
    """Apostrophes and ellipses, and the German words of docs/texts.md that were once written otherwise."""
    assert not [key for key, form in forms("en") if "\u2019" in form or re.search(r"\s…$", form)]
    assert not [key for key, form in forms("de") if re.search(r"\S…$|Tokens|\[Verbrauch\]", form)]


def test_german_addresses_the_reader_formally() -> None:
    """What a person tells Leaf (`Schreibe eine …`) is not told to the reader."""
    familiar = r"\b([Dd]u|[Dd]ein\w*|[Dd]ich|[Dd]ir|[Vv]ersuche es|[Ww]arte (kurz|bitte)|[Ww]ähle)\b"
    assert not [key for key, form in forms("de") if re.search(familiar, form)]


def in_german(text: str) -> str:
    def within() -> str:
        texts.use("de")
        return texts.stored(text.as_data() if isinstance(text, texts.Message) else None, text)

    return copy_context().run(within)


def test_every_way_in_which_an_answer_fails_is_told_in_german() -> None:
    spoken = {texts.english(key) for _, _, key in translate._FAILURES} | {reaper.given_up().text}
    assert not [text for text in spoken if in_german(text) == text]


@pytest.mark.parametrize(
    ("stored", "german"),
    [
        (reaper.given_up().text, f"{reaper.ATTEMPTS}-mal"),
        (errors.DriveRevoked().message, "Google nimmt"),
        (Diagnosis(Cause.REVOKED).message, "im Google-Konto entfernt"),
        (Diagnosis(Cause.UNREADABLE).message, "Neu verbinden"),
        (explain(HttpFailure(404, b"{}"), Subject(about=Named("Budget"))).message, "Leaf findet „Budget“ nicht"),
        (explain(HttpFailure(404, b"{}")).message, "Leaf findet diese Datei oder diesen Ordner nicht"),
        (explain(HttpFailure(413, b"{}")).message, "Diese Datei oder dieser Ordner ist zu groß"),
        (documents.too_many_bytes(70_000_000).reason, "70 MB"),
        ("A sentence of a tool.", "A sentence of a tool."),
    ],
)
def test_a_text_is_stored_as_a_code_and_shown_in_the_readers_language(stored: str, german: str) -> None:
    assert german in in_german(stored)


@pytest.mark.parametrize(
    ("place", "german"),
    [
        (span_of(["page 1", "page 2"]), "Seiten 1-2"),
        ("passages on page 3", "Stellen auf Seite 3"),
        ("passages in sheet Budget", "Stellen in Blatt Budget"),
        ("passages with “two words”", "two words"),
        ("sheet Plan B", "Blatt Plan B"),
        ("section", "section"),
        ("rows", "Zeilen"),
        ("page 3, read by OCR", "Seite 3, per Texterkennung gelesen"),
        (span_of(["page 3, read by OCR", "page 4, read by OCR"]), "Seiten 3-4, per Texterkennung gelesen"),
        (span_of(["page 3, read by OCR", "page 4"]), "Seiten 3-4"),
        ("picture 1, read by OCR", "Bild 1, per Texterkennung gelesen"),
        ("Appendix of another kind", "Appendix of another kind"),
    ],
)
def test_a_place_in_a_file_is_named_in_the_readers_language(place: str, german: str) -> None:
    def within() -> str:
        texts.use("de")
        return place_text(place)

    assert german in copy_context().run(within)


async def test_the_reason_of_a_skipped_file_has_its_key_beside_the_output() -> None:
    stream = translate.RunStream(SubmitMessage(id="run", messages=[]), sdk_version=6)
    output = {"skipped": {"id": "f", "reason": texts.english("refusals.shortcut")}}
    part = ToolReturnPart(tool_name="read_drive_file", content=output, tool_call_id="c")
    chunks = [
        stream.encoded(chunk) async for chunk in stream.handle_function_tool_result(FunctionToolResultEvent(part))
    ]
    (chunk,) = filter(None, chunks)
    assert chunk["output"] == {"skipped": {"id": "f", "reason": "This is a shortcut that leads nowhere."}}
    called = {"type": "tool-input-available", "toolCallId": "c", "toolName": "read_drive_file", "input": {}}
    (stored,) = parts.fold([called, chunk])["parts"]
    assert parts.message_of(stored) == {"key": "refusals.shortcut", "parameters": {}}


async def test_people_read_why_a_call_failed_without_the_advice_to_the_model() -> None:
    """In their own language; the model reads both. # 000-36"""
    with pytest.raises(ModelRetry) as refused:
        access.link_of("nonsense")
    stream = translate.RunStream(SubmitMessage(id="run", messages=[]), sdk_version=6)
    part = ToolReturnPart("list_drive_folder", refused.value.message, "c", outcome="retried")
    assert "call search_files first" in refused.value.message
    chunks = [
        stream.encoded(chunk) async for chunk in stream.handle_function_tool_result(FunctionToolResultEvent(part))
    ]
    (chunk,) = filter(None, chunks)
    called = {"type": "tool-input-available", "toolCallId": "c", "toolName": "list_drive_folder", "input": {}}
    (kept,) = parts.fold([called, chunk])["parts"]

    def shown() -> str:
        texts.use("de")
        return steps.step_of(kept, {}).note

    assert copy_context().run(shown) == texts.of("de")("refusals.no_drive_link")


def test_every_language_has_a_name() -> None:
    assert set(texts.NAMES) == set(texts.LANGUAGES)


def python_strings() -> set[str]:
    found: set[str] = set()
    for path in [*(ROOT / "leaf").rglob("*.py"), *(ROOT / "jobs").rglob("*.py")]:
        tree = tree_of(path)
        found |= {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
    return found


def test_every_text_is_used() -> None:
    """Keys are written out where they are used, so that they can be found."""
    scripts = "".join(path.read_text() for path in [*CLIENT.glob("*.js"), *WIDGET.glob("*.js")])
    used = python_strings() | set(re.findall(r'"([a-z_]+\.\w+)"', scripts))
    unused = set(texts.catalogue(texts.DEFAULT)) - used
    assert not unused, sorted(unused)


def calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    for path in [*(ROOT / "leaf").rglob("*.py"), *(ROOT / "jobs").rglob("*.py")]:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


@pytest.mark.parametrize("name", ["t", "say", "texts.say", "texts.english", "english"])
def test_texts_are_given_what_they_need(name: str) -> None:
    """Where the key is written out; `t` checks all its keys when the pages are compiled."""
    english = texts.catalogue(texts.DEFAULT)
    seen = 0
    for place, call in calls(name):
        key = call.args[0] if call.args else None
        if not isinstance(key, ast.Constant):
            continue
        seen += 1
        assert key.value in english, f"{place}: there is no text {key.value}"
        given = {keyword.arg for keyword in call.keywords}
        if None not in given:
            assert given == texts.parameters(english[key.value]), f"{place}: {key.value}"
        if name == "t":
            assert key.value.partition(".")[0] not in texts.AREAS_OF_SERVER, f"{place}: {key.value}"
    assert seen


def test_a_browser_loads_only_texts_that_pages_and_scripts_use() -> None:
    page_texts.t("common.undo")
    loaded = page_texts.for_pages()
    assert loaded["common.undo"] == [texts.catalogue(language)["common.undo"] for language in texts.LANGUAGES]
    assert "composer.offline" in loaded, "a script says it"
    assert "watches.mail_subject" not in loaded, "the server alone says it"


def test_scripts_say_texts_that_the_browser_has() -> None:
    known = texts.for_browser()[texts.DEFAULT]
    for path in CLIENT.glob("*.js"):
        for key, after in re.findall(r'\b(?:t|say)\(\s*"([^"]+)"(,?)', path.read_text()):
            assert key in known, f"{path.name}: {key}"
            assert bool(after) == bool(texts.parameters(known[key])), f"{path.name}: {key}"


@pytest.mark.parametrize(
    ("chosen", "accepted", "language"),
    [
        ("", "", "en"),
        ("", "de-DE,de;q=0.9,en;q=0.8", "de"),
        ("", "fr-FR,fr;q=0.9,de;q=0.8,en;q=0.7", "de"),
        ("", "en;q=0.5,de;q=0.9", "de"),
        ("", "de;q=0,en", "en"),
        ("", "fr", "en"),
        ("", "de;q=nonsense", "en"),
        ("en", "de", "en"),
        ("de", "en", "de"),
        ("auto", "de", "de"),
        ("../../etc", "de", "de"),
    ],
)
def test_the_language_is_the_chosen_one_else_the_browsers(chosen: str, accepted: str, language: str) -> None:
    assert texts.preferred(chosen, accepted) == language


def test_page_and_server_look_at_the_same_cookie() -> None:
    script = (CLIENT / "texts.js").read_text()
    assert f'const COOKIE = "{texts.COOKIE}"' in script
    assert f'const BUILT = "{texts.DEFAULT}"' in script


def test_numbers_are_written_as_the_language_does() -> None:
    assert texts.number(1234567.5, "en") == "1,234,567.5"
    assert texts.number(1234567.5, "de") == "1.234.567,5"


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    """A name may hold braces."""
    assert "{email}" in texts.of("en")("settings.reads", email="{email}")


def test_a_message_is_english_and_can_be_told_otherwise() -> None:
    """Routes and logs get it as it is; a page in its reader's language."""
    message = texts.english("notices.connected", service="Drive")
    error = errors.LeafError(message)
    assert error.message == str(error) == "Drive is connected."
    assert texts.translated(error.message, texts.of("de")) == "Drive ist verbunden."
    assert texts.translated("as it is", texts.of("de")) == "as it is"
    said = notices.failure(error).args[2][1]._decode()
    assert texts.translated(texts.of_data(said), texts.of("de")) == "Drive ist verbunden."


def test_a_message_can_hold_others_and_reach_the_page_as_data() -> None:
    """Data of a browser in its place describes nothing."""
    message = texts.english("spent.left", amount=texts.english("amounts.usd", value=Decimal("1234.50")))
    again = texts.of_data(json.loads(json.dumps(message.as_data())))
    assert (again, texts.translated(again, texts.of("de"))) == ("$1,234.50 left", "1.234,50 $ übrig")
    for nonsense in (
        {},
        {"key": "x.y", "parameters": {}},
        {"key": "spent.left"},
        {"key": "spent.rate", "parameters": {}},
    ):
        with pytest.raises(ValueError, match="describes no text"):
            texts.of_data(nonsense)


_NAMES = [
    "Bericht.pdf",
    "חשבון.xlsx",
    "\u202egnp.exe",
    "a\u2069b",
    "\u2066x",
    "Тест",
    "עלות 12",
    "تقرير",
    "a\u200f.\u061cb",
]


def test_a_name_keeps_its_direction_to_itself() -> None:
    """A name with an override, or in a script from right to left, does not turn the sentence around it."""
    assert texts.of("en")("steps.listed", name="Bericht.pdf") == "listed “Bericht.pdf”"
    assert texts.of("en")("steps.listed", name="חשבון.xlsx") == "listed “\u2068חשבון.xlsx\u2069”"
    assert texts.of("en")("steps.listed", name="\u202egnp.exe") == "listed “\u2068gnp.exe\u2069”"
    for name in _NAMES:
        shown = texts.of("de")("steps.listed", name=name)
        assert not set(shown) & set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067")
        assert shown.count("\u2068") == shown.count("\u2069") <= 1


def test_pages_isolate_names_by_the_same_rule() -> None:
    script = (CLIENT / "texts.js").read_text()
    begin, end = script.index("const TURNING"), script.index("const formats")
    code = script[begin:end].replace("export ", "")
    code += f"console.log(JSON.stringify({json.dumps(_NAMES)}.map(isolated)));"
    run = subprocess.run([NODE, "--input-type=module", "-e", code], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == [isolated(one) for one in _NAMES]


def test_pages_and_the_server_write_a_date_in_one_form() -> None:
    """Whatever region the browser is of: one page shows dates of both."""
    script = (CLIENT / "texts.js").read_text()
    begin, end = script.index("const PARAMETER"), script.index("const speakers")
    days = [date(2026, month, 9) for month in range(1, 13)]
    code = (
        'Object.defineProperty(globalThis, "navigator", { value: { languages: ["en-US", "de-AT"] } });'
        f"const LANGUAGES = ['en', 'de'], TEXTS = {{}}; {script[begin:end].replace('export ', '')}"
        f"const days = {json.dumps([one.isoformat() for one in days])};"
        "const forms = [{ day: 'numeric', month: 'long' }, { day: 'numeric', month: 'short' }, { dateStyle: 'long' }];"
        "const written = (of) => days.map((day) => forms.map((one) => speaker(of).date(day, one)));"
        "console.log(JSON.stringify(LANGUAGES.map(written)));"
    )
    run = subprocess.run([NODE, "--input-type=module", "-e", code], capture_output=True, text=True, check=True)
    for language, shown in zip(("en", "de"), json.loads(run.stdout), strict=True):
        say = texts.of(language)
        forms = (dates.day, dates.short_day, dates.full_day)
        assert shown == [[texts.translated(form(one), say) for form in forms] for one in days]


def refusals_of_calls() -> Iterator[tuple[str, ast.expr]]:
    """The text of each refusal that an agent's tool raises, with its place."""
    # The end of a site's answer is no call: nobody sees why the model writes it again.
    for path in sorted({*(ROOT / "leaf" / "agent").rglob("*.py")} - {ROOT / "leaf" / "agent" / "site_agent.py"}):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"ModelRetry", "ToolFailed"}:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node.args[0]


def test_people_read_no_refusal_that_is_written_for_the_model() -> None:
    """Steps, receipts and the team's page show why a call failed; without a key they would in English. # 000-36"""
    found = [*refusals_of_calls()]
    assert len(found) > 40
    bare = [
        place
        for place, text in found
        if isinstance(text, ast.Constant | ast.JoinedStr) or "str(" in ast.unparse(text)[:4]
    ]
    assert not bare, f"say it with texts.english, texts.advised or texts.for_model: {bare}"


async def kept_call(tool: str, content: object, outcome: str) -> dict[str, object]:
    """A call as it is stored."""
    stream = translate.RunStream(SubmitMessage(id="run", messages=[]), sdk_version=6)
    part = ToolReturnPart(tool, content, "c", outcome=outcome)  # pyright: ignore[reportArgumentType]
    chunks = [
        stream.encoded(chunk) async for chunk in stream.handle_function_tool_result(FunctionToolResultEvent(part))
    ]
    called = {"type": "tool-input-available", "toolCallId": "c", "toolName": tool, "input": {}}
    (kept,) = parts.fold([called, *filter(None, chunks)])["parts"]
    return kept


async def test_the_model_reads_how_to_call_a_tool_and_people_read_what_went_wrong() -> None:
    """# 000-36"""
    refused = texts.for_model("Pass exactly one statement.", "refusals.call_query")
    kept = await kept_call("compute", refused, "retried")
    assert kept["errorText"] == "Pass exactly one statement."

    def shown() -> tuple[str, object]:
        texts.use("de")
        receipt = coverage_of([kept])
        assert receipt is not None
        return steps.step_of(kept, {}).note, texts.stored(receipt["failed"][0]["message"])

    german = texts.of("de")("refusals.call_query")
    assert copy_context().run(shown) == (german, german)


async def test_files_that_a_comparison_left_out_have_their_reasons_in_the_readers_language() -> None:
    """# 000-36"""
    left_out = [{"id": "f", "name": "B", "url": None, "reason": texts.english("refusals.damaged_pdf")}]
    kept = await kept_call("compare_files", {"compared": [], "rows": [], "left_out": left_out}, "success")
    receipt = coverage_of([kept])
    assert receipt is not None
    (skipped,) = receipt["skipped"]
    assert skipped["reason"] == "This PDF is damaged: it cannot be opened."
    assert skipped["message"] == {"key": "refusals.damaged_pdf", "parameters": {}}


async def test_the_team_of_a_site_reads_why_a_call_failed_in_its_own_language() -> None:
    """Visitors and programs have the English sentence. # 003-26"""
    failed = await kept_call("search_knowledge", texts.english("refusals.no_sources"), "failed")
    missed = [{"source": "Handbook", "reason": texts.english("refusals.source_no_answer")}]
    found = await kept_call("search_knowledge", {"query": "q", "passages": [], "unavailable": missed}, "success")
    now = datetime.now(UTC)
    message = ConversationMessage(uuid4(), "assistant", [failed, found], "completed", now, now, for_team=True)

    def shown() -> tuple[str, str]:
        texts.use("de")
        events = events_of([message])
        return events[1]["error"], events[3]["toolResult"]["unavailable"][0]["reason"]

    german = texts.of("de")
    assert copy_context().run(shown) == (german("refusals.no_sources"), german("refusals.source_no_answer"))
    assert events_of([message])[1]["error"] == "There are no sources."


NOTES = sorted(key for key in texts.catalogue(texts.DEFAULT) if key.startswith("notes."))
VALUES = {
    "number": 1_200, "most": 3, "done": 2, "line": 40_000, "count": 1_000, "pages": "1, 3-5", "slides": "7",
    "rows": "4", "columns": "B, C", "sheet": "Plan “B”. 2", "names": "“a.pdf”, “b (2).pdf”", "charset": "windows-1252",
    "part": "page 9", "name": "a, “b”.pdf",
    "note": texts.english("notes.lower_picture"),
}  # fmt: skip


@pytest.mark.parametrize("key", NOTES)
@pytest.mark.parametrize("count", [1, 1_000])
def test_a_note_that_is_kept_in_english_is_read_in_the_readers_language(key: str, count: int) -> None:
    """Notes of files are sentences in rows, in the index and among the words of a tool's result. # 001-26"""
    text = texts.catalogue(texts.DEFAULT)[key]
    values = {name: VALUES[name] for name in texts.parameters(text)}
    values |= {"count": count} if "count" in values else {}
    note = texts.english(key, **values)
    say = texts.of("de")
    found = {**values, **({"note": say("notes.lower_picture")} if "note" in values else {})}
    assert note_text(str(note), say) == say(key, **found)
    assert note_text(str(note), texts.of("en")) == str(note)


def test_words_that_are_no_note_stay_as_they_are() -> None:
    """However long they are. # 001-26"""
    for other in ("", "An own remark.", "Left out: nothing. " * MOST_CHARACTERS, "Left out: " * 300):
        assert note_text(other, texts.of("de")).removeprefix("Ausgelassen: ").count("Seite") == 0


def test_a_note_that_an_older_leaf_has_kept_is_recognised() -> None:
    """And the part of one that a receipt names as a gap. # 001-26"""
    say = texts.of("de")
    old = "Left out: pages 1, 3. 1 of 3 pages were read: the others are scanned, and there was no time for them."
    assert note_text(old, say).startswith("Ausgelassen: die Seiten 1, 3. 1 von 3 Seiten wurden gelesen")
    (gap,) = _GAPS.findall(old)
    assert note_text(gap, say).startswith("1 von 3 Seiten")
