"""Globs and regular expressions, in time that grows with the text alone: RE2 has no expression that hangs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import re2

from leaf import errors

MAX_PATTERN_CHARACTERS = 1_000
_MOST_MEMORY_BYTES = 2**23
_SHOWN_CHARACTERS = 500


@dataclass(frozen=True)
class Hit:
    """A line that matches."""

    path: str
    line: int
    """Counted from 1."""
    text: str
    """Cut where the line is long."""


def globbed(paths: Iterable[str], pattern: str) -> list[str]:
    """The paths that a glob matches, in their order.

    `*` and `?` stay within a name, `**` goes through any number of folders, `[abc]` is one of these characters, and
    `{a,b}` one of these texts. Case counts.

    Raises:
        errors.Invalid: It is no glob.
    """
    expression = _compiled(_regex_of(pattern), what="glob")
    return [path for path in paths if expression.fullmatch(path)]


def grepped(files: Iterable[tuple[str, str]], pattern: str, *, ignore_case: bool = False) -> Iterator[Hit]:
    """The lines that a regular expression is found in.

    Args:
        files: Paths and contents.
        pattern: In RE2's syntax: as usual, without look-around and references back.
        ignore_case: Whether capitals are the same as small letters.

    Raises:
        errors.Invalid: It is no such expression.
    """
    expression = _compiled(f"(?i){pattern}" if ignore_case else pattern, what="regular expression")
    return (
        Hit(path, number, line[:_SHOWN_CHARACTERS])
        for path, content in files
        for number, line in enumerate(content.splitlines(), 1)
        if expression.search(line)
    )


def _compiled(pattern: str, *, what: str) -> Any:
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise errors.Invalid(f"This {what} is too long.", field="pattern")
    options = re2.Options()
    options.max_mem, options.log_errors = _MOST_MEMORY_BYTES, False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise errors.Invalid(f"This is no {what} that can be used: {_said(error)}.", field="pattern") from error


def _said(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode(errors="replace") if isinstance(said, bytes) else str(said)


def _regex_of(glob: str) -> str:
    """A glob as a regular expression."""
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
