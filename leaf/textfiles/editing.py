"""Exact edits, and what they have changed."""

import difflib

CONTEXT_LINES = 3
MAX_DIFF_CHARACTERS = 20_000


class NotThere(Exception):
    """The text to be replaced is not in the file."""


class Ambiguous(Exception):
    """The text to be replaced is in the file more than once."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} places")
        self.count = count


def replaced(content: str, old: str, new: str, *, everywhere: bool = False) -> str:
    """The content with one text in the place of another.

    Args:
        content: Of the file.
        old: Exactly as it stands there, blanks and line ends included; not empty.
        new: What takes its place.
        everywhere: Whether all places are meant.

    Raises:
        NotThere: It is nowhere.
        Ambiguous: It is in several places, and not all are meant.
    """
    count = content.count(old) if old else 0
    if count == 0:
        raise NotThere
    # Overlapping places count as several: which one is meant cannot be told.
    if not everywhere and (count > 1 or content.find(old, content.find(old) + 1) != -1):
        raise Ambiguous(max(count, 2))
    return content.replace(old, new)


def difference(path: str, before: str, after: str) -> str:
    """What has changed, as a unified diff; cut, and saying so, where it is long.

    Args:
        path: Of the file.
        before: Its content; empty for a new file.
        after: Its content now; empty for one that was deleted.
    """
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"a/{path}", f"b/{path}", n=CONTEXT_LINES, lineterm=""
    )
    text = "\n".join(lines)
    if len(text) <= MAX_DIFF_CHARACTERS:
        return text
    kept = text[:MAX_DIFF_CHARACTERS].rpartition("\n")[0]
    return f"{kept}\n… {text.count(chr(10)) - kept.count(chr(10))} more lines of the diff are left out"
