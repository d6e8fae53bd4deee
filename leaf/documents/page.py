"""The main text of a web page, without navigation."""

from typing import Any

from leaf.documents.model import Segment
from leaf.documents.text import decode, markdown_of

_AROUND = ("nav", "aside", "form", "dialog", "iframe", "svg", "button", "select")
_AROUND_ALL = ("header", "footer")
_MAIN_SHARE = 0.2


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """A page in one piece, as Markdown: the part it marks as main, else everything but its menus.

    The main part is not guessed: a wrong guess loses lists and tables, and the reader would take them for missing.

    Raises:
        Unreadable: The page is not text or cannot be parsed.
    """
    decoded, notes = decode(data)
    return [Segment("all", None, markdown_of(decoded, _main))], notes


def _main(soup: Any) -> Any:
    for tag in soup(_AROUND):
        tag.decompose()
    marked = soup.find("main") or soup.find(attrs={"role": "main"})
    articles = soup("article")
    main = marked or (articles[0] if len(articles) == 1 else None)
    # Some pages leave their marked main part empty, or mark only a teaser as article.
    if main is not None and len(main.get_text()) >= _MAIN_SHARE * len(soup.get_text()):
        return main
    for tag in soup(_AROUND_ALL):
        # An article's own header holds its title.
        if tag.find_parent(["article", "main"]) is None:
            tag.decompose()
    return soup
