"""The final answer: Markdown that quotes, names its sources, and says what could not be read."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

from sandbox import ranking
from sandbox.model import markdown, passages, questions, tool_results
from sandbox.model.questions import Language, Question
from sandbox.model.tool_results import File, Found, Hit, Listing, Reading

LISTED_FILES, QUOTES = 50, 4
_LEAD_CHARACTERS, _QUOTED_WORDS, _QUOTED_CHARACTERS = 420, 3, 12
_ABOUT_AS_GOOD = 0.85
"""The share of the best score that another quotation needs."""
_FOR_PEOPLE = re.compile(r"[^.]*(?:no text layer|picture)[^.]*\.")
"""A sentence of a tool's note that matters to people; the others tell a model how to go on."""


@cache
def _phrases() -> dict[str, dict[str, str]]:
    return tomllib.loads((Path(__file__).parent / "phrases.toml").read_text("utf-8"))


def say(language: Language, key: str, **values: object) -> str:
    """A phrase of phrases.toml with values in it."""
    return _phrases()[language][key].format(**values) if values else _phrases()[language][key]


def closed(text: str, language: Language = "en") -> str:
    """A text, and under it the line that says what this model is."""
    return f"{text}\n\n{say(language, 'closing')}"


def ranked(question: Question, readings: Sequence[Reading]) -> list[Hit]:
    """The passages that speak of a question, the best first."""
    found = tool_results.hits(question.subject, readings)
    fitting = [Hit(hit.reading, hit.place, hit.score * question.fitness(hit.passage.text)) for hit in found]
    return sorted(fitting, key=lambda hit: -hit.score)


def answer(question: Question, found: Found, readings: Sequence[Reading]) -> str:
    """The answer to a question.

    Args:
        question: The question.
        found: The results of the tools in this turn; their failures and notes are named.
        readings: The texts that may be quoted.
    """
    language, hits = question.language, ranked(question, readings)
    query = markdown.quoted(questions.query(question.subject))
    files = list({reading.file.key: reading for reading in reversed(readings)}.values())[::-1]
    is_sure = bool(hits) and hits[0].score >= ranking.GOOD
    parts: list[str] = []
    if not readings or question.is_overview:
        parts += [_listed(listing, language) for listing in found.listings if listing.folder]
    if question.summary or not question.subject:
        parts += [beginning(reading, language) for reading in files[-4:]]
    elif readings and (not hits or hits[0].score < ranking.WEAK):
        parts.append(say(language, "not_in", files=", ".join(markdown.link(one.file) for one in files), query=query))
        parts += [say(language, "closest"), *_quoted(hits[0])] if hits else []
    elif readings:
        parts.append(_lead(hits[0], language))
        parts += [line for hit in _chosen(hits) for line in _quoted(hit)]
        parts += [] if is_sure else [say(language, "not_all", query=query)]
    if not parts and not found.failures:
        parts.append(say(language, "nothing" if query else "ask_for_more", query=query))
    footnotes = [_footnote(hits[0])] if any("[^1]" in part for part in parts) else []
    return closed("\n\n".join([*parts, *_reports(found, language, is_sure=is_sure), *footnotes]), language)


def beginning(reading: Reading, language: Language) -> str:
    """How a file begins, for questions that ask for nothing in particular."""
    file = markdown.link(reading.file)
    text = [passage for passage in reading.passages if passage.kind != "heading"][:3] or reading.passages[:1]
    if not text:
        return say(language, "empty", file=file)
    quotes = [_quote(list(group)) for _, group in groupby(text, lambda passage: (passage.kind, passage.block))]
    return "\n\n".join(
        [say(language, "begins", file=file), *quotes, f"— {markdown.place(reading.file, text[0].label)}"]
    )


def _lead(hit: Hit, language: Language) -> str:
    """A sentence that answers with the best passage."""
    where = markdown.link(hit.file) + (f" ({markdown.quoted(hit.label)})" if hit.label else "")
    key = "row" if hit.passage.kind == "row" else "sentence"
    return say(language, key, where=where, quote=markdown.quoted(_led(hit)), mark="[^1]" if _footnote(hit) else "")


def _led(hit: Hit) -> str:
    """The quote of the leading sentence: the passage, with the one under it if it is a heading."""
    size = 2 if hit.passage.kind == "heading" else 1
    text = " — ".join(one.text for one in hit.reading.passages[hit.place : hit.place + size])
    return markdown.shortened(text, _LEAD_CHARACTERS)


def _footnote(hit: Hit) -> str:
    """The footnote of the leading sentence; empty if the quote is too short for a match to mean something."""
    quote = ", ".join(filter(None, hit.passage.cells)) or _led(hit)
    if len(quote.split()) < _QUOTED_WORDS or len(quote) < _QUOTED_CHARACTERS:
        return ""
    return f"[^1]: “{markdown.quoted(quote)}” — {markdown.place(hit.file, hit.label)}"


def _chosen(hits: Sequence[Hit]) -> list[Hit]:
    """The best passage and those about as good, each text and paragraph once; of a table all such rows at once."""
    chosen: dict[tuple[str, str, int], Hit] = {}
    texts: set[str] = set()
    for hit in hits:
        if hit.score >= _ABOUT_AS_GOOD * hits[0].score and hit.passage.text not in texts and len(chosen) < QUOTES:
            chosen.setdefault((hit.file.key, hit.reading.part, hit.passage.block), hit)
            texts |= {one.text for one in passages.window(hit.reading.passages, hit.place)}
    return list(chosen.values())


def _quoted(hit: Hit) -> list[str]:
    """A passage, and under it the link to where it stands."""
    return [_quote(passages.window(hit.reading.passages, hit.place)), f"— {markdown.place(hit.file, hit.label)}"]


def _quote(found: Sequence[passages.Passage]) -> str:
    """Passages that stand together: rows as a table, others as a quotation."""
    if found[0].kind == "row":
        return markdown.table([list(found[0].columns), *(list(row.cells) for row in found if row.cells)])
    return markdown.blockquote([" ".join(one.text for one in found)])


def _listed(listing: Listing, language: Language) -> str:
    folder = markdown.link(listing.folder or File("", "The folder", ""))
    if not listing.files:
        return say(language, "empty_folder", folder=folder)
    folders = sum(file.is_folder for file in listing.files)
    count = max(listing.total, len(listing.files))
    counted = say(language, "one_folder" if folders == 1 else "many_folders", count=folders) if folders else ""
    counted += say(language, "one_file" if count - folders == 1 else "many_files", count=count - folders)
    lines = [say(language, "holds", folder=folder, files=counted), ""]
    for file in listing.files[:LISTED_FILES]:
        details = [file.kind, say(language, "modified", date=file.modified[:10]) if file.modified else ""]
        about = ", ".join(markdown.quoted(detail) for detail in details if detail)
        lines.append(f"- {markdown.link(file)}" + (f" — {about}" if about else ""))
    if count > LISTED_FILES:
        lines.append(say(language, "more", count=count - min(len(listing.files), LISTED_FILES)))
    return "\n".join(lines)


def _reports(found: Found, language: Language, *, is_sure: bool) -> list[str]:
    """Failures and gaps, each once; gaps within a file only where the answer may stand there."""
    reports: list[str] = []
    unreadable: dict[str, list[str]] = {}
    opened = {listing.folder.url for listing in found.listings if listing.folder}
    for failure in found.failures:
        reason = markdown.quoted(markdown.shortened(failure.text, 500))
        if failure.file:
            # A link that was opened as a folder afterwards was read.
            if failure.call.arguments.get("file") not in opened:
                unreadable.setdefault(reason, []).append(markdown.link(failure.file))
        elif failure.not_connected:
            reports.append(say(language, "not_connected"))
        else:
            reports.append(say(language, "failed", reason=reason))
    reports += [say(language, "unreadable", file=", ".join(files), reason=why) for why, files in unreadable.items()]
    reports += [
        say(language, "partial", note=markdown.quoted(listing.gap))
        for listing in found.listings
        if listing.gap and not (is_sure and listing.folder is None)
    ]
    reports += [
        say(language, "note", file=markdown.link(reading.file), note=markdown.quoted(note))
        for reading in ([] if is_sure else found.readings)
        for note in _FOR_PEOPLE.findall(reading.note)
    ]
    return list(dict.fromkeys(reports))
