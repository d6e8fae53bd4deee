"""Replaces parts of a text, such as code, by NUL characters, so that the positions of the rest do not change. Pure."""

import re
from collections.abc import Iterator, Sequence

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE = re.compile(
    r"\\[\\`]|(`+)(?!`)"
    r"(?:[^\n\x00]|\n(?![ \t]*(?:\n|[-+*>#|\x00]|\d{1,9}[.)]|\[\^[^\]\s]{1,40}\]:))){0,2000}?(?<!`)\1(?!`)|`+"
)
"""Matches code within a paragraph, also across lines. A match without group 1 is no code: an escaped character, or
backticks that are not closed."""
_CELL = re.compile(r"(?:\\[\\|]|[^|])+")


def without_code(text: str) -> str:
    """The text with NUL in place of code. Its length and its lines do not change."""
    if "`" not in text and "~~~" not in text:
        return text
    lines: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            closes = mark is not None and mark[1].startswith(fence) and not line[mark.end() :].strip()
            lines.append(_blank(line))
            fence = "" if closes else fence
        elif mark and not (mark[1][0] == "`" and "`" in line[mark.end() :]):
            lines.append(_blank(line))
            fence = mark[1]
        else:
            lines.append(line)
    return "".join(_without_inline_code(lines))


def _without_inline_code(lines: Sequence[str]) -> Iterator[str]:
    """Yields pieces of the text without code. In a table row, code ends with its cell; elsewhere with its paragraph."""
    begin, at = 0, 1
    while at < len(lines):
        if not _is_rule(lines[at]):
            at += 1
            continue
        yield _blanked_code("".join(lines[begin : at - 1]))
        begin = at - 1
        while begin < len(lines) and lines[begin].strip("> \t\r\n") and lines[begin][0] != "\x00":
            yield _CELL.sub(lambda cell: _blanked_code(cell[0]), lines[begin])
            begin += 1
        at = max(at, begin) + 1
    yield _blanked_code("".join(lines[begin:]))


def _is_rule(line: str) -> bool:
    """Whether a line separates the head of a table from its rows: `|---|---|`."""
    signs = set(line.strip("> \t\r\n"))
    return {"|", "-"} <= signs <= {"|", "-", ":", " ", "\t"}


def _blanked_code(text: str) -> str:
    return _CODE.sub(lambda code: _blank(code[0]) if code[1] else code[0], text)


def blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with NUL in place of the spans. Its length and its lines do not change."""
    pieces, at = list[str](), 0
    for start, end in sorted(spans):
        begin = max(start, at)
        pieces += text[at:begin], _blank(text[begin:end])
        at = max(begin, end)
    return "".join([*pieces, text[at:]])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", "\x00", text)
