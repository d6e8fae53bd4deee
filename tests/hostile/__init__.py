"""Texts that make careless code slow: short pieces repeated, and shapes, in all the ways that parsers stumble over."""

from collections.abc import Callable, Iterator
from itertools import count

REPEATED = {
    "open brackets": "[", "images": "![", "links without end": "[a](", "empty links": "[](", "links": "[a](b) ",
    "links in angle brackets": "[](<", "titles of links": '[a](b "c', "escaped brackets": "\\[",
    "closed brackets": "]", "footnotes": "[^", "whole footnotes": "[^1] ", "definitions of footnotes": '[^1]: "a"\n',
    "definitions": "[a]: b\n", "backticks": "`", "backticks and words": "`a ", "fences": "```\n", "tildes": "~",
    "stars": "*", "stars and words": "*a ", "pairs of stars": "**a", "mixed emphasis": "*_", "lines under words": "_a",
    "quotation marks": '"', "curly quotation marks": "“", "low quotation marks": "„a", "angled quotation marks": "«",
    "apostrophes": "'a ", "curly apostrophes": "‘", "quotes in marks": '“a” "b" ', "block quotes": ">",
    "block quotes in lines": "> a\n", "deep block quotes": "> > ", "block quotes and blank lines": ">a\n\n",
    "list marks": "- ", "lists in lines": "- a\n", "deep lists": "- - ", "numbers in lines": "1. a\n", "rules": "---\n",
    "headings": "# ", "headings in lines": "# a\n", "spaces": " ", "spaces and letters": " a", "tabs": "\t",
    "line ends": "\n", "spaces and line ends": " \n", "carriage returns": "\r", "separators": "\u2028",
    "pipes": "|", "rows of tables": "|a|b|\n", "rules of tables": "|-", "tables": "|a|\n|-|\n", "tags": "<a ",
    "tables within tables": "<table><tr><td>", "tables under headings": "<table><tr><th>a<td>",
    "lists within lists": "<ul><li>",
    "open tags": "<", "comments": "<!--", "closed tags": "</a>", "entities": "&amp;", "open entities": "&#1",
    "addresses": "http://a.b/c ", "schemes": "http://", "addresses without end": "https://a.b/", "hosts": "www.a.",
    "hosts in a row": "a.b", "mail addresses": "a@b.c ", "open mail addresses": "a@", "letters": "a", "words": "a ",
    "digits": "1", "numbers": "1,234.5 ", "numbers with points": "1.", "numbers with commas": "1,",
    "accents": "\u0301", "letters with accents": "e\u0301\u0302", "joined emoji": "👩\u200d👩\u200d",
    "wide letters": "漢", "letters from right to left": "א", "invisible characters": "\u200b",
    "soft hyphens": "a\u00ad", "broken words": "a-\n", "ellipses": "…", "points": ".", "points and spaces": ". ",
    "question marks": "?",
    "dollars": "$", "prices": "$1 ", "formulas": "\\(", "displayed formulas": "$$a", "commands": "\\a", "braces": "{",
    "commas and braces": '{"a":', "open lists": "[1,", "placeholders": "{{ a", "percent signs": "%25", "slashes": "/",
    "backslashes": "\\", "at signs": "@", "equal signs": "=", "keys": "token=", "signed tokens": "eyJ",
    "marks in a wrong order": "\u0345\u0300\u0316", "vowels of two marks": "\u0f73\u0f74",
    "half-width marks": "\uff9e\u0316", "letters that become many": "\ufdfa", "joined letters": "a\u200d",
    "turned letters": "\u202ea\u202c", "words without blanks": "漢字仮名交じり文",
    "parts of syllables": "\u1112\u1161\u11ab",
    "quotes that go on without a mark": ">a\nb\n",
    "lists in quotes in lists": "- > 1. > ", "numeric entities": "&#128512;",
    "named entities without end": "&amp &lt", "autolinks": "<http://a.b> ", "open autolinks": "<http://a",
    "names and passwords of addresses": "http://a:b@", "lines under headings": "a\n===\n", "dollars in lines": "$$a\n",
    "lines that end in returns": "a\r", "form feeds": "a\f", "NUL": "\0", "numbers without end": "1e400 ",
    "escapes of half a character": "\\ud800", "quoted cells": '"a""b",', "cells over rows": "<tr><td rowspan=999>a",
    "regular expressions": "(a*)*", "mails that quote": "On 1 Jan a wrote:\n> a\n",
    "headers of mails": "A: =?utf-8?q?a?=\n",
    "private characters": "\ue200", "places": "[page 1]\n", "page numbers": "pages 1-2, ", "parentheses": "(",
}  # fmt: skip
"""The pieces that are repeated, by name."""
_ENDS = {"": "", ", then a word": "x\x01", ", then a line": "\nx"}
_STARTS = {
    "link": "[a", "address": "https://a.b/", "quote": '"', "curly quote": "“", "footnote": "[^1", "row": "|",
    "formula": "$", "heading": "# a",
}  # fmt: skip
_FILLERS = ("a ", " ", ".", "*", "(", "'", "1", "|", "#", "`")


def _numbered(line: Callable[[int], str]) -> Callable[[int], str]:
    """A shape of lines that differ in their number."""

    def made(characters: int) -> str:
        lines: list[str] = []
        left = characters
        for number in count():
            lines.append(line(number))
            left -= len(lines[-1])
            if left <= 0:
                return "".join(lines)[:characters]
        return ""

    return made


SHAPES: dict[str, Callable[[int], str]] = {
    "definitions of everything": _numbered(lambda at: f"[a{at}]: /b{at}\n"),
    "footnotes that point on": _numbered(lambda at: f'[^{at}]: "a" [^{at + 1}]\n'),
    "quotes with footnotes": _numbered(lambda at: f'a[^{at}]\n\n[^{at}]: [a](b) page 1: "a"\n'),
    "fences of all lengths": _numbered(lambda at: "`" * (at % 500 + 3) + "\n"),
    "backticks of all lengths": _numbered(lambda at: "`" * (at + 1) + " "),
    "numbered lists": _numbered(lambda at: f"{at}. a\n"),
    "lists that go right": _numbered(lambda at: " " * (2 * at % 200) + "- a\n"),
    "a table of many columns": lambda size: "\n".join(f"|{cell * (size // 7)}" for cell in ("a|", "-|", "b|")),
    "a heading of many lines": lambda size: "a\n" * (size // 2 - 2) + "===",
    "links in links": lambda size: "[" * (size // 5) + "](a)" * (size // 5),
    "deep quotes, then lines": lambda size: "> " * (size // 4) + "\n" + "a\n" * (size // 4),
    "quotes, then lines": lambda size: ">" * 199 + "\n" + "a\n" * (size // 2),
    "settings before a text": lambda size: "---\n" + "a: &a [*a, *a]\n" * (size // 15),
    "one large cell": lambda size: f'a,b\n"{"a b" * (size // 4)}\n",1\n',
    "a table of one column": lambda size: "1\n" * (size // 2),
    "deep JSON": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "entities of XML": lambda size: f'<!DOCTYPE a [<!ENTITY a "{"&a;" * (size // 4)}">]><a>&a;</a>',
    "a letter and its marks": lambda size: "e" + "\u0345\u0300\u0316" * (size // 3),
    "an address of marks": lambda size: "https://" + "\u0345\u0300\u0316" * (size // 3),
}
"""Texts that no repeated piece makes, by name; each takes about the number of characters that it has."""
KINDS = (*REPEATED, *SHAPES)


VALUES = {"empty lists": "[],", "empty objects": "{},", "numbers": "1,", "pairs": '{"a":1},', "strings": '"a",',
          "parts": '{"type":"text","text":"a"},', "messages": '{"role":"user","parts":[]},', "escapes": '"\\u0001",',
          "long numbers": "1" * 640 + ",", "floats": "1e308,", "endless numbers": "1e400,",
          "halves of characters": '"\\ud800",'}  # fmt: skip
"""Values that make a body of JSON slow to read."""


def text_of(name: str, characters: int) -> str:
    """The hostile text of one kind, of a length."""
    if name in SHAPES:
        return SHAPES[name](characters)[:characters]
    piece = REPEATED.get(name) or VALUES[name]
    return (piece * (characters // len(piece) + 1))[:characters]


def texts(characters: int) -> Iterator[tuple[str, str]]:
    """All hostile texts of a length, with their names."""
    for name, piece in REPEATED.items():
        body = piece * (characters // len(piece))
        for end_name, end in _ENDS.items():
            yield f"{name}{end_name}", body + end
        # Long lines of the same: what is linear in a line may be repeated for each line.
        yield f"lines of {name}", f"{piece * 30}\n" * (characters // (30 * len(piece) + 1))
    for name in SHAPES:
        yield name, text_of(name, characters)
    for name, start in _STARTS.items():
        for filler in _FILLERS:
            many = start + filler * 6
            yield f"{name} and {filler!r}", start + filler * (characters - len(start)) + "x\x01"
            yield f"many times {name} and {filler!r}", many * (characters // len(many))
