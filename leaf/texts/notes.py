"""Notes about the text of a file, such as pages that were not read, in the reader's language.

Readers of files write notes in English (`english("notes.…")`). They are kept as plain sentences: in rows of uploads, in
the index, and in the results of tools, where a model reads them among other words.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import re2

from leaf.texts.catalogue import Text, catalogue
from leaf.texts.languages import DEFAULT
from leaf.texts.phrases import say

Say = Callable[..., str]

MOST_CHARACTERS = 4_000
"""A longer sentence is not a note."""
_AREA = "notes."
_NUMBERS = frozenset({"number", "most", "done", "count", "line"})
_NESTED = "note"
"""The parameter that is a note itself."""
_PARAMETER = re2.compile(r"\\{(\w+)\\}")


def note_text(note: str, say: Say = say) -> str:
    """A note in words; unchanged if it is of no known kind.

    Args:
        note: The English note, or a part of one (`leaf.citations.coverage`).
        say: The texts of its reader's language; left out for the event that is being handled.
    """
    if len(note) > MOST_CHARACTERS:
        return note
    for key, is_one, pattern in _patterns():
        if (found := pattern.fullmatch(note)) is None:
            continue
        values: dict[str, Any] = {name: _value(name, value, say) for name, value in found.groupdict().items()}
        if is_one is not None:
            values.setdefault("count", 1 if is_one else 2)
        return say(key, **values)
    return note


def _value(name: str, value: str, say: Say) -> str | int:
    if name in _NUMBERS:
        return int(value.replace(",", ""))
    return note_text(value, say) if name == _NESTED else value


@cache
def _patterns() -> list[tuple[str, bool | None, Any]]:
    """The key of each note, whether the pattern is that of its singular (None without forms), and the pattern."""
    found = [(key, form) for key, text in catalogue(DEFAULT).items() if key.startswith(_AREA) for form in _forms(text)]
    return [(key, is_one, re2.compile(_pattern(text))) for key, (is_one, text) in found]


def _forms(text: Text) -> list[tuple[bool | None, str]]:
    return [(None, text)] if isinstance(text, str) else [(True, text["one"]), (False, text["other"])]


def _pattern(form: str) -> str:
    return "(?s)" + _PARAMETER.sub(_group, re2.escape(form))


def _group(found: Any) -> str:
    name = found[1]
    return f"(?P<{name}>[0-9][0-9,]*)" if name in _NUMBERS else f"(?P<{name}>.*)"
