"""Chats as files: what can be told without a database, over generated trees and over rubbish."""

import copy
import json
import random
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from leaf import citations
from leaf.citations import Citation, Source
from leaf.parts import portable
from leaf.parts.portable import conversion, markdown
from leaf.parts.portable.files import CHAT_BYTES
from leaf.services import chats
from leaf.views import rows
from tests import chat_format_doc
from tests.integration.test_chat_import import conversation

TIMES = st.integers(10**9, 4 * 10**9).map(lambda seconds: datetime.fromtimestamp(seconds + 0.25, UTC))
STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | STORABLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STORABLE, inner, max_size=3),
    max_leaves=8,
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@st.composite
def parts(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Parts as Leaf stores them."""
    found: list[dict[str, Any]] = []
    for number, kind in enumerate(draw(st.lists(st.sampled_from(["text", "reasoning", "tool", "related", "step"])))):
        if kind in {"text", "reasoning"}:
            found.append({"type": kind, "text": draw(STORABLE), "state": "done"})
        elif kind == "step":
            found.append({"type": "step-start"})
        elif kind == "related":
            asked = draw(st.lists(STORABLE.filter(bool), min_size=1, max_size=3))
            found.append({"type": "data-relatedQuestions", "id": "r", "data": {"status": "done", "questions": asked}})
        else:
            call = {"type": "tool-search", "toolCallId": str(number), "input": draw(JSON)}
            done = {"state": "output-available", "output": draw(JSON)}
            found.append(call | (done if draw(st.booleans()) else {"state": "output-error", "errorText": "no"}))
    texts = [(slot, len(one["text"])) for slot, one in enumerate(found) if one["type"] == "text"]
    if texts and draw(st.booleans()):
        slot, length = draw(st.sampled_from(texts))
        begin = draw(st.integers(0, length))
        cited = {
            "n": 1, "verified": draw(st.booleans()), "reason": None, "kind": "web", "file_id": "", "revision": None,
            "name": draw(STORABLE), "url": draw(st.sampled_from(["", "https://a.example/x", "/api/chats/x/files/y"])),
            "part": "", "quote": draw(STORABLE), "before": "", "after": "",
            "at": [[slot, begin, draw(st.integers(begin, length))]],
        }  # fmt: skip
        found.append({"type": "data-citations", "id": "c", "data": [cited]})
        found.append({"type": "data-coverage", "id": "v", "data": {"searches": [{"query": "q", "files": 1}]}})
    return found


@st.composite
def trees(draw: st.DrawFn) -> list[dict[str, Any]]:
    """The rows of a chat, with branches."""
    found: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 8))):
        role = draw(st.sampled_from(["user", "assistant"]))
        above = [one["id"] for one in found if one["role"] != role]
        parent = draw(st.sampled_from([None, *above] if role == "user" else above)) if above else None
        if parent is None:
            role = "user"
        at = draw(TIMES).isoformat()
        status = draw(st.sampled_from(["completed", "stopped", "error"])) if role == "assistant" else "completed"
        found.append({
            "id": f"m{number}", "parent_id": parent, "role": role, "status": status, "created_at": at,
            "error_text": "It failed." if status == "error" else None, "model": "openai:x", "parts": draw(parts()),
        })  # fmt: skip
    return found


def as_file(tree: list[dict[str, Any]], title: str = "T") -> dict[str, Any]:
    messages = [portable.to_portable(row) for row in tree]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    chat = portable.Chat(title=title, created_at=now, updated_at=now, messages=[one for one in messages if one])
    return json.loads(chat.model_dump_json())


def draw(role: str, status: str, message_parts: list[dict[str, Any]]) -> None:
    """Draws a message as a page does."""
    now = datetime.now(UTC)
    rows.row_of(chats.Message(uuid4(), role, status, message_parts, now, now))


def test_parts_and_conflicts_are_exported_and_not_believed_on_import() -> None:
    side = {
        "file_id": "f",
        "name": "Lease_1.pdf",
        "url": "https://drive.example/1",
        "part": "page 3",
        "quote": "It is 1.",
    }
    sides = [{**side, "value": "1 EUR", "date": "2026-05-03T09:00:00Z"}, {**side, "value": "2 EUR", "newer": True}]
    stored = [
        {"type": "data-subquestions", "id": "s", "data": {"asked": [
            {"text": "What is *it*?", "state": "answered"}, {"text": "And who?", "state": "unanswered"},
        ]}},
        {"type": "text", "text": "It is 1."},
        {"type": "data-conflicts", "id": "c", "data": [{"about": "It", "sides": sides}]},
        {"type": "data-comparisons", "id": "d", "data": [{
            "on": "price", "same": 2, "differences": 2,
            "compared": [
                {"name": "Lease_1.pdf", "url": "https://d.example/1", "version": "2026-05-03T09:00:00Z", "by": "Ada"},
                {"name": "Lease_1.pdf", "url": "https://d.example/1"},
            ],
            "rows": [
                {"kind": "value", "about": "Price | now", "cells": [
                    {"part": "page 1", "quote": "It is *1* here.", "value": "1", "marks": [[6, 9]]},
                    {"part": "", "quote": "It is 2.", "value": "2", "marks": []},
                ]},
                {"kind": "only", "about": "Pets", "cells": [{"quote": "No dogs."}, None]},
            ],
            "notes": [{"text": "Cut.", "message": {"key": "comparisons.unlike", "parameters": {}}}],
        }]},
    ]  # fmt: skip
    row = {"id": uuid4(), "parent_id": None, "role": "assistant", "created_at": "2026-01-02T10:00:00+00:00",
           "status": "completed", "parts": stored}  # fmt: skip
    message = portable.to_portable(row)
    assert message is not None
    shown = markdown.message(message, "en")
    assert "- [x] What is \\*it\\*?\n- [ ] And who? (Not answered)" in shown
    link = "[Lease\\_1.pdf](https://drive.example/1), page 3"
    assert f"**Sources disagree**: It\n\n- 1 EUR — {link} (2026-05-03)" in shown
    assert f"- 2 EUR — {link} (newer): “It is 1.”" in shown
    assert "Quellen widersprechen sich" in markdown.message(message, "de")
    assert (
        "**Compared Lease\\_1.pdf, version of 3 May 2026, 09:00 UTC, by Ada and Lease\\_1.pdf, current version**"
        in shown
    )
    assert "| Price \\| now | 1: “It is **\\*1\\*** here.” (page 1) | 2: “It is 2.” |" in shown
    assert "| Pets | “No dogs.” | *Not there* |" in shown
    assert "Version vom 3. Mai 2026" in markdown.message(message, "de")
    assert "kaum eine Aussage gemeinsam" in markdown.message(message, "de")
    assert [part["type"] for part in conversion.stored(message).parts] == ["text"]


def test_a_quote_that_a_stopped_answer_could_not_finish_stays_unmentioned() -> None:
    """# 000-37"""
    cited = Citation(1, False, citations.CUT_OFF, Source("", "", "", "", ""), "", "", [(0, 6, 10)]).data()
    row = {"id": uuid4(), "parent_id": None, "role": "assistant", "created_at": "2026-01-02T10:00:00+00:00",
           "status": "stopped", "parts": [
               {"type": "text", "text": "Claim.[^1]"}, {"type": citations.CITATIONS, "data": [cited]},
           ]}  # fmt: skip
    message = portable.to_portable(row)
    assert message is not None
    shown = markdown.message(message, "en")
    assert "\n\nClaim.\n\n" in shown
    assert "Sources" not in shown
    assert citations.stored(conversion.stored(message).parts) == []


def test_an_answer_beyond_the_limits_of_the_format_is_exported_up_to_them() -> None:
    """No export ends in an error for them."""
    cited = {
        "n": 1, "verified": True, "reason": "", "kind": "drive", "file_id": "f", "revision": "", "name": "a", "url": "",
        "part": "", "quote": "q", "before": "", "after": "", "at": [[0, number, number + 1] for number in range(3000)],
    }  # fmt: skip
    texts: list[dict[str, Any]] = [{"type": "text", "text": "x" * 3000} for _ in range(2500)]
    stored = [*texts, {"type": "data-citations", "id": "c", "data": [{**cited, "n": n} for n in range(1, 1500)]}]
    row = {
        "id": "m", "parent_id": None, "role": "assistant", "status": "completed", "error_text": None, "model": "",
        "created_at": "2026-01-01T00:00:00+00:00", "parts": stored,
    }  # fmt: skip
    made = portable.to_portable(row)
    assert made is not None
    assert (len(made.parts), len(made.citations), len(made.citations[0].at)) == (2000, 1000, 1000)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees())
def test_what_was_imported_is_exported_as_it_was(tree: list[dict[str, Any]]) -> None:
    """export(import(x)) is x, but for what Leaf thinks of quotes; and that once more is the same. # 003-35"""
    first = as_file(tree)
    read = portable.read(json.loads(json.dumps(first)))
    again = [
        row | {"parts": portable.stored(one).parts, "status": portable.stored(one).status}
        for row, one in zip(tree, read.chat.messages, strict=True)
    ]
    second = as_file(again)
    for message in first["messages"]:
        for cited in message["citations"]:
            cited |= {"verified": False, "reason": "imported"}
    assert second == first
    assert portable.digest(portable.read(second).chat) == portable.digest(read.chat), "recognised"
    for row in again:
        # Whatever came in can be drawn.
        draw(row["role"], row["status"], row["parts"])


@settings(deadline=None)
@given(ANY)
def test_no_json_breaks_the_import(value: Any) -> None:
    for wrapped in (value, {"mapping": value}, {"format": "leaf-chat", "version": 1, "messages": value}):
        try:
            data = json.dumps(wrapped).encode()
            for one in portable.entries(data):
                portable.read(one)
        except portable.Refused:
            continue


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(spot for key, one in inner for spot in spots(one, (*path, key)))]


@settings(deadline=None, max_examples=300)
@given(st.randoms(use_true_random=False), ANY, st.sampled_from(["chatgpt", "leaf"]))
def test_a_file_with_something_else_anywhere_in_it_is_taken_or_refused(
    chance: random.Random, other: Any, origin: str
) -> None:
    """And what is taken can be stored, drawn and exported."""
    value = conversation() if origin == "chatgpt" else as_file([
        {"id": "a", "parent_id": None, "role": "user", "status": "completed", "created_at": "2026-01-01T00:00:00Z",
         "parts": [{"type": "text", "text": "Hi"}]},
        {"id": "b", "parent_id": "a", "role": "assistant", "status": "completed", "created_at": "2026-01-01T00:00:00Z",
         "parts": [{"type": "text", "text": "Ho"}, {"type": "tool-x", "toolCallId": "1", "state": "output-available",
          "input": {}, "output": [1]}, {"type": "data-coverage", "data": {"searches": [{"query": "x"}]}}]},
    ])  # fmt: skip
    for _ in range(chance.randint(1, 3)):
        *above, last = chance.choice(spots(value)[1:])
        holder = value
        for key in above:
            holder = holder[key]
        holder[last] = copy.deepcopy(other)
        if not isinstance(value, dict) or not spots(value)[1:]:
            break
    for entry in portable.entries(json.dumps(value).encode()):
        try:
            read = portable.read(entry)
        except portable.Refused:
            continue
        portable.digest(read.chat).encode()
        for one in read.chat.messages:
            made = portable.stored(one)
            json.dumps(made.parts).encode().decode()
            draw(one.role, made.status, made.parts)
            markdown.message(one, "de").encode()


PIECES = st.sampled_from(
    ["```", "~~~", "````python", "<!--", "<script>", "- ", "> ", "    ", "\n", "\n\n", "text", "`", "<pre>", "<?",
     "1. ", "```\n", "[a]: b", "***", "| a |", "\t", "$$", "</div>", "<![CDATA["]
)  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(st.lists(PIECES, max_size=12).map("".join))
@example("- ```\n  open")
@example("> ~~~~\n> open")
@example("<!-- open")
def test_nothing_in_a_text_reaches_what_stands_behind_it(text: str) -> None:
    """A paragraph behind it is one of its own, and none of it is HTML. # 003-35"""
    tokens = MarkdownIt("commonmark").parse(f"{markdown.closed(text)}\n\nbehind\n")
    assert [token.type for token in tokens[-3:]] == ["paragraph_open", "inline", "paragraph_close"]
    assert (tokens[-3].level, tokens[-2].content) == (0, "behind")
    assert not [token for token in tokens if token.type == "html_block"]


@pytest.mark.parametrize(
    "text",
    [
        r"\<img src=x>", r"\\<img src=x>", r"\`<img src=x>\`", r"`a\`<img src=x>`", "`a\nb` <img src=x> `c",
        "[a](x`y) <img src=x> `", "<https://x`> <img src=x> `", "``a` <img src=x> ``", f"{'> ' * 30}`<img src=x> ``",
        f"{'[a](x`y) <img src=x> `'}{' word' * 3000}", "![p](https://a.example/?q=secret)", "[![p](x)](y)",
        "`![a`] ![p][b] `\n\n[b]: https://a.example", r"\\![p](x)", "[a](x`y) ![p](x) `",
    ],
)  # fmt: skip
def test_no_text_becomes_html_by_its_escapes_or_its_backticks(text: str) -> None:
    """A backslash before a tag was escaped itself, a tag between two backticks passed for code, and a picture sent its
    address to its server as soon as the file was opened. # 003-35
    """
    tokens = MarkdownIt("commonmark", {"maxNesting": 100}).parse(markdown.closed(text))
    inline = [one for token in tokens for one in (token, *(token.children or ()))]
    assert not [one for one in inline if one.type.startswith(("html", "image"))]


def test_tags_in_code_stay_as_they_are() -> None:
    """# 003-35"""
    text = "`<div>` and `![p](x)` in a line [of text](https://x.example/)\n\n```\n<b> ![p](x)\n```"
    assert markdown.closed(f"{text}\n\n<i>") == f"{text}\n\n\\<i>"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Rents 2026", "Rents 2026.md"), ('a/b\\c:d*e?f"g<h>i|j', "a b c d e f g h i j.md"), ("", "chat.md"),
        ("CON", "chat CON.md"), ("lpt1.txt", "chat lpt1.txt.md"), ("../../etc/passwd", "etc passwd.md"),
        ("...", "chat.md"),
        ("x" * 300, "x" * 80 + ".md"), ("日本語" * 100, "日本語" * 20 + ".md"), ("a\r\nb\0c", "a b c.md"),
        ("-rf", "rf.md"),
    ],
)  # fmt: skip
def test_file_names_are_safe_everywhere(title: str, name: str) -> None:
    assert portable.file_name(title, ".md") == name


@given(st.text(max_size=300))
def test_a_file_name_is_short_and_has_no_sign_that_a_system_refuses(title: str) -> None:
    name = portable.file_name(title, ".json")
    assert len(name.encode()) <= 200
    assert not set(name) & set('/\\:*?"<>|\0\n\r')


def test_a_chain_of_thousands_of_messages_is_read() -> None:
    """Deep, and not nested: nothing here goes down by recursion."""
    mapping = {
        f"n{number}": {
            "parent": f"n{number - 1}" if number else None,
            "message": {"author": {"role": ("user", "assistant")[number % 2]},
                        "content": {"content_type": "text", "parts": [str(number)]}},
        }
        for number in range(5000)
    }  # fmt: skip
    assert len(portable.read({"mapping": mapping}).chat.messages) == 5000
    mapping["n5000"] = mapping["n4998"] | {"parent": "n4999"}
    with pytest.raises(portable.Refused, match="chat_too_large"):
        portable.read({"mapping": mapping})


def test_an_answer_that_branches_within_itself_has_two_versions() -> None:
    """Both with what stands before; and questions in a row are one."""

    def node(parent: str | None, role: str, text: str) -> dict[str, Any]:
        message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}}
        return {"parent": parent, "message": message}

    mapping = {
        "q": node(None, "user", "One"), "q2": node("q", "user", "more"), "a": node("q2", "assistant", "Begin"),
        "b": node("a", "assistant", "left"), "c": node("a", "assistant", "right"), "d": node("a", "user", "Stop"),
    }  # fmt: skip
    chat = portable.read({"mapping": mapping}).chat
    said = [(one.parent, [part.text for part in one.parts if part.type == "text"]) for one in chat.messages]
    assert said == [
        (None, ["One", "more"]), ("q2", ["Begin"]), ("q2", ["Begin", "left"]), ("q2", ["Begin", "right"]),
        ("a", ["Stop"]),
    ]  # fmt: skip


def test_one_chat_that_is_too_large_is_refused_alone() -> None:
    data = b'[{"a": "' + b"x" * CHAT_BYTES + b'"}, {"b": 1}]'
    first, second = portable.entries(data)
    assert (first.code, second) == ("chat_too_large", {"b": 1})


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_file_is_cut_the_same_wherever_its_pieces_end(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaf.parts.portable.files._PIECE", size)
    values = [{"a": 'q"\\" {[ \\\\'}, {"b": [{"c": "]}"}, []]}, {}]
    assert [*portable.entries(json.dumps(values).encode())] == values
    assert [*portable.entries(b" \n" + json.dumps(values[0]).encode() + b" ")] == values[:1]


def test_the_schema_in_the_documentation_is_the_one_that_holds() -> None:
    """`make docs` writes it."""
    assert chat_format_doc.DOCUMENT.read_text() == chat_format_doc.text()


def test_a_name_that_turns_the_direction_turns_no_text_after_it() -> None:
    """The state of a source stands after its name. # 002-55"""
    assert markdown.plain("gnp\u202eexe.png \u2067x") == "gnpexe.png x"
