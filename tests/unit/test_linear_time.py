"""Text from outside is handled in time linear in its length, so that nobody makes others wait."""

import gc
import importlib
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from leaf import citations, documents, errors, parts
from leaf.agent import provider_log, side_texts
from leaf.agent.approval import addresses
from leaf.agent.tools.display import fields
from leaf.agent.web import results
from leaf.api.shared import markdown, maths
from leaf.citations import (
    adjacency,
    blanks,
    compared_files,
    conflicts,
    links,
    markers,
    reads,
    redaction,
    subquestions,
    syntax,
    tokens,
    units,
    unmarked_quotations,
)
from leaf.citations.quote_search import Passage
from leaf.comparison import Edition, compare
from leaf.documents import Segment, mail, scans, terms, textfiles, uploads
from leaf.documents.text import read_csv, read_google_doc, read_html, read_lines, read_markdown, read_page
from leaf.google import diagnosis
from leaf.google import links as drive_links
from leaf.parts import nesting
from leaf.parts.portable import chatgpt_parts
from leaf.parts.portable import markdown as exported
from leaf.services.chats import full_text
from leaf.telemetry import logs
from leaf.views import excerpts
from tests.hostile import texts

CHARACTERS = 3_000
LONGER = 4
"""A text so many times as long may take at most twice as many times as long; quadratic work takes its square."""
NOTEWORTHY_SECONDS = 0.002
"""The least time that is compared: clocks are no more exact."""
SLOWEST = 8
"""The texts that are measured at both lengths."""
TRIES = 6

_WORD = re.compile("yakyak", re.IGNORECASE)
_ANSWER = excerpts.used('It is in the file: "the budget of the year 2026".')
"""The parts of an answer that a window of a passage is chosen by."""


def _refusal(text: str) -> dict[str, Any]:
    info = {"reason": text, "metadata": {"activationUrl": f"https://console.cloud.google.com/{text}"}}
    return {"error": {"errors": [{"reason": text, "location": text}], "message": text, "details": [info]}}


def _paced(text: str) -> None:
    blocks = importlib.import_module("leaf.parts.blocks").Blocks()
    for at in range(0, len(text), 40):
        blocks.feed(text[at : at + 40])


def _disagreements(text: str) -> None:
    """Two files of the text that differ in their numbers, and a question and an answer that have it, too."""
    files = [
        compared_files.File(
            name, name, "", "", [Passage("", text[: len(text) // 2] + f"\nIt is EUR {name}.\n" + text)], whole=True
        )
        for name in ("12,000", "13,500")
    ]
    conflicts.found(text, [text], [("12,000", text)], files)


def _compared(text: str) -> None:
    """Two files of the text, of which one begins differently."""
    files = [
        Edition(name, name, "", "document", "", "", [Segment("all", None, f"{name}\n{text}")])
        for name in ("It is EUR 12,000.", "It is EUR 13,500.")
    ]
    compare(files, text[:200])


FUNCTIONS: dict[str, Callable[[str], Any]] = {
    "error of Drive": lambda text: diagnosis.Answer.of(403, json.dumps(_refusal(text)).encode()),
    "error of the token endpoint": lambda text: diagnosis.of_token(diagnosis.TokenRefusal("invalid_grant", text)),
    "citations": citations.references,
    "citations without a check": lambda text: citations.unchecked(markers.numbered({0: citations.references(text)})),
    "parts of a question": subquestions.found,
    "an answer's parts": lambda text: subquestions.judged(["What is it?", "When does it end?"], {0: text}, []),
    "conflicts": _disagreements,
    "compared files": _compared,
    "shown answer": citations.shown,
    "shown answer that grows": lambda text: citations.shown(text, growing=True),
    "answer without quotes of a file": lambda text: redaction.text_without(text, {"1abcdefghijklmnop": "refused"}),
    "code taken out": blanks.without_code,
    "links": lambda text: links.links(text, text),
    "plain Markdown": syntax.plain,
    "words": tokens.words,
    "units": lambda text: [*units.units(text)],
    "passages": lambda text: reads.passages(text, "all"),
    "quotations without footnotes": lambda text: [*unmarked_quotations.unmarked(text, text)],
    "quotes in sentences": lambda text: [*adjacency.in_sentences(text, text)],
    "a query": terms.query,
    "folded words": terms.fold,
    "Markdown files": lambda text: read_markdown(text.encode()),
    "Google documents": lambda text: read_google_doc(text.encode(), scans.Reader()),
    "e-mails": lambda text: mail.read(b"Subject: " + text.encode()),
    "CSV files": lambda text: read_csv(text.encode()),
    "web pages": lambda text: read_html(text.encode()),
    "tags of web pages": lambda text: read_page(f"<a {text}".encode()),
    "text files": lambda text: read_lines(text.encode()),
    "clean text": parts.plain_text,
    "an upload": lambda text: uploads.extract(text.encode(), "a.md"),
    "short lines": documents.in_short_lines,
    "grep": lambda text: [*textfiles.Search("a+b").hits("a", text)],
    "a glob": lambda text: textfiles.globbed(["a"], text),
    "lines of a file": textfiles.lines_of,
    "the words of an answer": excerpts.used,
    "a window of a passage": lambda text: excerpts.best_window(text, _ANSWER),
    "a public page": lambda text: markdown.html(text, "x", frozenset({1})),
    "formulas": maths.extract,
    "exported text": exported.plain,
    "exported Markdown": exported.closed,
    "imported code": lambda text: chatgpt_parts.fenced(text, "python"),
    "an excerpt of a found message": lambda text: full_text.excerpt(f"yakyak {text}", _WORD),
    "found words": lambda text: full_text.pieces(text, _WORD),
    "live blocks": _paced,
    "nested lists": nesting.flattened,
    "related questions": side_texts.questions,
    "a recorded request": provider_log.redacted,
    "a web result": lambda text: results.plain(text, 10**6),
    "addresses named": lambda text: [*addresses.named_in(text)],
    "addresses": lambda text: [*addresses.each_in(text)],
    "bare addresses": lambda text: [*addresses.bare_in(text)],
    "a line of a display": fields.one_line,
    "lines of a display": fields.lines,
    "a log line": logs.redacted,
    "Drive links": drive_links.parse,
    "the text of a message": parts.plain_text,
}


@pytest.fixture(scope="module", autouse=True)
def _without_collections() -> Iterator[None]:
    """No garbage is collected: it would count as time of the text."""
    gc.disable()
    yield
    gc.enable()


def _seconds(work: Callable[[str], Any], text: str) -> float:
    begun = time.thread_time()
    with suppress(errors.Invalid, ValueError, documents.Unreadable):
        work(text)
    return time.thread_time() - begun


@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_is_linear_in_the_length_of_a_text(name: str) -> None:
    """# 000-50"""
    work = FUNCTIONS[name]
    longer = dict(texts(LONGER * CHARACTERS))
    slowest = sorted(((_seconds(work, text), kind, text) for kind, text in texts(CHARACTERS)), reverse=True)[:SLOWEST]
    slow: list[str] = []
    for _, kind, text in slowest:
        # Other programs take the processor's caches away, at times for minutes: both lengths are measured together.
        for _ in range(TRIES):
            short = max(NOTEWORTHY_SECONDS, _seconds(work, text))
            growth = _seconds(work, longer[kind]) / short
            if growth <= 2 * LONGER:
                break
        else:
            slow.append(f"{kind}: {short * 1000:.1f} ms, {growth:.0f} times as much for {LONGER} times the length")
    assert slow == []
