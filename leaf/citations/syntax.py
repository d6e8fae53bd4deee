"""The references of an answer, and patterns for the Markdown in which they are written. Pure."""

import re
from dataclasses import dataclass

Span = tuple[int, int]

LABEL_CHARACTERS = 40
MARK = re.compile(rf"(?<!(?<!\\)\\)\[\^([^\]\s\[^]{{1,{LABEL_CHARACTERS}}})\]")
"""The mark of a footnote, whose bracket is not escaped."""
LINK = re.compile(
    r"(?<![!\\])\[((?:[^\[\]\\]|\\.|\[[^\[\]\n]{0,60}\]){0,500})\]\([ \t]*"
    r"(?:<([^<>\n]{0,2000})>|([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200}){0,4}))[^()\n]{0,200}\)"
)
"""A link of limited length, so that matching takes linear time even if many links begin in a text."""
ADDRESS = re.compile(r"https?://[^\s<>\"'“”\[\]\x00|]+")
PLACE = re.compile(
    r"\b(?:pages?|slides?|sheet|section|lines?|rows?|pictures?|attachment|Seiten?|Folie|Blatt|Abschnitt|Zeilen?|Bild"
    r"|Anhang)"
    r"[ \t]+[^,;()\[\]\n]{1,80}"
)
_UNQUOTED = re.compile(r"^ {0,3}(?:>[ \t]?)+", re.MULTILINE)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)|~~")


@dataclass(frozen=True, slots=True)
class Reference:
    """The source of a claim as the answer states it."""

    quote: str
    target: str
    """The address, path or name of the source; empty if none is stated."""
    name: str = ""
    part: str = ""
    """The place in the source, as the model states it."""
    written: bool = True
    """Whether it has a definition; false if the answer ended before the definition."""
    is_assumed: bool = False
    """Whether the source is only assumed, because it is the only link nearby."""
    bare: bool = False
    """Whether it is only a link, without a quote next to it."""
    is_cut: bool = False
    """Whether the answer was cut off within it or before its definition."""


def label_of(mark: str) -> str:
    """The label of a mark such as `[^2]`; empty for other texts."""
    found = MARK.fullmatch(mark)
    return found[1] if found else ""


def unlinked(markdown: str) -> str:
    """Markdown in which links are replaced by their text, without the `>` of blockquotes."""
    return LINK.sub(lambda link: link[1], _UNQUOTED.sub("", markdown))


def name_of(link: re.Match[str], text: str) -> str:
    """The words of a link, which may be written as code.

    Args:
        link: A match of `LINK`.
        text: The text of the match, with its code.
    """
    return plain(text[slice(*link.span(1))]).strip("`")


def plain(markdown: str) -> str:
    """The words of Markdown without its marks."""
    text = unlinked(markdown)
    text = _EMPHASIS.sub("", _ESCAPED.sub(r"\1", text))
    text = re.sub(r"^ {0,3}(?:[-+*]|\d{1,3}[.)]|#{1,6})\s+", "", text, flags=re.MULTILINE)
    return " ".join(text.split()).strip(" \"'“”„«»‘’‚‹›「」『』\uff02")
