"""Splits a file into statements: sentences and lines, each with its place, heading and words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from leaf.citations.facts import Stated, sentences, stated, words_of
from leaf.citations.tokens import words
from leaf.documents import Segment
from leaf.texts.places import is_in

CHARACTERS: Final = 200_000
"""The maximum number of characters of one file that are compared. All files together have at most `ALL_CHARACTERS`."""
ALL_CHARACTERS: Final = 1_000_000
MOST: Final = 6_000
"""The maximum number of statements of one file that are compared."""
_ABOUT_CHARACTERS: Final = 80
_HEADING_CHARACTERS: Final = 90
_TITLE_WORDS: Final = 6
_HEADING = re.compile(r"#{1,6}[ \t]+(?=\S)")
_NUMBER = re.compile(
    r"(?:(?:article|artikel|clause|section|paragraph|ziffer|absatz|art\.|§)[ \t]*)?"
    r"(?:\d{1,3}(?:\.\d{1,3}){0,4}[.):]?|\(\d{1,3}\)|\(?[a-z][).]|\([ivx]{1,5}\))[ \t]+(?=[^\W\d_])",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:[-*+•–]|\[[ x]\])[ \t]+", re.IGNORECASE)
_MARKS = re.compile(r"\\(?=[\\`*_{}\[\]()#+.!|~<>-])|\*\*|__")
_LABEL = re.compile(r"[^\W\d_][^:|]{0,30}: ")
_SENTENCE_ENDS = (".", "!", "?", ":", ";")
_SHORT: Final = 0.6
"""A line of a page may be a heading if it is shorter than this share of the longest line."""
_FORM_CHARACTERS: Final = 60
"""A labelled line such as `Date: 3 May 2026` does not continue in the next line if it is shorter than this."""
FIRST_WORDS: Final = 4
_PUNCTUATION = (".", "!", "?", ";", ",", ":")
_LANGUAGES: Final = {
    "English": "the and of to is in for with by shall are this be not",
    "German": "der die das und ist mit für nicht von den dem ein eine im zu wird werden",
    "French": "le les des est et une pour dans du au aux par sur sont qui",
    "Spanish": "el los las una por con para es del que se su y al como",
    "Italian": "il che della per una di con è del gli nel alla sono dei le",
}
_LANGUAGE_OF: Final = {
    word: [name for name, known in _LANGUAGES.items() if word in known.split()]
    for word in {word for known in _LANGUAGES.values() for word in known.split()}
}
_LANGUAGE_CHARACTERS: Final = 20_000
_LANGUAGE_WORDS: Final = 8
"""The minimum number of function words that identify a language."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, or a line of a list."""

    place: str
    heading: str
    """The heading or numbered clause above it."""
    text: str
    key: str
    """The normalised words by which statements are compared."""
    stems: frozenset[str]

    @property
    def begin(self) -> list[str]:
        """The first words of the key."""
        return self.key.split(" ", FIRST_WORDS)[:FIRST_WORDS]

    @property
    def is_heading(self) -> bool:
        """Whether it is a heading itself."""
        return self.heading.endswith(self.text)

    @property
    def about(self) -> str:
        """A short description of its subject: its heading, or its first words."""
        if self.heading:
            return self.heading
        short = self.text[:_ABOUT_CHARACTERS]
        return self.text if short == self.text else f"{short.rsplit(' ', 1)[0]} …"


@dataclass(frozen=True)
class Statements:
    """The statements in the compared part of a text."""

    found: list[Statement]
    characters: int
    """The number of characters that were compared."""
    total: int
    language: str
    """The English name of the text's language; empty if it is not recognised."""


def of(segments: Sequence[Segment], limit: int) -> Statements:
    """Returns the distinct statements of a text.

    Args:
        segments: The text.
        limit: The number of characters that are compared.
    """
    found: dict[str, Statement] = {}
    left, total = limit, sum(len(one.text) for one in segments)
    compared: list[Segment] = []
    for segment in segments:
        if left <= 0:
            break
        compared.append(replace(segment, text=segment.text[:left]))
        left -= len(segment.text)
    for place, heading, sentence in _joined_over_pages(_sentences(compared)):
        key = words(sentence).strip()
        if key and key not in found:
            # Amounts such as "two years" and "36 months" do not say what a sentence is about.
            bare = without_values(sentence, stated(sentence))
            stems = words_of(bare) or frozenset(words(bare).split()) or frozenset(key.split())
            found[key] = Statement(place, heading, sentence, key, stems)
            if len(found) >= MOST:
                break
    sample = " ".join(one.text[: _LANGUAGE_CHARACTERS // 4] for one in compared[:4])
    return Statements([*found.values()], min(limit, total), total, language(sample))


def without_values(text: str, values: Sequence[Stated]) -> str:
    """A statement without its amounts and dates."""
    for one in values:
        text = text[: one.begin] + " " * (one.end - one.begin) + text[one.end :]
    return text


def _sentences(segments: Iterable[Segment]) -> Iterator[tuple[str, str, str]]:
    """Yields the place, the heading and the text of each sentence."""
    for segment in segments:
        kind, _, name = segment.part.partition(" ")
        section = name if kind == "section" else "" if kind == "page" else segment.title or ""
        for heading, sentence in _of_text(segment.text, section, is_page=kind == "page"):
            yield segment.place, heading, sentence


def _joined_over_pages(sentences: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """Joins the parts of sentences that a page break divides, and yields all sentences."""
    before: tuple[str, str, str] | None = None
    for place, heading, sentence in sentences:
        if before is not None and before[0] != place and is_in(place, "page") and _continues(before, heading):
            before = (before[0], before[1], f"{before[2]} {sentence}")
            continue
        if before is not None:
            yield before
        before = place, heading, sentence
    if before is not None:
        yield before


def _continues(before: tuple[str, str, str], heading: str) -> bool:
    return not heading and not before[2].endswith(_SENTENCE_ENDS) and not before[1].endswith(before[2])


def language(text: str) -> str:
    """The English name of a text's language; empty if it is uncertain."""
    counts = dict.fromkeys(_LANGUAGES, 0)
    for word in text[:_LANGUAGE_CHARACTERS].lower().split():
        for name in _LANGUAGE_OF.get(word, ()):
            counts[name] += 1
    (best, most), (_, second) = sorted(counts.items(), key=lambda one: -one[1])[:2]
    return best if most >= _LANGUAGE_WORDS and most >= 1.5 * second else ""


def _of_text(text: str, section: str, *, is_page: bool) -> Iterator[tuple[str, str]]:
    """Yields the sentences of a text, each after the heading above it."""
    heading = clause = section
    for line, is_heading in _paragraphs(text, is_page=is_page):
        if line.count("|") > 1:
            if line.strip("|:- "):
                yield heading, line.strip("| ")
            continue
        number = _NUMBER.match(line)
        rest = line[number.end() :] if number else line
        if is_heading:
            heading = clause = line[:_HEADING_CHARACTERS]
            # A heading is a statement too, so that an added or renamed heading is a difference.
            yield heading, rest
            continue
        if number:
            # A clause such as "4.2 The rent is …" belongs to the heading above it. Without one, its first words are
            # its title.
            clause = heading if heading != section else f"{number[0].strip()} {_first_words(rest)}"
        for sentence in sentences(rest, cut=True):
            yield clause, sentence


def _is_title(text: str) -> bool:
    """Whether a line, without its number, is short enough for a title and has no digits and no punctuation at the
    end.
    """
    return len(text.split()) <= _TITLE_WORDS and not text.endswith(_PUNCTUATION) and not any(map(str.isdigit, text))


def _first_words(text: str) -> str:
    title = text.partition(". ")[0]
    return title if len(title) <= 40 else " ".join(text.split()[:4])


def _paragraphs(text: str, *, is_page: bool) -> Iterator[tuple[str, bool]]:
    """Yields the paragraphs of a text, each on one line, and whether it is a heading. Lines of lists and forms are
    paragraphs of their own.

    Args:
        text: The text.
        is_page: Whether the text is a page of a PDF. Such text has no blank lines, so a short line may be a heading.
    """
    lines: list[str] = []
    raw_lines = text.splitlines()
    short = _SHORT * max(map(len, raw_lines), default=0) if is_page else 0
    for raw in raw_lines:
        line = _MARKS.sub("", raw).strip()
        heading, item = _HEADING.match(line), _ITEM.match(line)
        is_free = not lines or lines[-1].endswith(_SENTENCE_ENDS)
        number = _NUMBER.match(line)
        if number and not is_free and (is_page or number[0].rstrip()[-1] not in ".):"):
            # The number is part of a sentence that was broken before it.
            number = None
        is_apart = is_free and 0 < len(line) < short and line[0].isupper()
        if heading or ((number or is_apart) and _is_title(line[number.end() if number else 0 :])):
            yield from _joined(lines)
            yield line[heading.end() if heading else 0 :].strip(" #"), True
            continue
        # On a page, text that follows a colon and begins a line with a capital is a paragraph of its own.
        is_announced = is_page and bool(lines) and lines[-1].endswith(":") and line[:1].isupper()
        if not line or item or number or is_announced or line.startswith("|") or _LABEL.match(line):
            yield from _joined(lines)
        if line:
            lines.append(line[item.end() :] if item else line.lstrip("> "))
        if len(line) < _FORM_CHARACTERS and _LABEL.match(line):
            yield from _joined(lines)
    yield from _joined(lines)


def _joined(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yields the collected lines as one paragraph, and clears them."""
    if lines:
        yield " ".join(lines), False
        lines.clear()
