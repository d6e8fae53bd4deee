"""Globs and regular expressions in linear time. They run in RE2, where no expression can hang."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import re2

from leaf import errors

MAX_PATTERN_CHARACTERS = 1_000
OVERLAP_CHARACTERS = 1_000
"""Overlap of the pieces in which a very long line is searched. Matches up to this length are not missed."""
_MOST_MEMORY_BYTES = 2**23
_MOST_INSTRUCTIONS = 100_000
"""Maximum number of instructions in a compiled expression. Repetitions of large parts need more."""
_STEPS = 100_000_000
"""Instructions times characters between two checks of the clock. They take at most a second, even with multi-byte
letters."""
_FEWEST_CHARACTERS = 4_000
_LINE_CHARACTERS = 100
"""Number of characters added to the length of every line in the estimate of its cost."""
_SHOWN_CHARACTERS = 500


@dataclass(frozen=True)
class Hit:
    """A line that matches."""

    path: str
    line: int
    """Counted from 1."""
    text: str
    """The text of the line, cut if it is long."""


def globbed(paths: Iterable[str], pattern: str) -> list[str]:
    """The paths that match a glob, in their given order.

    `*` and `?` stay within a name, `**` matches any number of folders, `[abc]` one of these characters, and `{a,b}` one
    of these texts. Matching is case-sensitive.

    Raises:
        errors.Invalid: The glob is malformed.
    """
    _require_length(pattern, what="glob")
    expression = _compiled(_regex_of(pattern), what="glob")
    return [path for path in paths if expression.fullmatch(path)]


class Search:
    """A regular expression for a search by line.

    Args:
        pattern: RE2 syntax, without look-around and back-references.
        ignore_case: Whether matching ignores case.
        seconds: Time limit from now; None for no limit.

    Raises:
        errors.Invalid: The expression is malformed or would take too long.
    """

    in_pieces = False
    """Whether a very long line was searched in pieces. Then a match of more than `OVERLAP_CHARACTERS` across the end of
    a piece may be missed."""

    def __init__(self, pattern: str, *, ignore_case: bool = False, seconds: float | None = None) -> None:
        self._expression = _compiled(f"(?i){pattern}" if ignore_case else pattern, what="regular expression")
        self._most = max(_FEWEST_CHARACTERS, _STEPS // self._expression.programsize)
        self._unchecked, self._stopped = 0, False
        self._ends_at = None if seconds is None else time.monotonic() + seconds

    @property
    def out_of_time(self) -> bool:
        """Whether the time limit has passed."""
        return self._ends_at is not None and time.monotonic() > self._ends_at

    def hits(self, path: str, content: str) -> Iterator[Hit]:
        """Yields the matching lines of a file. It stops when the time limit has passed, even within a line."""
        for number, line in enumerate(content.splitlines(), 1):
            if self._matches(line):
                yield Hit(path, number, line[:_SHOWN_CHARACTERS])
            elif self._stopped:
                return

    def _matches(self, line: str) -> bool:
        if len(line) > self._most:
            self.in_pieces = True
        for start in range(0, max(1, len(line) - OVERLAP_CHARACTERS), self._most - OVERLAP_CHARACTERS):
            end = min(len(line), start + self._most)
            if self._must_stop(end - start):
                return False
            # The neighbouring characters are included, so that `^` and `\b` do not match at the cut.
            before = int(start > 0)
            piece = line[start - before : end + 1]
            if self._expression.search(piece, before, before + end - start):
                return True
        return False

    def _must_stop(self, characters: int) -> bool:
        """Whether the time limit has passed. The clock is only checked once enough characters were searched.

        Args:
            characters: The number of characters that are searched next.
        """
        self._unchecked += characters + _LINE_CHARACTERS
        if self._unchecked > self._most:
            self._unchecked = characters
            self._stopped = self.out_of_time
        return self._stopped


def _require_length(pattern: str, *, what: str) -> None:
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise errors.Invalid(f"This {what} is too long.", field="pattern")


def _compiled(pattern: str, *, what: str) -> Any:
    _require_length(pattern, what=what)
    options = re2.Options()
    options.max_mem, options.log_errors = _MOST_MEMORY_BYTES, False
    # Groups are not used, and capturing them would take most of the time.
    options.never_capture = True
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        raise errors.Invalid(
            f"This is not a {what} that can be used: {_message_of(error)}.", field="pattern"
        ) from error
    if compiled.programsize > _MOST_INSTRUCTIONS:
        raise errors.Invalid(f"This {what} repeats too much: use smaller numbers in {{}}.", field="pattern")
    return compiled


def _message_of(error: Exception) -> str:
    message = error.args[0] if error.args else ""
    return message.decode(errors="replace") if isinstance(message, bytes) else str(message)


def _regex_of(glob: str) -> str:
    """Converts a glob into a regular expression."""
    found: list[str] = []
    place, depth = 0, 0
    while place < len(glob):
        character = glob[place]
        place += 1
        if character == "*":
            if glob[place : place + 2] == "*/":
                found.append("(?:[^/]+/)*")
                place += 2
            elif glob[place : place + 1] == "*":
                found.append(".*")
                place += 1
            else:
                found.append("[^/]*")
        elif character == "?":
            found.append("[^/]")
        elif character == "[" and (end := glob.find("]", place + 1)) != -1:
            inner = glob[place:end].replace("\\", "\\\\")
            found.append(f"[^/{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]")
            place = end + 1
        elif character == "{" and "}" in glob[place:]:
            found.append("(?:")
            depth += 1
        elif character == "}" and depth:
            found.append(")")
            depth -= 1
        elif character == "," and depth:
            found.append("|")
        else:
            found.append(re2.escape(character))
    return "".join(found) + ")" * depth
