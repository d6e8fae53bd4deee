"""Limits the nesting of lists and quotes in Markdown.

In each line, Markdown parsers search for all levels again. A list of 300 levels would block a page for seconds, and
would be shown as a column of letters. The allowed depth decreases with the number of lines, so that a parser makes at
most `_SEARCHES` such searches.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

DEEPEST = 24
_LEAST_DEEP = 3
"""The depth that texts of any length may have."""
_SEARCHES = 16_000
"""The number of lines times the depth that their lists and quotes may have."""
_REPEATED = 200
"""A line that begins more levels than this is a repeated character, and becomes text."""
_MARK = re.compile(r">|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)")
_FIRST = re.compile(r"^([ \t]*\d*)([-*+>.)])")
_FENCE = re.compile(r"`{3,}|~{3,}")
_RULE = re.compile(r"[ \t>]*([-*_])[ \t]*(?:\1[ \t]*){2,}")
_FIRST_OF_MORE = re.compile(r"^(>|[-*+]|\d{1,9}[.)])([ \t]*)(?=[-*+>]|\d{1,9}[.)])")


@dataclass(frozen=True)
class _Level:
    """An open list item or quote."""

    quote: bool
    column: int
    """The column at which its content starts."""
    lead: str
    """The text to write before its mark."""
    out: str
    """The text to write before its content."""


_OUTSIDE = _Level(quote=False, column=0, lead="", out="")


@dataclass
class _Line:
    """The position of a line within lists and quotes."""

    at: int = 0
    """The offset of its first word."""
    column: int = 0
    depth: int = 0
    """The number of levels that contain its words."""
    begun: int = 0
    """The number of levels that the line begins."""
    cut: int = -1
    """The offset of the first mark that is too deep; -1 for none."""
    before: int = 0
    """The number of levels that the line begins before that mark."""


@dataclass
class _Fence:
    """An open fenced code block."""

    sign: str
    deep: bool
    column: int
    out: str


def flattened(text: str) -> str:
    """A text whose lists and quotes are not too deep for its number of lines.

    Content of deeper levels moves to the deepest allowed level.
    """
    deepest = max(_LEAST_DEEP, min(DEEPEST, _SEARCHES // (text.count("\n") + 1)))
    if not _deeper_than(deepest).search(text):
        return text
    return "\n".join(map(_Reader(deepest).read, text.split("\n")))


@lru_cache(maxsize=DEEPEST)
def _deeper_than(depth: int) -> re.Pattern[str]:
    """A pattern for the beginning of a line that may be deeper than `depth`."""
    return re.compile(rf"^(?:[ \t>]|[-*+][ \t]|\d{{1,9}}[.)][ \t]){{{depth + 1}}}", re.MULTILINE)


@dataclass
class _Reader:
    deepest: int
    levels: list[_Level] = field(default_factory=list[_Level])
    fence: _Fence | None = None

    def read(self, line: str) -> str:
        """The next line in the form in which it is shown."""
        if self.fence:
            return self._code(line, self.fence)
        if not line.strip():
            return line
        found = self._locate(line)
        if found.begun > _REPEATED:
            self.levels.clear()
            return _FIRST.sub(r"\1\\\2", line, count=1)
        inside = self.levels[found.depth - 1] if found.depth else _OUTSIDE
        if sign := _FENCE.match(line, found.at):
            self.fence = _Fence(sign[0], found.depth > self.deepest, inside.column, inside.out)
        return self._flattened_line(line, found, inside) if found.depth > self.deepest else line

    def _flattened_line(self, line: str, found: _Line, inside: _Level) -> str:
        """A line that is too deep, moved to the deepest level."""
        if found.before:
            return f"{line[: found.cut]}\\{line[found.cut :]}"
        if found.cut >= 0:
            # The first mark that is too deep stays a mark of the deepest level; the marks after it become text.
            return self.levels[self.deepest].lead + _FIRST_OF_MORE.sub(r"\1\2\\", line[found.cut :])
        indent = 0 if inside.quote else max(0, found.column - inside.column)
        return inside.out + " " * indent + line[found.at :]

    def _code(self, line: str, fence: _Fence) -> str:
        words = line.strip()
        if words.startswith(fence.sign) and not words[len(fence.sign) :].strip():
            self.fence = None
        return fence.out + line[min(fence.column, len(line) - len(line.lstrip())) :] if fence.deep else line

    def _locate(self, line: str) -> _Line:
        """Finds where the words of a line begin, and opens and closes levels accordingly."""
        levels, found = self.levels, _Line()
        rule = _RULE.fullmatch(line)
        while True:
            while line[found.at : found.at + 1] in {" ", "\t"}:
                found.column += 4 - found.column % 4 if line[found.at] == "\t" else 1
                found.at += 1
            while (
                found.depth < len(levels)
                and not levels[found.depth].quote
                and found.column >= levels[found.depth].column
            ):
                found.depth += 1
            mark = _MARK.match(line, found.at)
            if not mark or (rule and mark[0] != ">"):
                return found
            self._open_level(mark[0], found)
            found.at += len(mark[0])
            found.column += len(mark[0])

    def _open_level(self, sign: str, found: _Line) -> None:
        """Continues an open quote; or opens a level for a mark, and closes the levels that were open at its depth."""
        levels, quote = self.levels, sign == ">"
        if quote and found.depth < len(levels) and levels[found.depth].quote:
            found.depth += 1
            return
        outer = levels[min(found.depth, self.deepest) - 1] if found.depth else _OUTSIDE
        # All levels that are too deep become siblings of the deepest level.
        lead = outer.out if found.depth < self.deepest else outer.lead
        out = lead + ("> " if quote else " " * (len(sign) + 1))
        del levels[found.depth :]
        levels.append(_Level(quote, found.column + len(sign) + 1, lead, out))
        found.depth += 1
        found.begun += 1
        if found.depth > self.deepest and found.cut < 0:
            found.cut, found.before = found.at, found.begun - 1
