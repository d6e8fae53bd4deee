"""Quotations that name their source without a footnote, by a link beside, below or above them. Pure."""

import re
from collections.abc import Iterator

from leaf.citations.adjacency import in_sentences
from leaf.citations.blanks import blanked
from leaf.citations.syntax import LINK, MARK, PLACE, Reference, Span, plain

_BLOCKQUOTE = re.compile(r"(?:^ {0,3}>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_OWN_LINE = re.compile(r"(?:(?<! ) {2,}|\\)\n|\n(?= {0,3}>[ \t]*(?:\n|[-+*] |\d{1,3}[.)] ))")
_CUE = re.compile(
    r"\b(?:from|sources?|quot\w+|passage|wording|words|says?|said|reads?|according|taken|found|see|states?|writes|written|"
    r"puts|as|aus|Quelle|steht|laut|zitiert|Zitat|stammt|siehe|sagt|schreibt|Wortlaut|wie)\b",
    re.IGNORECASE,
)
"""Words of a sentence with a link that refers to the quotation above or below it."""
_ATTRIBUTION = re.compile(
    r"(?:[ \t]*\n){0,2} {0,3}(?:[-–—] ?|\*|\(|(?:Source|Quelle|From):?\s*)*(?=\[)(?P<line>[^\n]*)"
)
_NEAR_CHARACTERS = 1_000
_BELOW = re.compile(r"(?:[ \t]*\n){1,2}(?!\s|[>|#]|[-+*] )([^\n]+(?:\n[^\s>|#][^\n]*){0,20})")
_ABOVE = re.compile(r"(?:\A|\n[ \t]*\n|^)(?![>|#])([^\n\x00]+)[ \t]*\n[ \t]*\n?\Z", re.MULTILINE)
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z])")


def unmarked(bare: str, text: str) -> Iterator[tuple[Reference, Span]]:
    """Blockquotes with a link, and quotation marks in a paragraph with one link, where no footnote stands."""
    taken: list[Span] = []
    for block in _BLOCKQUOTE.finditer(bare):
        end = block.start() + len(block[0].rstrip())
        taken.append((block.start(), end))
        around = _attributed(bare, end) or _announced(bare, block.start(), end) or _near(bare, block.start(), end)
        link, said, at = around or (None, "", 0)
        if link is None or MARK.search(block[0]) or MARK.search(said):
            continue
        taken.append(link.span())
        place = PLACE.search(LINK.sub(" ", said))
        # Each line is a piece of its own; the file may have other text between them.
        quote = " … ".join(filter(None, map(plain, _OWN_LINE.split(text[block.start() : end]))))
        yield Reference(quote, link[2] or link[3] or "", plain(link[1]), place[0].strip() if place else ""), (at, at)
    yield from in_sentences(blanked(bare, taken), text)


def _attributed(bare: str, end: int) -> tuple[re.Match[str], str, int] | None:
    """The link in the line below a blockquote, that line, and the position of the number: `— [file](url), page 3`."""
    found = _ATTRIBUTION.match(bare, end)
    link = LINK.match(bare, found.start("line")) if found else None
    if found is None or link is None:
        return None
    return link, found["line"], found.start("line") + len(found["line"].rstrip())


def _announced(bare: str, start: int, end: int) -> tuple[re.Match[str], str, int] | None:
    """The link in the paragraph above, if it ends in a colon: `[file](url) says:`."""
    above = bare[:start].rstrip()
    begin = above.rfind("\n\n") + 1
    links = [*LINK.finditer(above, begin)]
    if not above.endswith(":") or len(links) != 1:
        return None
    return links[0], above[begin:], end


def _near(bare: str, start: int, end: int) -> tuple[re.Match[str], str, int] | None:
    """The link in a paragraph below or above in any wording: `This is from [file](url)`.

    The paragraph has no other link and no footnote, and its sentence next to the block refers to it.
    """
    below, above = _BELOW.match(bare, end), _ABOVE.search(bare, max(0, start - _NEAR_CHARACTERS), start)
    for found, place in ((below, -1), (above, 0)):
        links = [*LINK.finditer(found[1])] if found else []
        if found is None or len(links) != 1 or MARK.search(found[1]):
            continue
        sentence = _first(found[1]) if place else _last(found[1])
        outside = LINK.sub(" \x00 ", sentence)
        if "\x00" in outside and _CUE.search(outside):
            link = LINK.search(bare, found.start(1) + links[0].start())
            return (link, sentence, found.start(1) + links[0].end() if place else end) if link else None
    return None


def _first(paragraph: str) -> str:
    return _SENTENCES.split(paragraph, maxsplit=1)[0]


def _last(paragraph: str) -> str:
    return _SENTENCES.split(paragraph)[-1]
