"""The final answer: Markdown that quotes, names its sources, and says what could not be read."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from sandbox import ranking
from sandbox.model import markdown, passages, questions, tool_results
from sandbox.model.questions import Language, Question
from sandbox.model.tool_results import File, Found, Hit, Listing, Reading

LISTED_FILES, TABLE_ROWS, QUOTES = 50, 8, 4
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
    found = tool_results.hits(dict(question.subject), readings)
    fitting = [Hit(hit.reading, hit.place, hit.score * question.fitness(hit.passage.text)) for hit in found]
    return sorted(fitting, key=lambda hit: -hit.score)


def answer(question: Question, found: Found, readings: Sequence[Reading]) -> str:
    """The answer to a question.

    Args:
        question: The question.
        found: What the tools returned in this turn; its failures and notes are named.
        readings: What may be quoted.
    """
    language, hits = question.language, ranked(question, readings)
    is_sure = bool(hits) and hits[0].score >= ranking.GOOD
    if not readings:
        parts = [_listed(listing, language) for listing in found.listings] or _unread(found, language)
    elif question.summary or not question.subject:
        listed = [] if question.summary else [_listed(listing, language) for listing in found.listings]
        parts = listed + [beginning(reading, language) for reading in _first_of_each(readings)[-4:]]
    elif not hits or hits[0].score < ranking.WEAK:
        parts = _not_in(question, hits, readings)
    else:
        parts = [_lead(hits[0], language), *_quotations(_chosen(hits))]
        if not is_sure:
            parts.append(say(language, "not_all", query=markdown.quoted(questions.query(question.subject))))
    if not parts and not found.lasting_failures:
        parts = [_nothing_found(question, found)]
    footnotes = [_footnote(hits[0])] if any("[^1]" in part for part in parts) else []
    return closed("\n\n".join([*parts, *_reports(found, language, is_sure=is_sure), *footnotes]), language)


def beginning(reading: Reading, language: Language) -> str:
    """How a file begins, for questions that ask for nothing in particular."""
    file = markdown.link(reading.file)
    text = [passage for passage in reading.passages if passage.kind != "heading"][:3] or reading.passages[:1]
    if not text:
        return say(language, "empty", file=file)
    lines = [say(language, "begins", file=file)]
    if text[0].kind == "row":
        lines.append(_rows([passage for passage in reading.passages if passage.columns == text[0].columns]))
    else:
        lines.append(_blockquote(text))
    titles = [markdown.quoted(passage.text) for passage in reading.passages if passage.kind == "heading"]
    if len(titles) > 1:
        lines.append(say(language, "parts", titles="; ".join(titles[:12])))
    return "\n\n".join([*lines, f"— {markdown.place(reading.file, text[0].label)}"])


def _lead(hit: Hit, language: Language) -> str:
    """A sentence that answers with the best passage."""
    where = markdown.link(hit.file) + (f" ({markdown.quoted(hit.label)})" if hit.label else "")
    key = "row" if hit.passage.kind == "row" else "sentence"
    return say(language, key, where=where, quote=markdown.quoted(_led(hit)), mark="[^1]" if _footnote(hit) else "")


def _led(hit: Hit) -> str:
    """The quote of the leading sentence: the passage, with the one under it if it is a heading."""
    place, text = hit.place, hit.passage.text
    if hit.passage.kind == "heading":
        text = " — ".join(one.text for one in hit.reading.passages[place : place + 2])
    return markdown.shortened(text, _LEAD_CHARACTERS)


def _footnote(hit: Hit) -> str:
    """The footnote of the leading sentence; empty if the quote is too short for a match to mean something."""
    quote = ", ".join(filter(None, hit.passage.cells)) or _led(hit)
    if len(quote.split()) < _QUOTED_WORDS or len(quote) < _QUOTED_CHARACTERS:
        return ""
    return f"[^1]: “{markdown.quoted(quote)}” — {markdown.place(hit.file, hit.label)}"


def _chosen(hits: Sequence[Hit]) -> list[Hit]:
    """The best passage and those about as good, each text and paragraph once."""
    chosen: dict[tuple[str, int, str], Hit] = {}
    texts: set[str] = set()
    for hit in hits:
        is_row = hit.passage.kind == "row"
        key = (hit.file.key, hit.passage.block, hit.passage.text if is_row else hit.reading.part)
        if hit.score >= _ABOUT_AS_GOOD * hits[0].score and hit.passage.text not in texts and len(chosen) < QUOTES:
            chosen.setdefault(key, hit)
            texts |= {one.text for one in passages.window(hit.reading.passages, hit.place)}
    return list(chosen.values())


def _quotations(hits: Sequence[Hit]) -> list[str]:
    """The passages file by file, each followed by the link to where it stands."""
    parts: list[str] = []
    for file in dict.fromkeys(hit.file for hit in hits):
        mine = [hit for hit in hits if hit.file == file]
        for hit in mine:
            if hit.passage.kind != "row":
                around = passages.window(hit.reading.passages, hit.place)
                parts += [_blockquote(around), f"— {markdown.place(file, hit.label)}"]
        rows = [hit for hit in mine if hit.passage.kind == "row"]
        if rows:
            same = [hit.passage for hit in rows if hit.passage.columns == rows[0].passage.columns]
            parts += [_rows(same), f"— {markdown.place(file, rows[0].label)}"]
    return parts


def _blockquote(found: Sequence[passages.Passage]) -> str:
    lines: dict[int, str] = {}
    for passage in found:
        start = lines.get(passage.block, passage.bullet)
        lines[passage.block] = f"{start} {passage.text}".strip()
    return markdown.blockquote(list(lines.values()))


def _rows(rows: Sequence[passages.Passage]) -> str:
    head = list(rows[0].columns) or [""] * len(rows[0].cells)
    return markdown.table([head, *(list(row.cells) for row in rows[:TABLE_ROWS])])


def _first_of_each(readings: Sequence[Reading]) -> list[Reading]:
    return list({reading.file.key: reading for reading in reversed(readings)}.values())[::-1]


def _not_in(question: Question, hits: Sequence[Hit], readings: Sequence[Reading]) -> list[str]:
    files = [markdown.link(reading.file) for reading in _first_of_each(readings)]
    query = markdown.quoted(questions.query(question.subject))
    parts = [say(question.language, "not_in", files=", ".join(files), query=query)]
    if hits:
        parts += [say(question.language, "closest"), *_quotations(hits[:1])]
    else:
        parts.append(beginning(readings[0], question.language))
    return parts


def _listed(listing: Listing, language: Language) -> str:
    folder = markdown.link(listing.folder or File("", "The folder", ""))
    if not listing.files:
        return say(language, "empty_folder", folder=folder)
    folders = sum(file.is_folder for file in listing.files)
    count = max(listing.total, len(listing.files))
    counted = say(language, "one_folder" if folders == 1 else "many_folders", count=folders) if folders else ""
    counted += say(language, "one_file" if count - folders == 1 else "many_files", count=count - folders)
    lines = [say(language, "holds", folder=folder, files=counted), "", *_bullets(listing.files, language)]
    if count > LISTED_FILES:
        lines.append(say(language, "more", count=count - min(len(listing.files), LISTED_FILES)))
    return "\n".join(lines)


def _bullets(files: Sequence[File], language: Language) -> list[str]:
    lines: list[str] = []
    for file in files[:LISTED_FILES]:
        details = [file.kind, say(language, "modified", date=file.modified[:10]) if file.modified else ""]
        about = ", ".join(markdown.quoted(detail) for detail in details if detail)
        lines.append(f"- {markdown.link(file)}" + (f" — {about}" if about else ""))
    return lines


def _unread(found: Found, language: Language) -> list[str]:
    """The files that a search found, where none was read."""
    files = found.files
    return [say(language, "unread") + "\n\n" + "\n".join(_bullets(files, language))] if files else []


def _nothing_found(question: Question, found: Found) -> str:
    queries = dict.fromkeys(search.query for search in found.searches if search.query)
    query = "”, “".join(queries) or questions.query(question.subject)
    return say(question.language, "nothing" if query else "ask_for_more", query=markdown.quoted(query))


def _reports(found: Found, language: Language, *, is_sure: bool) -> list[str]:
    """Failures and gaps, each once; gaps within a file only where the answer may stand there."""
    reports: list[str] = []
    for failure in found.lasting_failures:
        reason = markdown.quoted(markdown.shortened(failure.text, 500))
        if failure.file:
            reports.append(say(language, "unreadable", file=markdown.link(failure.file), reason=reason))
        elif failure.not_connected:
            reports.append(say(language, "not_connected"))
        else:
            reports.append(say(language, "failed", tool=failure.call.name, reason=reason))
    reports += [
        say(language, "partial", note=markdown.quoted(listing.note or "more files exist."))
        for listing in (*found.listings, *found.searches)
        if listing.partial and not (is_sure and listing.folder is None)
    ]
    reports += [
        say(language, "note", file=markdown.link(reading.file), note=markdown.quoted(note))
        for reading in ([] if is_sure else found.readings)
        for note in _FOR_PEOPLE.findall(reading.note)
    ]
    return list(dict.fromkeys(reports))
