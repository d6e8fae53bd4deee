"""The Markdown of the sample's sources as blocks, for the writers in `render`.

It supports only what the sources use: headings, paragraphs, lists and pipe tables. It makes one pass over the lines
and is no full Markdown parser, because it also parses documents of 10 MB.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_LIST_ITEM = re.compile(r"\s*(?:[-*]|(\d+)[.)])\s+(.*)")
_RULE = re.compile(r"\|?[\s:|-]+\|?")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"(\*\*|__|`)(.+?)\1|(?<![\w*])\*([^*\n]+)\*(?!\w)")


@dataclass(frozen=True)
class Block:
    """A heading, paragraph, list item or table."""

    kind: Literal["heading", "paragraph", "item", "table"]
    text: str = ""
    level: int = 0
    """The level of a heading, 1 to 6."""
    number: int | None = None
    """The number of an item in a numbered list."""
    rows: tuple[tuple[str, ...], ...] = ()
    """The rows of a table; the first one is its header."""


def plain(text: str) -> str:
    """A line without inline marks. Of a link, only the text remains."""
    text = _LINK.sub(r"\1", text)
    return _MARKS.sub(lambda match: match.group(2) or match.group(3), text)


def parse(markdown: str) -> Iterator[Block]:
    """Yields the blocks of a document, without inline marks."""
    paragraph: list[str] = []
    table: list[tuple[str, ...]] = []
    for line in [*markdown.splitlines(), ""]:
        if table and not line.startswith("|"):
            yield Block("table", rows=tuple(table))
            table = []
        heading, item = _HEADING.match(line), _LIST_ITEM.match(line)
        if paragraph and (not line.strip() or heading or item or line.startswith("|")):
            yield Block("paragraph", plain(" ".join(paragraph)))
            paragraph = []
        if heading:
            yield Block("heading", plain(heading.group(2)), level=len(heading.group(1)))
        elif item:
            yield Block("item", plain(item.group(2)), number=int(item.group(1)) if item.group(1) else None)
        elif line.startswith("|"):
            if not _RULE.fullmatch(line):
                table.append(tuple(plain(cell.strip()) for cell in line.strip().strip("|").split("|")))
        elif line.strip():
            paragraph.append(line.strip())


def slides(markdown: str) -> list[str]:
    """The Markdown of each slide. Lines of `---` separate slides."""
    return [part.strip() for part in re.split(r"(?m)^---\s*$", markdown)]


def pages(markdown: str) -> list[str]:
    """The Markdown of each page of a PDF. Lines of `<!-- page -->` separate pages."""
    return [part.strip() for part in re.split(r"(?m)^<!-- page -->\s*$", markdown)]


def as_text(markdown: str) -> str:
    """A document as plain text with lines separated by CR LF, as Google exports it."""
    lines: list[str] = []
    for block in parse(markdown):
        match block.kind:
            case "heading":
                lines += ["", block.text]
            case "item":
                lines.append(f"{block.number}. {block.text}" if block.number is not None else f"* {block.text}")
            case "table":
                lines += ["", *("\t".join(row) for row in block.rows), ""]
            case "paragraph":
                lines += ["", block.text]
    return "\r\n".join(lines).strip()
