"""Searches quotes in a text that was read. Pure; may keep a processor busy."""

import re
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, takewhile

from leaf.citations.tokens import Splitting, differs, spans, words
from leaf.texts.places import READ_BY_OCR, SPEAKER_NOTES, bare, is_in

LEAST_WORDS = 3
"""The minimum number of words in a quote or a piece of a quote. Fewer words occur in too many texts to prove
anything.
"""
LEAST_CHARACTERS = 12
GAP_CHARACTERS = 2000
"""The maximum number of characters that a quote may omit between two pieces."""
CONTEXT_CHARACTERS = 160
_ELLIPSIS = re.compile(r"(?:(?<!\s)\s+)?[\[(]?(?:…|\.\s?\.\s?\.)[\])]?\s*")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|~<>-])")
_SIGNS = re.compile(
    r"^(?:#{1,6}[ \t]|\[(?:page|slide|sheet|section|lines?|rows?|picture|attachment) [^\[\]\n]{1,400}\][ \t]*$"
    r"|[ \t]*\|[ \t:|-]+\|[ \t]*$)",
    re.MULTILINE,
)
"""Markdown's heading marks, the rule below a table header, and Leaf's own lines with places."""
_LABEL = re.compile(rf"^{SPEAKER_NOTES}$", re.MULTILINE)
_LONGEST_WORD = 40
_RUNNING_LINES = 3
"""How many lines at the top and at the bottom of a page may be its running titles and numbers."""
_LINE = re.compile(r"[^\n]+")
_DIGITS = re.compile(r"\d+")
_Lines = list[tuple[str, int, int]]
"""Lines, each with zeros for its numbers, its begin and its end."""
_CELLS = re.compile(r"\|(?: \|)+ ")
_CLOSING = re.compile(r"\*{0,3}[.!?][\"”’»)]?(?!\S)")
"""The end of a sentence directly after a quote, which belongs to the quote."""
_DENSE = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
"""Chinese characters; each carries about as much as two letters."""
_SPLITTINGS = (Splitting.USUAL, Splitting.HYPHENS, Splitting.CELLS)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of text at a named place."""

    part: str
    """Name of the place, such as `page 3`, `sheet Budget`, `lines 1-400` or `all`."""
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """The position of a quote."""

    part: str
    """The place, such as `page 3`; empty if the text has no named places."""
    before: str
    after: str
    quote: str = ""
    """The quote in the spelling of the text; empty if the match joined hyphenated words or cells."""


class OutOfTime(Exception):
    """The deadline passed before the search ended."""


def long_enough(quote: str) -> bool:
    """Whether a quote is long enough for a match to prove something."""
    found = words(quote)
    characters = len(found.replace(" ", "")) + len(_DENSE.findall(found))
    return len(found.split()) >= LEAST_WORDS and characters >= LEAST_CHARACTERS


class Text:
    """One text, prepared for many quotes.

    Args:
        passages: The passages in order.
        deadline: End of the search, in seconds of `time.monotonic`.
        is_whole: Whether a quote also has to contain the running titles and numbers between two pages.
    """

    def __init__(self, passages: Sequence[Passage], deadline: float = float("inf"), *, is_whole: bool = False) -> None:
        self._passages = [_without_label(one) for one in passages]
        self._is_whole = is_whole
        self._deadline = deadline
        self._prepared: dict[Splitting, tuple[str, list[int]]] = {}
        self._differing: dict[Splitting, bool] = {}

    @cached_property
    def _continuous(self) -> "Text | None":
        """The text without the running titles and numbers of its pages; None if they have none."""
        passages = None if self._is_whole else _without_running_lines(self._passages)
        return Text(passages, self._deadline, is_whole=True) if passages else None

    def find(self, quote: str) -> Match | None:
        """The position of a quote in the text; None if it does not occur. A quote with `…` is searched piece by piece.

        Raises:
            OutOfTime: The deadline has passed.
        """
        if not long_enough(quote):
            return None
        for splitting in _SPLITTINGS:
            if not (splitting is Splitting.USUAL or differs(quote, splitting) or self._differs(splitting)):
                continue
            if found := self._find(quote, splitting):
                return self._match(found, splitting)
        return self._continuous.find(quote) if self._continuous is not None else None

    def stretches(self, quote: str) -> list[tuple[int, int, int]]:
        """The stretches of text that a quote covers, each as the number of the passage, and the begin and end in it.

        Raises:
            OutOfTime: The deadline has passed.
        """
        found: list[tuple[int, int, int]] = []
        for splitting in _SPLITTINGS:
            for start, end in self._find(quote, splitting) if words(quote, splitting) else ():
                (first, begin), (last, finish) = self._place_of(start, end, splitting)
                for number in range(first, last + 1):
                    whole = len(self._passages[number].text)
                    found.append((number, begin if number == first else 0, finish if number == last else whole))
            if found:
                return found
        return self._continuous.stretches(quote) if self._continuous is not None else []

    def _find(self, quote: str, splitting: Splitting) -> list[tuple[int, int]]:
        """Begin and end of each piece of a quote in the normalised words of the text; empty if the quote does not
        occur.
        """
        text = self._words(splitting)[0]
        whole = words(quote, splitting)
        at = text.find(whole)
        if at >= 0:
            return [(at, at + len(whole))]
        pieces = [words(piece, splitting) for piece in _ELLIPSIS.split(quote)]
        pieces = [piece for piece in pieces if piece]
        if len(pieces) > 1 and any(len(piece.split()) < LEAST_WORDS for piece in pieces):
            return []
        return _in_order(text, pieces, self._check) if pieces else []

    def _words(self, splitting: Splitting) -> tuple[str, list[int]]:
        """The normalised words of all passages as one string, and the offset of each passage in it."""
        if splitting not in self._prepared:
            found: list[str] = []
            for number, passage in enumerate(self._passages):
                self._check()
                if splitting is Splitting.USUAL or differs(passage.text, splitting):
                    found.append(words(passage.text, splitting)[:-1])
                else:
                    text, begins = self._words(Splitting.USUAL)
                    found.append(text[begins[number] : begins[number + 1]])
            begins = [0, *accumulate(map(len, found))]
            self._prepared[splitting] = "".join(found) + " ", begins
        return self._prepared[splitting]

    def _differs(self, splitting: Splitting) -> bool:
        if splitting not in self._differing:
            self._differing[splitting] = any(differs(passage.text, splitting) for passage in self._passages)
        return self._differing[splitting]

    def _check(self) -> None:
        if time.monotonic() > self._deadline:
            raise OutOfTime

    def _match(self, pieces: Sequence[tuple[int, int]], splitting: Splitting) -> Match:
        places = [self._place_of(start, end, splitting) for start, end in pieces]
        (first, begin), (last, finish) = places[0][0], places[-1][1]
        before = _surroundings(self._passages[first].text, max(0, begin - CONTEXT_CHARACTERS), begin)
        after = _surroundings(self._passages[last].text, finish, finish + CONTEXT_CHARACTERS)
        quote = " … ".join(self._between(*one) for one in places) if splitting is Splitting.USUAL else ""
        blank = " " if after and self._passages[last].text[finish : finish + 1].isspace() else ""
        return Match(place_name(self._passages, first, last, begin), before, blank + after, quote)

    def _place_of(self, start: int, end: int, splitting: Splitting) -> tuple[tuple[int, int], tuple[int, int]]:
        """Converts a range of the normalised words into two positions in the text, each with a passage number and an
        offset.
        """
        begins = self._words(splitting)[1]
        first, last = self._passage_at(begins, start), self._passage_at(begins, end - 2)
        begin = _offsets(self._passages[first].text, start - begins[first], splitting)[0]
        finish = _offsets(self._passages[last].text, end - 2 - begins[last], splitting)[1]
        closing = _CLOSING.match(self._passages[last].text, finish)
        return (first, begin), (last, closing.end() if closing else finish)

    def _between(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """The original text between two positions, without Markdown's marks."""
        (first, begin), (last, finish) = start, end
        texts = [passage.text for passage in self._passages[first : last + 1]]
        texts[-1] = texts[-1][:finish]
        texts[0] = texts[0][begin:]
        plain = _LINK.sub(r"\1", "\n".join(texts)).replace("**", "")
        return _flat(_ESCAPED.sub(r"\1", plain))

    def _passage_at(self, begins: Sequence[int], place: int) -> int:
        # A passage without words has the same offset as the next one. The last passage at an offset holds the word.
        return min(bisect_right(begins, place) - 1, len(self._passages) - 1)


def _without_running_lines(passages: Sequence[Passage]) -> list[Passage] | None:
    """The passages with blanks in place of the first and last lines of pages that other pages have as well, apart from
    digits; None if there are none.
    """
    edges = [_edges(one.text) if is_in(one.part, "page") else ([], []) for one in passages]
    shared = Counter(key for top, bottom in edges for key in {line[0] for line in (*top, *bottom)})

    def running(page: tuple[_Lines, _Lines]) -> list[tuple[int, int]]:
        return [line[1:] for edge in page for line in takewhile(lambda line: shared[line[0]] > 1, edge)]

    stretches = [running(page) for page in edges]
    if not any(stretches):
        return None
    return [replace(one, text=_blanked(one.text, found)) for one, found in zip(passages, stretches, strict=True)]


def _without_label(passage: Passage) -> Passage:
    """A passage with blanks in place of the line before the notes of a slide, which is not in the file."""
    if not is_in(passage.part, "slide"):
        return passage
    return replace(passage, text=_LABEL.sub(" " * len(SPEAKER_NOTES), passage.text))


def _edges(text: str) -> tuple[_Lines, _Lines]:
    """The first and the last lines of a page, from the edge inwards."""
    lines = [(_DIGITS.sub("0", one[0].strip()), *one.span()) for one in _LINE.finditer(text) if one[0].strip()]
    most = min(_RUNNING_LINES, len(lines) // 2)
    return lines[:most], lines[::-1][:most]


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for begin, end in spans:
        text = text[:begin] + " " * (end - begin) + text[end:]
    return text


def _in_order(text: str, pieces: Sequence[str], check: Callable[[], None]) -> list[tuple[int, int]]:
    start = text.find(pieces[0])
    while start >= 0:
        check()
        end = start + len(pieces[0])
        found = [(start, end)]
        for piece in pieces[1:]:
            # A piece may begin with the space that ends the piece before it.
            at = text.find(piece, end - 1, end + GAP_CHARACTERS + len(piece))
            if at < 0:
                break
            end = at + len(piece)
            found.append((at, end))
        else:
            return found
        start = text.find(pieces[0], start + 1)
    return []


def _offsets(text: str, place: int, splitting: Splitting) -> tuple[int, int]:
    """Begin and end in the text of the word at an offset of the normalised words."""
    passed, found = 0, (0, 0)
    for begin, end, length in spans(text, splitting):
        passed, found = passed + length + 1, (begin, end)
        if passed > place:
            break
    return found


def place_name(passages: Sequence[Passage], first: int, last: int, begin: int) -> str:
    """The name of the place of a stretch of text, such as `page 3` or `section Costs`; empty if the text has no named
    places.

    Args:
        passages: The passages of the text in order.
        first: The number of the passage in which it begins.
        last: The number of the passage in which it ends.
        begin: Its begin in its first passage.
    """
    part, text = passages[first].part, passages[first].text
    kind = part.partition(" ")[0]
    if kind in {"lines", "rows"}:
        number = _first_of(part) + text.count("\n", 0, begin)
        return f"{kind[:-1]} {number}"
    if part in {"", "all"}:
        return _section(text[: begin + 1])
    if last > first and kind in {"page", "slide"} and passages[last].part.startswith(kind):
        first_number, last_number = (bare(one).partition(" ")[2] for one in (part, passages[last].part))
        recognised = part.endswith(READ_BY_OCR) and passages[last].part.endswith(READ_BY_OCR)
        return f"{kind}s {first_number}-{last_number}{READ_BY_OCR if recognised else ''}"
    return part


def _section(text: str) -> str:
    """The last heading in a text as `section …`; empty if there is none."""
    for line in reversed(text.splitlines()):
        stripped = line.strip()
        level = len(stripped) - len(stripped.lstrip("#"))
        title = stripped[level:].rstrip(" \t#").strip("*_ \t")
        if 1 <= level <= 6 and stripped[level : level + 1] in {" ", "\t"} and title:
            return f"section {title}"
    return ""


def _first_of(part: str) -> int:
    number = re.search(r"\d+", part)
    return int(number[0]) if number else 1


def _flat(text: str) -> str:
    return " ".join(text.split())


def _cut_off(text: str) -> int:
    """The number of letters of a cut word after the first; 0 in scripts without spaces between words."""
    rest = sum(1 for _ in takewhile(str.isalnum, text))
    return rest - 1 if 0 < rest <= _LONGEST_WORD else 0


def _surroundings(text: str, begin: int, end: int) -> str:
    """The text before or after a quote, on one line and in whole words, without marks of headings, tables and
    places.
    """
    end = min(end, len(text))
    begin += _cut_off(text[max(0, begin - 1) : end]) if begin else 0
    end -= _cut_off(text[begin : end + 1][::-1]) if end < len(text) else 0
    # A mark counts only at the beginning of a line, and that beginning may be cut off.
    whole = text.rfind("\n", 0, begin) + 1 == begin
    plain = _SIGNS.sub("", f"{'' if whole else 'x'}{text[begin:end]}")[0 if whole else 1 :]
    return _CELLS.sub("| ", _flat(plain.replace("**", "")) + " ").strip(" |" if "|" in plain else None)
