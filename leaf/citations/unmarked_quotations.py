"""Finds quotations without a footnote, whose source is a link next to, below or above them. Pure."""

import re
from collections.abc import Iterator

from leaf.citations.adjacency import in_sentences
from leaf.citations.blanks import blanked
from leaf.citations.syntax import LINK, MARK, PLACE, Reference, Span, name_of, plain

_BLOCKQUOTE = re.compile(r"(?:^ {0,3}>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_OWN_LINE = re.compile(r"(?:(?<! ) {2,}|\\)\n|\n(?= {0,3}>[ \t]*(?:\n|[-+*] |\d{1,3}[.)] ))")
_CUE = re.compile(
    r"\b(?:from|sources?|quot\w+|passage|wording|words|says?|said|reads?|according|taken|found|see|states?|writes|written|"
    r"puts|as|aus|Quelle|steht|laut|zitiert|Zitat|stammt|siehe|sagt|schreibt|Wortlaut|wie)\b",
    re.IGNORECASE,
)
"""Words which show that a sentence with a link refers to the blockquote above or below it."""
_ATTRIBUTION = re.compile(
    r"(?:[ \t]*\n){0,2} {0,3}(?:[-–—] ?|\*|\(|(?:Source|Quelle|From):?\s*)*(?=\[)(?P<line>[^\n]*)"
)
_NEAR_CHARACTERS = 1_000
_BELOW = re.compile(r"(?:[ \t]*\n){1,2}(?!\s|[>|#]|[-+*] )([^\n]+(?:\n[^\s>|#][^\n]*){0,20})")
_ABOVE = re.compile(r"(?![>|#])([^\n\x00]+)[ \t]*\n[ \t]*\n?")
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z])")


def unmarked(bare: str, text: str) -> Iterator[tuple[Reference, Span]]:
    """Yields the references of quotations without a footnote, each with the position for its number.

    They are blockquotes with a link, and quotations in quotation marks next to a link.

    Args:
        bare: The text with NUL in place of code.
        text: The unchanged text.
    """
    taken: list[Span] = []
    for block in _BLOCKQUOTE.finditer(bare):
        end = block.start() + len(block[0].rstrip())
        taken.append((block.start(), end))
        start = block.start()
        source = _link_below(bare, end) or _link_above(bare, start, end) or _nearby_link(bare, start, end)
        link, sentence, at = source or (None, "", 0)
        if link is None or MARK.search(block[0]) or MARK.search(sentence):
            continue
        taken.append(link.span())
        place = PLACE.search(LINK.sub(" ", sentence))
        # Lines are joined by an ellipsis, because the file may have other text between them.
        quote = " … ".join(filter(None, map(plain, _OWN_LINE.split(text[block.start() : end]))))
        yield (
            Reference(quote, link[2] or link[3] or "", name_of(link, text), place[0].strip() if place else ""),
            (at, at),
        )
    yield from in_sentences(blanked(bare, taken), text)


def _link_below(bare: str, end: int) -> tuple[re.Match[str], str, int] | None:
    """The link in an attribution line below a blockquote, such as `— [file](url), page 3`.

    Returns:
        The link, the line, and the position of the number; None without such a line.
    """
    found = _ATTRIBUTION.match(bare, end)
    link = LINK.match(bare, found.start("line")) if found else None
    if found is None or link is None:
        return None
    return link, found["line"], found.start("line") + len(found["line"].rstrip())


def _link_above(bare: str, start: int, end: int) -> tuple[re.Match[str], str, int] | None:
    """The link in the paragraph above a blockquote if the paragraph ends in a colon, such as `[file](url) says:`."""
    begin, behind = _stretch_above(bare, start, "\n\n")
    if bare[begin:behind][-1:] != ":":
        return None
    links = [*LINK.finditer(bare, begin, behind)]
    return (links[0], bare[begin:behind], end) if len(links) == 1 else None


def _nearby_link(bare: str, start: int, end: int) -> tuple[re.Match[str], str, int] | None:
    """The link in the paragraph below or above a blockquote, such as `This is from [file](url)`.

    The paragraph has no other link and no footnote. Its sentence next to the blockquote contains the link and a word of
    `_CUE`.
    """
    below = _BELOW.match(bare, end)
    above = _ABOVE.fullmatch(bare, _stretch_above(bare, start, "\n")[0], start)
    for found, is_below in ((below, True), (above, False)):
        links = [*LINK.finditer(found[1])] if found else []
        if found is None or len(links) != 1 or MARK.search(found[1]):
            continue
        sentence = _SENTENCES.split(found[1])[0 if is_below else -1]
        outside = LINK.sub(" \x00 ", sentence)
        if "\x00" in outside and _CUE.search(outside):
            link = LINK.search(bare, found.start(1) + links[0].start())
            return (link, sentence, found.start(1) + links[0].end() if is_below else end) if link else None
    return None


def _stretch_above(bare: str, start: int, separator: str) -> Span:
    """The last `_NEAR_CHARACTERS` of the paragraph or line above a blockquote."""
    nearest = max(0, start - _NEAR_CHARACTERS)
    behind = nearest + len(bare[nearest:start].rstrip())
    found = bare.rfind(separator, nearest, behind)
    return (nearest if found < 0 else found + len(separator)), behind
