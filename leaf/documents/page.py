"""A page of the web: the article in it, without what stands around it."""

from leaf.documents.model import Segment, Unreadable
from leaf.documents.text import decode, markdown_of

_AROUND = ("nav", "header", "footer", "aside", "form", "dialog", "iframe", "svg", "button")
_SHORT_CHARACTERS = 600
_SMALL_SHARE = 0.3


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """A page in one piece, as Markdown: its article, or all of it where it has none.

    Raises:
        Unreadable: It is no text, or cannot be taken apart.
    """
    decoded, notes = decode(data)
    # Which part is the article is guessed by a library; of a page that is a list of links it finds next to nothing.
    article, everything = _article(decoded), markdown_of(decoded, without=_AROUND)
    is_little = len(article) < _SHORT_CHARACTERS and len(article) < _SMALL_SHARE * len(everything)
    return [Segment("all", None, everything if is_little else article or everything)], notes


def _article(markup: str) -> str:
    from lxml.etree import LxmlError
    from readability import Document
    from readability.readability import Unparseable

    try:
        return markdown_of(Document(markup).summary(html_partial=True))
    except (Unparseable, LxmlError, Unreadable, RecursionError, ValueError, AttributeError, TypeError):
        # The library is at home in well-formed pages.
        return ""
