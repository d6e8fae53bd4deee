"""The final answer: Markdown with quotes, their sources, and notes on files that could not be read."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from sandbox import ranking
from sandbox.conversation import Call, Step
from sandbox.model import questions, tool_results, words
from sandbox.model.markdown import blockquote, link, place, quoted, shortened, table
from sandbox.model.questions import Language, Question
from sandbox.model.tool_results import SEARCH, File, Found, Hit, Listing, Reading
from sandbox.passages import Passage

LISTED_FILES = 50
_MOST_STATED = 3
_LEAD_CHARACTERS, _QUOTED_WORDS, _QUOTED_CHARACTERS = 420, 3, 12
_LEVEL = 0.95
"""A passage of another file is also quoted if its score is at least this share of the best score."""
_COMPARED = 0.6
"""The same for the second file of a comparison."""
_FOR_PEOPLE = re.compile(r"[^.]*(?:no text layer|picture)[^.]*\.")
"""A sentence of a tool's note that matters to people. Other sentences tell a model how to continue."""


@cache
def _phrases() -> dict[str, dict[str, str]]:
    return tomllib.loads((Path(__file__).parent / "phrases.toml").read_text("utf-8"))


def say(language: Language, key: str, **values: object) -> str:
    """A phrase of phrases.toml with its values filled in."""
    return _phrases()[language][key].format(**values) if values else _phrases()[language][key]


def final(language: Language, *parts: str) -> Step:
    """The last step: the parts of an answer, followed by the closing line, which says what this model is."""
    return Step("\n\n".join([*filter(None, parts), say(language, "closing")]))


class Footnotes(list[str]):
    """The footnotes of an answer in order."""

    def add(self, quote: str, where: str) -> str:
        """Adds a quote and a link to its place; returns the mark for the text."""
        mark = f"[^{len(self) + 1}]"
        self.append(f"{mark}: “{quote}” — {where}")
        return mark


def opened(text: str) -> str:
    """The text of an answer without its closing line."""
    return next(
        (text.removesuffix(end) for one in _phrases() if text.endswith(end := _phrases()[one]["closing"])), text
    )


def search(question: Question, queries: Sequence[str], phrase: str = "search", **conditions: str) -> Step:
    """A search in the Drive."""
    said = say(question.language, phrase, query=", ".join(f"“{one}”" for one in queries))
    return Step(said, (Call("", SEARCH, {**conditions, "queries": [*dict.fromkeys(queries)]}),))


def ranked(question: Question, readings: Sequence[Reading], *, in_other_words: bool = True) -> list[Hit]:
    """The passages that may answer a question, the best first."""
    readings = _of_kind(question, readings)
    found = tool_results.hits(question.wanted, readings)
    about = [hit for hit in found if question.is_named(f"{hit.passage.own} {hit.reading.paper.about}")]
    scored = [replace(hit, score=hit.score * _fitness(question, hit)) for hit in about]
    # Of equally good passages, one that has the names itself comes first, then that of the newest file.
    scored.sort(key=lambda hit: hit.file.modified, reverse=True)
    scored.sort(key=lambda hit: (-round(hit.score, 2), not question.is_named(hit.passage.text)))
    if is_sure(question, scored) or not in_other_words:
        return scored
    return _in_other_words(question, readings) or scored


def is_sure(question: Question, hits: Sequence[Hit]) -> bool:
    """Whether the best passage is of the requested kind, and has most of the words or is about the names."""
    fits = question.fits(hits[0].passage.text) if hits else False
    least = ranking.WEAK / 2 if question.names and fits else ranking.GOOD
    return fits is not False and bool(hits) and hits[0].score >= least


def _minimum_score(question: Question, hit: Hit, readings: Sequence[Reading]) -> float:
    """The minimum score of a passage that is stated.

    It is higher if the passage is not of the requested kind, or if the beginning of a word of the question occurs in no
    text that was read.
    """
    text = " ".join(f"{one.paper.about} {one.content}" for one in readings).casefold()
    lacks = any(word.casefold()[:5] not in text for word in question.wanted)
    return ranking.GOOD * 0.85 if lacks or question.fits(_leading_quote(hit)) is False else ranking.WEAK


def _fitness(question: Question, hit: Hit) -> float:
    """The weight of a hit: above 1 if it is of the requested kind. It is below 1 if it is not, or if it is a line of a
    letter's head that the question does not name.
    """
    label = tool_results.LABELLED.match(hit.passage.text) if hit.is_of_head else None
    if label is not None and not any(ranking.named(ranking.stem(word), label[0]) for word in question.wanted):
        return 0.4
    fits = question.fits(hit.passage.text)
    if fits is None:
        return 1.0
    # A row always fits, because the header of the table may contain its unit.
    if fits or hit.passage.kind == "row":
        return 1.15
    return 0.4 if question.names else 0.85


def _of_kind(question: Question, readings: Sequence[Reading]) -> Sequence[Reading]:
    """The readings of the kind of paper that a question names and about most of its names; all if none fits.

    If the question names both a kind and names, the result may be empty.
    """
    # A text in quotation marks may be anywhere in a paper, so it says nothing about the subject of the paper.
    asked, names = question.papers, [one for one in question.names if one not in question.quoted]
    kept = [one for one in readings if one.paper.papers & asked] or ([] if asked and names else readings)
    most = max((one.paper.is_about(names) for one in kept), default=0)
    return [one for one in kept if one.paper.is_about(names) == most] if most or not (asked and names) else []


def _in_other_words(question: Question, readings: Sequence[Reading]) -> list[Hit]:
    """The answer if no passage has the words of the question: the only sentence of the requested kind.

    It is searched in each paper if the question names a kind of paper, the newest first, or else in all papers that are
    about its names together.
    """
    most = max((one.paper.is_about(question.marks) for one in readings), default=0)
    about = [one for one in readings if most and one.paper.is_about(question.marks) == most]
    # Of several versions of a paper, only the newest one counts.
    newest = {
        re.sub(r"\d", "", one.title) or one.file.key: one for one in sorted(about, key=lambda one: one.file.modified)
    }
    about = [*newest.values()][::-1]
    if question.names and not question.papers:
        # A file in the language of the question would use its words, so only files in other languages remain.
        about = [one for one in about if question.is_foreign(one.content)]
    for group in [[one] for one in about] if question.papers else [about]:
        fitting = {
            one.text: Hit(reading, number, ranking.GOOD)
            for reading in group
            for number, one in enumerate(reading.passages)
            if one.kind == "sentence" and question.fits(one.text) and not tool_results.LABELLED.match(one.text)
        }
        if len(fitting) == 1:
            return [*fitting.values()]
    return []


def answer(question: Question, found: Found, readings: Sequence[Reading]) -> Step:
    """The answer to a question."""
    language, hits = question.language, ranked(question, readings)
    query = quoted(questions.query(question.subject))
    files = list({reading.file.key: reading for reading in reversed(readings)}.values())[::-1]
    sure = is_sure(question, hits)
    parts: list[str] = []
    notes = Footnotes()
    if not readings or question.is_overview:
        parts += [_listed(listing, language) for listing in found.listings if listing.folder]
    if question.summary or not question.subject:
        parts += [_beginning(reading, language) for reading in files[-4:]]
    elif readings and not sure and (not hits or hits[0].score < _minimum_score(question, hits[0], readings)):
        # Without links: these are not the sources of an answer.
        names = [quoted(one.file.name) for one in files]
        parts.append(say(language, "not_in", files=", ".join(names[:3]) + " …" * (len(names) > 3), query=query))
    elif readings:
        for hit in _to_state(question, hits):
            quote = _footnote_quote(hit)
            mark = notes.add(quoted(quote), place(hit.file, hit.label)) if quote else ""
            where = link(hit.file) + (f" ({quoted(hit.label)})" if hit.label else "")
            key = "row" if hit.passage.kind == "row" else "sentence"
            parts.append(say(language, key, where=where, quote=quoted(_leading_quote(hit)), mark=mark))
        parts += [*_quotation(hits[0].reading, hits[0].reading.passages[hits[0].place :][: _size(hits[0])])]
        parts += [] if sure else [say(language, "not_all", query=query)]
    if not parts and not found.failures:
        parts.append(say(language, "nothing" if query else "ask_for_more", query=query))
    return final(language, *parts, *_reports(found, language, is_sure=sure), *notes)


def _beginning(reading: Reading, language: Language) -> str:
    """The beginning of a file, for summaries and for questions without a subject."""
    text = [one for one in reading.passages if one.kind != "heading"][:3] or reading.passages[:1]
    if not text:
        return say(language, "empty", file=link(reading.file))
    together = [one for one in text if (one.kind, one.block) == (text[0].kind, text[0].block)]
    rest = [blockquote([one.text]) for one in text if one not in together]
    shown, where = _quotation(reading, together)
    return "\n\n".join([say(language, "begins", file=link(reading.file)), shown, *rest, where])


def _to_state(question: Question, hits: Sequence[Hit]) -> list[Hit]:
    """The passages to state: the best one, and passages of other files with another text and a score about as high.

    If the best one has what the question asks for, so has each of them; and the best one of a second file is stated
    beside it if the question compares two.
    """
    stated, first = [hits[0]], hits[0]
    is_comparison = words.find("compare", question.text) and question.fits(first.passage.own) is not False
    level = max(hit.score for hit in hits) * (_COMPARED if is_comparison else _LEVEL)
    for hit in hits:
        is_other = all(hit.file.key != one.file.key and hit.passage.text != one.passage.text for one in stated)
        fits = not question.fits(first.passage.text) or question.fits(hit.passage.own.replace("_", " "))
        if is_other and fits and hit.score >= level and len(stated) < (2 if is_comparison else _MOST_STATED):
            stated.append(hit)
    return stated


def _leading_quote(hit: Hit) -> str:
    """The quote of the leading sentence: the passage, followed by the next passage if it is a heading."""
    text = " — ".join(one.text for one in hit.reading.passages[hit.place : hit.place + _size(hit)])
    return shortened(text, _LEAD_CHARACTERS)


def _size(hit: Hit) -> int:
    """The number of passages that are quoted. Sentences after them carry no statement, so they are not."""
    return 2 if hit.passage.kind == "heading" else 1


def _footnote_quote(hit: Hit) -> str:
    """The quote in the footnote of a leading sentence; empty if it is so short that a match would mean nothing."""
    quote = ", ".join(filter(None, hit.passage.cells)) or _leading_quote(hit)
    if hit.passage.kind == "row" and len(quote.split()) < _QUOTED_WORDS:
        # A short row is quoted with its neighbours, because its words alone would match anywhere.
        near = [one for one in hit.reading.passages[max(0, hit.place - 1) : hit.place + 2] if one.kind == "row"]
        quote = ", ".join(cell for one in near if one.block == hit.passage.block for cell in one.cells if cell)
    is_short = len(quote.split()) < _QUOTED_WORDS or len(quote) < _QUOTED_CHARACTERS
    return "" if is_short else quote


def _quotation(reading: Reading, found: Sequence[Passage]) -> tuple[str, str]:
    """Consecutive passages as Markdown, and the link to their place. Rows become a table, others a quotation."""
    where = f"— {place(reading.file, found[0].label or reading.label)}"
    if found[0].kind == "row":
        return table([list(found[0].columns), *(list(row.cells) for row in found if row.cells)]), where
    return blockquote([" ".join(one.text for one in found)]), where


def _listed(listing: Listing, language: Language) -> str:
    folder = link(listing.folder or File("", "The folder", ""))
    if not listing.files:
        return say(language, "empty_folder", folder=folder)
    folders = sum(file.is_folder for file in listing.files)
    count = max(listing.total, len(listing.files))
    counted = say(language, "one_folder" if folders == 1 else "many_folders", count=folders) if folders else ""
    counted += say(language, "one_file" if count - folders == 1 else "many_files", count=count - folders)
    lines = [say(language, "holds", folder=folder, files=counted), ""]
    for file in listing.files[:LISTED_FILES]:
        details = [file.kind, say(language, "modified", date=file.modified[:10]) if file.modified else ""]
        about = ", ".join(quoted(detail) for detail in details if detail)
        lines.append(f"- {link(file)}" + (f" — {about}" if about else ""))
    if count > LISTED_FILES:
        lines.append(say(language, "more", count=count - min(len(listing.files), LISTED_FILES)))
    return "\n".join(lines)


def _reports(found: Found, language: Language, *, is_sure: bool) -> list[str]:
    """The sentences about failures and gaps, each once. A sure answer leaves out gaps of searches and within files."""
    reports: list[str] = []
    opened_folders = {listing.folder.url for listing in found.listings if listing.folder}
    unread: dict[str, list[str]] = {}
    for failure in found.failures:
        # A link that was opened as a folder afterwards was read.
        if failure.file and failure.call.arguments.get("file") not in opened_folders:
            unread.setdefault(failure.text, []).append(link(failure.file))
        elif not failure.file:
            reason = quoted(_two_sentences(failure.text))
            reports.append(say(language, "not_connected" if failure.not_connected else "failed", reason=reason))
    for text, files in unread.items():
        # A reason that concerns several files is one of Drive as a whole, which the page shows in full.
        reason = quoted(_two_sentences(text) if len(set(files)) > 1 else shortened(text, 500))
        reports.append(say(language, "unreadable", file=", ".join(dict.fromkeys(files)), reason=reason))
    gaps = [one.gap for one in found.listings if one.gap and not (is_sure and one.folder is None)]
    notes = [(one.file, note) for one in found.readings for note in _FOR_PEOPLE.findall(one.note) if not is_sure]
    reports += [say(language, "partial", note=quoted(gap)) for gap in gaps]
    reports += [say(language, "note", file=link(file), note=quoted(note)) for file, note in notes]
    return list(dict.fromkeys(reports))


def _two_sentences(text: str) -> str:
    return shortened(". ".join(text.split(". ", 2)[:2]).rstrip(".") + ".", 500)
