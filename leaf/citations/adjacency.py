"""Finds quotations in a paragraph, list entry or table row, and the link that names their source. Pure.

The source of a quotation next to a link is the target of that link. For any other quotation, the only link of its
sentence or paragraph is assumed to be the source. In this case other sources are searched too, and titles and search
terms are skipped.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leaf.citations.blanks import blanked
from leaf.citations.syntax import ADDRESS, LINK, MARK, PLACE, Reference, Span, name_of, plain
from leaf.citations.tokens import words
from leaf.citations.units import sentence_ends, sentence_of, units

LEAST_WORDS = 4
"""The minimum number of words of a quotation that is not next to a link. Fewer words may be a name or a figure of
speech."""
LEAST_CHARACTERS = 18
_QUOTATION = re.compile(
    r"“([^“”]*)”|„([^“„”]*)[“”]|«([^«»]*)»|\"((?:[^\"\\]|\\.)*)\"|»([^»«]*)«|‹([^‹›]*)›|›([^‹›]*)‹|「([^「」]*)」|『([^『』]*)』|"
    r"‘((?:[^‘’]|’(?=\w))*)’(?!\w)|(?<![\w'])'((?:[^'\n]|'(?=\w))*)'(?![\w'])"
)
_INTRODUCES = re.compile(r"[^\n\x00.]{0,80}:[ \t]*\**|[ \t]*\([ \t]*")
_FOLLOWS = re.compile(r"[\s.,]*[(\u2013\u2014-]\s?")
_FOLLOWS_AS_A_NUMBER = re.compile(r"[\s.,;:!?)*_]*")
_NAME_OR_SEARCH = re.compile(
    r"\b(?:search|look|ask|check|quer|read|such|frag|prüf)\w*\b[^.“”\"„«»]{0,80}\b(?:for|about|nach|whether|ob)\b[\s:*_(]*\Z|"
    r"\b(?:search\w*|quer\w+|ask\w*|call\w*|named?|titled|entitled|titel|title|heißt|genannt\w*|namens|Suche|Anfrage|"
    r"phrase|term|Begriff|keywords?)[\s:*_(]*\Z",
    re.IGNORECASE,
)
"""Matches words before a quotation that mark it as a name or a search term."""
_BEFORE_CHARACTERS = 200
_MOST_LINKS = 50
_NOT_SOURCES = ("#", "mailto:", "/settings")
_NUMBER = re.compile(r"[\[\]\d\s]+\Z")


@dataclass(frozen=True, slots=True)
class _Source:
    """A link in a piece of text."""

    target: str
    name: str
    span: Span

    @property
    def is_number(self) -> bool:
        return _NUMBER.match(self.name) is not None


def in_sentences(bare: str, text: str) -> Iterator[tuple[Reference, Span]]:
    """Yields the quotations of a text whose source is named by a link, each with the position for its number.

    Args:
        bare: The text with NUL in place of code and of the definitions of footnotes, at the same positions.
        text: The text.
    """
    for unit in units(bare):
        start, end = unit.span
        piece = bare[start:end]
        lead_sources = _links_in(bare[slice(*unit.lead)], text[slice(*unit.lead)]) if unit.lead else []
        sources = _links_in(piece, text[start:end])
        if not sources and _only(lead_sources) is None:
            continue
        outside = blanked(piece, [one.span for one in sources])
        for (begin, stop), source, place, is_assumed in _quotations(piece, outside, sources, lead_sources):
            quote = plain(text[start + begin : start + stop])
            if not is_assumed or _is_quotation(quote, outside[max(0, begin - _BEFORE_CHARACTERS) : begin]):
                reference = Reference(quote, source.target, source.name, place, is_assumed=is_assumed)
                yield reference, (start + stop, start + stop)


def _quotations(
    piece: str, outside: str, sources: Sequence[_Source], lead_sources: Sequence[_Source]
) -> Iterator[tuple[Span, _Source, str, bool]]:
    """Yields quotations with their source, the named place, and whether the source is only assumed."""
    quotes = [found.span() for found in _QUOTATION.finditer(outside)]
    if not quotes:
        return
    marks = [found.start() for found in MARK.finditer(piece)]
    only, only_lead = _only(sources), _only(lead_sources)
    numbers = [one.span for one in sources if one.is_number]
    ends = sentence_ends(piece, sorted([*quotes, *(one.span for one in sources)]), numbers)
    for quote in quotes:
        sentence = sentence_of(ends, quote[0])
        if bisect_left(marks, sentence[0]) < bisect_left(marks, sentence[1]):
            continue
        source, between = _next_to(piece, sources, quote)
        if source is not None:
            yield quote, source, _place(between), False
        elif not marks and (source := only or _only(_within(sources, sentence)) or only_lead):
            near = max(sentence[0], quote[0] - _BEFORE_CHARACTERS), min(sentence[1], quote[1] + _BEFORE_CHARACTERS)
            yield quote, source, _place(outside[slice(*near)]), True


def _only(sources: Sequence[_Source]) -> _Source | None:
    """The first link, if all links have the same target; None if there are no links or several targets."""
    return sources[0] if len({one.target for one in sources}) == 1 else None


def _within(sources: Sequence[_Source], sentence: Span) -> Sequence[_Source]:
    """The links in a sentence, at most `_MOST_LINKS`."""
    first, end = (bisect_left(sources, place, key=lambda one: one.span[0]) for place in sentence)
    return sources[first : min(end, first + _MOST_LINKS)]


def _links_in(piece: str, text: str) -> list[_Source]:
    links = [_Source(one[2] or one[3] or "", name_of(one, text), one.span()) for one in LINK.finditer(piece)]
    rest = blanked(piece, [one.span for one in links]) if links else piece
    for one in ADDRESS.finditer(rest):
        address = one[0].rstrip(".,;:!?)*_")
        links.append(_Source(address, address, (one.start(), one.start() + len(address))))
    return sorted((one for one in links if not one.target.startswith(_NOT_SOURCES)), key=lambda one: one.span)


def _next_to(piece: str, sources: Sequence[_Source], quote: Span) -> tuple[_Source | None, str]:
    """The link next to a quotation, and the text between them; None and an empty text if there is no such link."""
    at = bisect_right(sources, quote[0], key=lambda one: one.span[1])
    # Only the neighbouring links count. A link further away names the source of other words.
    for source in sources[max(0, at - 1) : at + 1]:
        start, end = source.span
        between = piece[end : quote[0]] if end <= quote[0] else piece[quote[1] : start]
        before = end <= quote[0] and _INTRODUCES.fullmatch(between)
        follows = _FOLLOWS_AS_A_NUMBER if source.is_number else _FOLLOWS
        if before or (start >= quote[1] and (follows.fullmatch(between) or _FOLLOWS.fullmatch(between))):
            return source, between
    return None, ""


def _place(text: str) -> str:
    found = PLACE.search(text)
    return found[0].strip() if found else ""


def _is_quotation(quote: str, before: str) -> bool:
    """Whether the words between quotation marks are likely to be a quotation."""
    quoted = words(quote).split()
    if len(quoted) < LEAST_WORDS or len("".join(quoted)) < LEAST_CHARACTERS or _NAME_OR_SEARCH.search(before):
        return False
    longer = [word for word in quote.split() if sum(map(str.isalpha, word)) > 3]
    is_title = len(longer) > 1 and all(word.lstrip("(*_")[:1].isupper() for word in longer)
    return not is_title or quote.endswith((".", "!", "?"))
