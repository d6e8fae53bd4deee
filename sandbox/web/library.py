"""The bundled pages, read from `pages/<site>/<name>.md`: lines `key: value`, a blank line, and Markdown."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "pages"
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class WebPage:
    """A page."""

    path: str
    """Where it is, from the sandbox's base URL on."""
    site: str
    title: str
    description: str
    published: str
    """YYYY-MM-DD."""
    markdown: str
    is_pdf: bool = False

    @property
    def parts(self) -> list[str]:
        """The Markdown of each page of a PDF: a heading of the first level begins one."""
        return [part for part in re.split(r"(?m)^(?=# )", self.markdown) if part.strip()]

    @property
    def paragraphs(self) -> list[str]:
        """The text without its marks, a paragraph or row each."""
        plain = _LINK.sub(r"\1", re.sub(r"(?m)^[#>*\s-]+|[*_`]|^\|[-:| ]+\|$", "", self.markdown))
        return [" ".join(block.replace("|", " ").split()) for block in plain.split("\n") if block.strip()]


@cache
def _pages() -> tuple[WebPage, ...]:
    return tuple(_read(path) for path in sorted(_FOLDER.glob("*/*.md")))


def pages() -> list[WebPage]:
    """All pages, by their address."""
    return list(_pages())


def _read(path: Path) -> WebPage:
    head, _, markdown = path.read_text("utf-8").partition("\n\n")
    values = dict(line.split(": ", 1) for line in head.splitlines())
    is_pdf = values.get("format") == "pdf"
    address = f"/web/{path.parent.name}/{path.stem}{'.pdf' if is_pdf else ''}"
    title = markdown.partition("\n")[0].removeprefix("# ").strip()
    return WebPage(address, values["site"], title, values["description"], values["published"], markdown.strip(), is_pdf)
