"""What a reference of an answer is, and the Markdown that makes one. Pure."""

import re
from dataclasses import dataclass

Span = tuple[int, int]

LABEL_CHARACTERS = 40
MARK = re.compile(rf"\[\^([^\]\s\[^]{{1,{LABEL_CHARACTERS}}})\]")
LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]\\]|\\.|\[[^\[\]\n]{0,60}\]){0,500})\]\([ \t]*"
    r"(?:<([^<>\n]{0,2000})>|([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200}){0,4}))[^()\n]{0,200}\)"
)
"""A link, with bounds: a text that looks like the beginning of many must not be looked through again and again."""
ADDRESS = re.compile(r"https?://[^\s<>\"'“”\[\]\x00|]+")
PLACE = re.compile(
    r"\b(?:pages?|slides?|sheet|section|lines?|rows?|Seiten?|Folie|Blatt|Abschnitt|Zeilen?)[ \t]+[^,;()\[\]\n]{1,80}"
)
_UNQUOTED = re.compile(r"^ {0,3}(?:>[ \t]?)+", re.MULTILINE)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)|~~")


@dataclass(frozen=True, slots=True)
class Reference:
    """What a claim rests on, as the answer has it."""

    quote: str
    target: str
    """The address, path or name of what is quoted; empty where none is named."""
    name: str = ""
    part: str = ""
    """The place that the model names."""
    written: bool = True
    """Whether there is a definition of it: not where the answer broke off before that."""
    is_assumed: bool = False
    """Whether only the one link near it says what it is from."""
    bare: bool = False
    """Whether it is a link alone, beside which nothing is quoted."""


def plain(markdown: str) -> str:
    """Markdown's words without its marks: what was quoted."""
    text = _UNQUOTED.sub("", markdown)
    text = LINK.sub(lambda link: link[1], text)
    text = _EMPHASIS.sub("", _ESCAPED.sub(r"\1", text))
    text = re.sub(r"^ {0,3}(?:[-+*]|\d{1,3}[.)]|#{1,6})\s+", "", text, flags=re.MULTILINE)
    return " ".join(text.split()).strip(" \"'“”„«»‘’‚‹›「」『』\uff02")
