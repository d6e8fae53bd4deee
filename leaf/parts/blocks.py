"""Splits growing Markdown into settled blocks and one open block.

Rendering the blocks one by one gives the same result as rendering the whole. A few rules on lines propose a cut, and
markdown-it confirms it in the open block only, so the cost is linear. An uncertain cut is not made. The only exception
are link reference definitions in another block than their use, which are not resolved.
"""

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block.html_block import HTML_SEQUENCES

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"( {0,3})([-+*]|(\d{1,9})[.)])(?=[ \t]|$)")
_CONTAINERS = {"bullet_list_open", "ordered_list_open", "code_block"}
_ITEM_BEGUN = re.compile(r"(?:[-+*]|\d{1,9}[.)]?)?$")


@cache
def _parser() -> MarkdownIt:
    # The default limit of 20 is reached by a list ten deep. Beyond such a list, nothing would be cut any more.
    parser = MarkdownIt("commonmark", {"maxNesting": 120}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _begins_block(before: str, line: str, *, after_container: bool) -> bool:
    """Whether `line` after `before` starts a block that is independent of `before`.

    Args:
        before: Complete lines.
        line: The next line, or any text if the next line is not known.
        after_container: Whether the block before may be a list or another block that a later line could continue.
    """
    top = [token for token in _parser().parse(before + line) if token.level == 0 and token.nesting >= 0]
    if not top or top[-1].map is None or top[-1].map[0] != before.count("\n"):
        return False
    return after_container or len(top) == 1 or top[-2].type not in _CONTAINERS


def _indent(line: str) -> int:
    """The width of the white space at the start of a line, with tabs as in CommonMark."""
    width = 0
    for character in line:
        if character == " ":
            width += 1
        elif character == "\t":
            width += 4 - width % 4
        else:
            break
    return width


class Blocks:
    """Splits Markdown that arrives piece by piece. A block is settled as soon as no later text can change it.

    `"".join(settled) + open` is always the whole text. Each character is examined about once.
    """

    def __init__(self) -> None:
        self.settled: list[str] = []
        self.open = ""
        """The text that is not settled yet."""
        self._line = 0
        """The offset in `open` of the first line that was not examined yet."""
        self._fence: str | None = None
        self._html_end: re.Pattern[str] | None = None
        self._list_width: int | None = None
        """The column at which the content of a list item starts; None outside a list."""
        self._indented = False
        self._paragraph = False
        self._blank = False
        """Whether the last line in a list or an indented code block was blank."""

    def feed(self, delta: str) -> list[str]:
        """Adds text.

        Args:
            delta: Any piece of the text, cut anywhere.

        Returns:
            The blocks that the piece has settled.
        """
        before = len(self.settled)
        self.open += delta
        while (end := self.open.find("\n", self._line)) >= 0:
            line = self.open[self._line : end].removesuffix("\r")
            self._examine(line, end + 1)
        if self._blank and self._ends_container(self.open[self._line :], complete=False):
            self._cut(self._line, after_container=True)
        return self.settled[before:]

    def _examine(self, line: str, end: int) -> None:
        """Examines a complete line. `end` is the offset of the next line."""
        start, self._line = self._line, end
        if self._fence is not None:
            if self._closes_fence(line):
                self._cut(end)
        elif self._html_end is not None:
            if self._html_end.search(line.strip(" \t")):
                self._cut(end)
        elif not line.strip(" \t"):
            self._examine_blank(end)
        else:
            if self._blank and self._ends_container(line, complete=True):
                start -= self._cut(start, after_container=True)
            self._blank = False
            self._examine_text(line, start)

    def _examine_blank(self, end: int) -> None:
        if self._list_width is not None or self._indented:
            self._blank = True
        elif self._paragraph:
            self._cut(end)

    def _examine_text(self, line: str, start: int) -> None:
        indent = _indent(line)
        if self._list_width is not None and indent >= self._list_width:
            return
        if indent >= 4:
            self._indented = self._indented or not (self._paragraph or self._list_width is not None)
            return
        if not self._begins_leaf(line, start):
            self._examine_item(line)

    def _begins_leaf(self, line: str, start: int) -> bool:
        """Cuts before a fence, a heading or an HTML block, which never belong to the text before them.

        Returns whether the line is one.
        """
        fence = _FENCE.match(line)
        html_end = self._html(line)
        heading = _HEADING.match(line)
        if not (fence or html_end or heading):
            return False
        self._cut(start, line, after_container=True)
        if fence:
            self._fence = fence[1]
        elif html_end and not html_end.search(line):
            self._html_end = html_end
        else:
            self._cut(self._line)
        return True

    def _html(self, line: str) -> re.Pattern[str] | None:
        """The end marker of the HTML block that the line opens; None if it opens none."""
        mark = line.lstrip(" ")
        for begin, end, interrupts in HTML_SEQUENCES:
            if mark.startswith("<") and begin.search(mark):
                return end if interrupts or not (self._paragraph or self._list_width is not None) else None
        return None

    def _examine_item(self, line: str) -> None:
        item = None if _RULE.match(line) else _ITEM.match(line)
        if item and self._paragraph and (item[3] not in {None, "1"} or not line[item.end() :].strip()):
            # In CommonMark, such an item does not interrupt a paragraph.
            item = None
        if item:
            self._list_width = _content_column(line, item)
            self._paragraph = self._indented = False
        elif self._list_width is None:
            self._paragraph, self._indented = True, False

    def _closes_fence(self, line: str) -> bool:
        fence = self._fence or ""
        mark = line.strip(" \t")
        return _indent(line) < 4 and len(mark) >= len(fence) and mark == fence[0] * len(mark)

    def _ends_container(self, line: str, *, complete: bool) -> bool:
        """Whether a line after a blank one certainly ends the list or the indented code block before it."""
        if not line or line[0] in " \t":
            # An indented line may continue an item, and a shallow one may begin a paragraph. Neither needs a cut.
            return complete and self._indented and 0 < _indent(line) < 4
        if self._list_width is None:
            return True
        if _ITEM.match(line):
            return complete and _RULE.match(line) is not None
        return complete or _ITEM_BEGUN.match(line) is None

    def _cut(self, end: int, line: str = "x", *, after_container: bool = False) -> int:
        """Settles `open` up to `end` if that is safe, and resets the block state in any case.

        Returns:
            The number of characters that were settled.
        """
        self._fence = self._html_end = self._list_width = None
        self._indented = self._paragraph = self._blank = False
        block = self.open[:end]
        if not block.strip() or not _begins_block(block, line, after_container=after_container):
            return 0
        self.settled.append(block)
        self.open = self.open[end:]
        self._line -= end
        return end


def _content_column(line: str, item: re.Match[str]) -> int:
    marker_end = item.end()
    rest = line[marker_end:]
    if not rest.strip():
        return marker_end + 1
    column = _indent(" " * marker_end + rest.replace(rest.lstrip(" \t"), "x", 1))
    return column if column - marker_end <= 4 else marker_end + 1


def blocks(text: str) -> tuple[list[str], str]:
    """The settled blocks of a Markdown text, and its open rest.

    Appending to the text never changes a settled block.
    """
    cutting = Blocks()
    cutting.feed(text)
    return cutting.settled, cutting.open
