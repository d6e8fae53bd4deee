"""A page of the web: what it says, without what stands around it."""

from typing import Any

from leaf.documents.model import Segment
from leaf.documents.text import decode, markdown_of

_AROUND = ("nav", "aside", "form", "dialog", "iframe", "svg", "button", "select")
_AROUND_ALL = ("header", "footer")
_MAIN_SHARE = 0.2


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """A page in one piece, as Markdown: its main part where it marks one, else all but its menus.

    Nothing is guessed. What guesses where the article is loses its lists and tables, and whoever reads would take them
    for missing.

    Raises:
        Unreadable: It is no text, or cannot be taken apart.
    """
    decoded, notes = decode(data)
    return [Segment("all", None, markdown_of(decoded, _main))], notes


def _main(soup: Any) -> Any:
    for tag in soup(_AROUND):
        tag.decompose()
    marked = soup.find("main") or soup.find(attrs={"role": "main"})
    articles = soup("article")
    main = marked or (articles[0] if len(articles) == 1 else None)
    # Some pages leave what they mark as their main part empty, or have a teaser as their only article.
    if main is not None and len(main.get_text()) >= _MAIN_SHARE * len(soup.get_text()):
        return main
    for tag in soup(_AROUND_ALL):
        # An article's own header holds its title.
        if tag.find_parent(["article", "main"]) is None:
            tag.decompose()
    return soup
