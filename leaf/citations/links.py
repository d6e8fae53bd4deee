"""Finds the web links of an answer, in every link syntax of Markdown. Pure."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from leaf.citations.blanks import blanked
from leaf.citations.syntax import Span

NAME_CHARACTERS = 200
_TITLE = r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)"
_LEVEL = r"\\.|[^()\s\\]"
_TARGET = rf"<(?P<pointed>[^<>\n]*+)>|(?P<plain>(?:{_LEVEL}|\((?:{_LEVEL}|\((?:{_LEVEL})*+\))*+\))*+)"
_INLINE = re.compile(rf"\]\(\s*+(?:{_TARGET})(?:\s++(?:{_TITLE}))?\s*+\)")
"""The end of an inline link: `](address "title")`. A match without an opening bracket is not a link; it does no harm to
blank it.
"""
_DEFINED = re.compile(r"^ {0,3}\[(?!\^)([^\[\]]{1,200})\]:[ \t]*\n?[ \t]*(?:<([^<>\n]*)>|(\S+))[^\n]*", re.MULTILINE)
_LABEL = re.compile(r"\[(?!\^)([^\[\]]{1,200})\](?:\[\])?(?![(:])")
_AUTOLINK = re.compile(r"<(https?://[^\s<>]+)>", re.IGNORECASE)
_BARE = re.compile(r"(?<![\w/.@-])(?:https?://|www\.)[^\s<>\"“”|\x00\[\]]+", re.IGNORECASE)
TRAILING = "?!.,:;*_~'’)"
"""Characters that end a sentence rather than an address."""
_ESCAPED_BRACKET = re.compile(r"\\[\[\]\\]")
"""A bracket that begins or ends no link, or a backslash that escapes nothing."""
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_WEB = re.compile(r"https?://", re.IGNORECASE)
_IGNORED = re.compile(r"[\x00-\x1f]")


@dataclass(frozen=True, slots=True)
class Link:
    """A link to the web."""

    target: str
    """The address as a browser resolves it."""
    written: str
    """The address as it is written in the text."""
    name: str
    """The text of the link, or the address if the text has no letters, as in `[1](address)`."""
    span: Span
    """The position of the link in the text. The number of a citation can be inserted after it."""


def links(bare: str, text: str) -> list[Link]:
    """The web links of a text, in order.

    Args:
        bare: The text with NUL in place of code and of references that the caller has already handled.
        text: The unchanged text.
    """
    found = [*_inline(bare, text)]
    defined = [*_DEFINED.finditer(bare)]
    rest = blanked(bare, [link.span for link in found] + [one.span() for one in defined])
    found += _reference_links(rest, {_label(one[1]): one[2] or one[3] for one in defined})
    for pointed in _AUTOLINK.finditer(rest):
        found.append(_link(pointed[1], "", pointed.span(), raw=True))
    for one in _BARE.finditer(blanked(rest, [pointed.span() for pointed in _AUTOLINK.finditer(rest)])):
        address = _without_punctuation(one[0])
        found.append(_link(address, "", (one.start(), one.start() + len(address))))
    return sorted((link for link in found if _WEB.match(link.target)), key=lambda link: link.span)


def _inline(bare: str, text: str) -> Iterator[Link]:
    bare = _ESCAPED_BRACKET.sub("\0\0", bare)
    for match in _INLINE.finditer(bare):
        begin = _opening(bare, match.start())
        target = text[slice(*match.span("plain" if match["pointed"] is None else "pointed"))]
        # An image `![text](address)` is displayed as its text and has no link.
        target = "" if bare[max(0, begin - 1) : begin] == "!" else target
        yield _link(target, text[begin + 1 : match.start()], (begin, match.end()))


def _opening(bare: str, end: int) -> int:
    """The position of the bracket that opens a link's text."""
    depth = 0
    for place in range(end, max(-1, end - 1000), -1):
        depth += {"]": 1, "[": -1}.get(bare[place], 0)
        if depth == 0:
            return place
    return end


def _reference_links(bare: str, defined: dict[str, str]) -> Iterator[Link]:
    """Reference links: `[text][label]` or `[label]`, with a definition `[label]: address` elsewhere in the text."""
    if not defined:
        return
    for match in _LABEL.finditer(bare):
        if (target := defined.get(_label(match[1]))) is not None:
            yield _link(target, match[1], match.span())


def _label(text: str) -> str:
    return " ".join(text.casefold().split())


def _link(target: str, name: str, span: Span, *, raw: bool = False) -> Link:
    """A link with the address as a browser resolves it.

    Args:
        target: The address in the text.
        name: The text of the link.
        span: The position of the link.
        raw: Whether the link is an autolink `<https://…>`, which has no escapes. Browsers encode its backslashes.
    """
    plain = target if raw else html.unescape(_ESCAPED.sub(r"\1", target))
    address = _IGNORED.sub("", plain).strip().replace("\\", "%5C")
    if address.lower().startswith("www."):
        address = f"http://{address}"
    shown = " ".join(_ESCAPED.sub(r"\1", name.replace("*", "").replace("`", "")).split())
    if not any(letter.isalpha() for letter in shown):
        shown = _WEB.sub("", address)
    return Link(address, target, shown[:NAME_CHARACTERS], span)


def _without_punctuation(address: str) -> str:
    """An address in running text, without the punctuation that belongs to the sentence."""
    unopened = address.count(")") - address.count("(")
    end = len(address)
    while end and address[end - 1] in TRAILING and (address[end - 1] != ")" or unopened > 0):
        unopened -= address[end - 1] == ")"
        end -= 1
    return address[:end]
