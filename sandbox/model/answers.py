"""The final answer: Markdown that quotes, names its sources, and says what could not be read."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from pathlib import Path

from sandbox import ranking
from sandbox.model import markdown, passages, questions, tool_results
from sandbox.model.questions import Language, Question
from sandbox.model.tool_results import File, Found, Hit, Listing, Reading

LISTED_FILES = 50
_MOST_STATED = 3
_LEAD_CHARACTERS, _QUOTED_WORDS, _QUOTED_CHARACTERS = 420, 3, 12
_FITS = 1.15
_LEVEL, _COMPARED = 0.95, 0.6
"""The share of the best score from which on a passage of another file is stated as well; the second one is that of
questions which compare files.
"""
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
    """The passages that answer a question, the best first; of equal ones, those of the newest file."""
    # A word that stands in nothing that was read tells nothing apart.
    known = " ".join(f"{one.head} {one.content}" for one in readings) if question.names else ""
    words = {word: weight for word, weight in question.wanted.items() if ranking.named(ranking.stem(word), known)}
    found = tool_results.hits(words or question.wanted, readings)
    fitting = [hit for hit in found if _has_names(question, hit) and _has_words(question, words, hit)]
    scored = [replace(hit, score=hit.score * _fitness(question, hit)) for hit in fitting]
    scored.sort(key=lambda hit: -hit.score)
    if not is_sure(question, scored) or question.is_foreign(scored[0].reading.content):
        scored = _in_other_words(question, readings) or scored
    level = [hit for hit in scored if question.names and hit.score >= _LEVEL * scored[0].score]
    return sorted(level, key=lambda hit: hit.file.modified, reverse=True) + scored[len(level) :]


def is_sure(question: Question, hits: Sequence[Hit]) -> bool:
    """Whether the best passage answers a question: it is of the kind that is asked for, and has most of its words or is
    about its names.
    """
    fits = question.fits(hits[0].passage.text) if hits else False
    return fits is not False and (hits[0].score >= ranking.GOOD or bool(question.names and fits))


def _fitness(question: Question, hit: Hit) -> float:
    """The weight of a hit: a sentence that only repeats the names that its file is about is seldom the answer."""
    if hit.passage.kind == "row":
        # The head of a table has the units: a row counts as one that fits.
        return 1.0 if question.fits("") is None else _FITS
    text = hit.passage.text.casefold()
    is_title = bool(question.names) and all(name.casefold() in text for name in question.names)
    return question.fitness(hit.passage.text) * (0.6 if is_title else 1.0)


def _has_names(question: Question, hit: Hit) -> bool:
    """Whether a passage, or the head of its file, has the names of the question."""
    return all(name.casefold() in f"{_own(hit)} {hit.reading.head}".casefold() for name in question.names)


def _has_words(question: Question, words: Mapping[str, float], hit: Hit) -> bool:
    """Whether a passage with these names has a third of the question's other words; with the head of its file, if that
    has the names.
    """
    own = _own(hit)
    if not question.names or not words or any(one.casefold() in own.casefold() for one in question.quoted):
        return True
    head = hit.reading.head if all(name.casefold() in hit.reading.head.casefold() for name in question.names) else ""
    return ranking.scores(words, [[(1.0, f"{own} {head}")]])[0] >= ranking.WEAK


def _own(hit: Hit) -> str:
    return f"{hit.passage.text} {hit.passage.heading} {' '.join(hit.passage.columns)}"


def _in_other_words(question: Question, readings: Sequence[Reading]) -> list[Hit]:
    """Where no passage has the words: the sentence of the kind that is asked for, in the first file that is about what
    the question names and has one alone.
    """
    most = max((one.file.is_about(question.marks) for one in readings), default=0)
    about = [one for one in readings if most and one.file.is_about(question.marks) == most]
    for reading in sorted(about, key=lambda one: question.is_foreign(one.content)):
        if question.names and not question.is_foreign(reading.content):
            # A file in the language of the question that it names would use its words.
            continue
        fitting = {
            one.text: Hit(reading, place, ranking.GOOD)
            for place, one in enumerate(reading.passages)
            if one.kind == "sentence" and question.fits(one.text) and not tool_results.LABELLED.match(one.text)
        }
        if len(fitting) == 1:
            return [*fitting.values()]
    return []


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
    sure = is_sure(question, hits)
    parts: list[str] = []
    stated: list[Hit] = []
    if not readings or question.is_overview:
        parts += [_listed(listing, language) for listing in found.listings if listing.folder]
    if question.summary or not question.subject:
        parts += [beginning(reading, language) for reading in files[-4:]]
    elif readings and (not hits or (hits[0].score < ranking.WEAK and not sure)):
        # Without links: these are not the sources of an answer.
        names = ", ".join(markdown.quoted(one.file.name) for one in files)
        parts.append(say(language, "not_in", files=names, query=query))
    elif readings:
        stated = _stated(question, hits)
        parts += [_lead(hit, language, number) for number, hit in enumerate(stated, 1)]
        parts += _quoted(hits[0])
        parts += [] if sure else [say(language, "not_all", query=query)]
    if not parts and not found.failures:
        parts.append(say(language, "nothing" if query else "ask_for_more", query=query))
    footnotes = [_footnote(hit, number) for number, hit in enumerate(stated, 1) if _footnote(hit, number)]
    return closed("\n\n".join([*parts, *_reports(found, language, is_sure=sure), *footnotes]), language)


def beginning(reading: Reading, language: Language) -> str:
    """The beginning of a file, for questions that ask for nothing in particular."""
    file = markdown.link(reading.file)
    text = [passage for passage in reading.passages if passage.kind != "heading"][:3] or reading.passages[:1]
    if not text:
        return say(language, "empty", file=file)
    quotes = [_quote(list(group)) for _, group in groupby(text, lambda passage: (passage.kind, passage.block))]
    return "\n\n".join(
        [say(language, "begins", file=file), *quotes, f"— {markdown.place(reading.file, text[0].label)}"]
    )


def _stated(question: Question, hits: Sequence[Hit]) -> list[Hit]:
    """The best passage, and of other files those that say something else as well as it does."""
    stated = [hits[0]]
    for hit in hits:
        is_other = all(hit.file.key != one.file.key and hit.passage.text != one.passage.text for one in stated)
        level = _COMPARED if question.compares else _LEVEL
        if is_other and hit.score >= level * max(one.score for one in hits) and len(stated) < _MOST_STATED:
            stated.append(hit)
    return stated


def _lead(hit: Hit, language: Language, number: int) -> str:
    """A sentence that answers with a passage."""
    where = markdown.link(hit.file) + (f" ({markdown.quoted(hit.label)})" if hit.label else "")
    key = "row" if hit.passage.kind == "row" else "sentence"
    mark = f"[^{number}]" if _footnote(hit, number) else ""
    return say(language, key, where=where, quote=markdown.quoted(_led(hit)), mark=mark)


def _led(hit: Hit) -> str:
    """The quote of the leading sentence: the passage, with the one under it if it is a heading."""
    size = 2 if hit.passage.kind == "heading" else 1
    text = " — ".join(one.text for one in hit.reading.passages[hit.place : hit.place + size])
    return markdown.shortened(text, _LEAD_CHARACTERS)


def _footnote(hit: Hit, number: int) -> str:
    """The footnote of the leading sentence; empty if the quote is too short for a match to mean something."""
    quote = ", ".join(filter(None, hit.passage.cells)) or _led(hit)
    if hit.passage.kind == "row" and len(quote.split()) < _QUOTED_WORDS:
        # A short row tells more with its neighbours.
        near = [one for one in hit.reading.passages[max(0, hit.place - 1) : hit.place + 2] if one.kind == "row"]
        quote = ", ".join(cell for one in near if one.block == hit.passage.block for cell in one.cells if cell)
    if len(quote.split()) < _QUOTED_WORDS or len(quote) < _QUOTED_CHARACTERS:
        return ""
    return f"[^{number}]: “{markdown.quoted(quote)}” — {markdown.place(hit.file, hit.label)}"


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
