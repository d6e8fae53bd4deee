"""Texts that make careless code slow: each is one short piece repeated, in all the ways that parsers stumble over."""

from collections.abc import Iterator

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
    "private characters": "\ue200", "places": "[page 1]\n", "page numbers": "pages 1-2, ", "parentheses": "(",
}  # fmt: skip
"""At least sixty kinds, by name: the piece that is repeated."""
_ENDS = {"": "", ", then a word": "x\x01", ", then a line": "\nx"}
_STARTS = {
    "link": "[a", "address": "https://a.b/", "quote": '"', "curly quote": "“", "footnote": "[^1", "row": "|",
    "formula": "$", "heading": "# a",
}  # fmt: skip
_FILLERS = ("a ", " ", ".", "*", "(", "'", "1", "|", "#", "`")


VALUES = {"empty lists": "[],", "empty objects": "{},", "numbers": "1,", "pairs": '{"a":1},', "strings": '"a",',
          "parts": '{"type":"text","text":"a"},', "messages": '{"role":"user","parts":[]},', "escapes": '"\\u0001",',
          "long numbers": "1" * 640 + ",", "floats": "1e308,"}  # fmt: skip
"""Values that make a body of JSON slow to read."""


def text_of(name: str, characters: int) -> str:
    """The hostile text of one kind, of a length."""
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
    for name, start in _STARTS.items():
        for filler in _FILLERS:
            many = start + filler * 6
            yield f"{name} and {filler!r}", start + filler * (characters - len(start)) + "x\x01"
            yield f"many times {name} and {filler!r}", many * (characters // len(many))
