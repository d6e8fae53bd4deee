"""Exact edits and their diffs."""

import difflib
import re
from collections.abc import Iterator
from itertools import chain

CONTEXT_LINES = 3
MAX_DIFF_CHARACTERS = 20_000
_MAX_COMPARED_LINES = 1_000
"""Maximum number of lines to compare. At worst, a comparison takes quadratic time: half a second for this many."""
_START = re.compile(r"([-+])(\d+)")
_LINE_END = re.compile(r"(?<!\r)\n")


class NotThere(Exception):
    """The text to be replaced is not in the file."""


class Ambiguous(Exception):
    """The text to be replaced is in the file more than once."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} places")
        self.count = count


def replaced(content: str, old: str, new: str, *, everywhere: bool = False) -> str:
    """The content with one text replaced by another.

    Args:
        content: Content of the file.
        old: The exact text to replace, including blanks and line ends; not empty. If all lines of the file end in CRLF,
            an LF in it matches CRLF, because a model that reads lines cannot see the difference.
        new: The replacement.
        everywhere: Whether to replace all occurrences.

    Raises:
        NotThere: The text does not occur.
        Ambiguous: The text occurs more than once, and `everywhere` is false.
    """
    if "\r\n" in content and _LINE_END.search(content) is None:
        old, new = (_LINE_END.sub("\r\n", one) for one in (old, new))
    count = content.count(old) if old else 0
    if count == 0:
        raise NotThere
    # Overlapping occurrences count as several, because the edit would be ambiguous.
    if not everywhere and (count > 1 or content.find(old, content.find(old) + 1) != -1):
        raise Ambiguous(max(count, 2))
    return content.replace(old, new)


def difference(path: str, before: str, after: str) -> str:
    """The change as a unified diff. A long diff is cut and ends with a note.

    Args:
        path: Path of the file.
        before: Content before the change; empty for a new file.
        after: Content after the change; empty for a deleted file.
    """
    old, new = before.splitlines(), after.splitlines()
    lines = _unified(old, new, f"a/{path}", f"b/{path}")
    text = "\n".join(lines)
    if len(text) <= MAX_DIFF_CHARACTERS:
        return text
    kept = text[:MAX_DIFF_CHARACTERS].rpartition("\n")[0]
    return f"{kept}\n… {text.count(chr(10)) - kept.count(chr(10))} more lines of the diff are left out"


def _unified(old: list[str], new: list[str], old_name: str, new_name: str) -> Iterator[str]:
    """A unified diff in bounded time: equal beginnings and ends are skipped, and a long rest counts as replaced."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    first = max(0, head - CONTEXT_LINES)
    keep = max(0, tail - CONTEXT_LINES)
    old_part, new_part = old[first : len(old) - keep], new[first : len(new) - keep]
    if max(len(old_part), len(new_part)) <= _MAX_COMPARED_LINES:
        lines = difflib.unified_diff(old_part, new_part, old_name, new_name, n=CONTEXT_LINES, lineterm="")
        return (_moved(line, first) if line.startswith("@@") else line for line in lines)
    before, after = old[first:head], old[len(old) - tail : len(old) - keep]
    removed, added = old[head : len(old) - tail], new[head : len(new) - tail]
    place = f"@@ -{_span(first, len(old_part))} +{_span(first, len(new_part))} @@"
    return chain(
        (f"--- {old_name}", f"+++ {new_name}", place),
        (f" {line}" for line in before), (f"-{line}" for line in removed),
        (f"+{line}" for line in added), (f" {line}" for line in after),
    )  # fmt: skip


def _common(one: list[str], other: list[str]) -> int:
    """The number of equal lines at the beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _moved(place: str, by: int) -> str:
    """The header of a hunk, such as `@@ -1,3 +1,4 @@`, with its line numbers increased."""
    return _START.sub(lambda found: f"{found[1]}{int(found[2]) + by}", place, count=2) if by else place


def _span(first: int, count: int) -> str:
    return f"{first + 1 if count else first},{count}"
