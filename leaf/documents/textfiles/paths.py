"""Paths of files in a chat: relative, with slashes, and without access to other places."""

import re
import unicodedata
from collections.abc import Container

from leaf import errors, parts, texts

MAX_CHARACTERS = 255
MAX_DEPTH = 16
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_LONGEST_SUFFIX = 20
_READ_CHARACTERS = 8 * MAX_CHARACTERS


def checked(path: str) -> str:
    """Checks a path, and returns it in its stored form (Unicode NFC).

    Args:
        path: A path such as `notes/todo.md`.

    Raises:
        errors.Invalid: It is not a relative path of a file; the message says why.
    """
    # A path that is much too long is not examined further.
    path = parts.normalized("NFC", path) if len(path) <= _READ_CHARACTERS else path
    reason = _fault("errors.path_long", path) if len(path) > _READ_CHARACTERS else _wrong_with(path)
    if reason is not None:
        raise errors.Invalid(texts.english("errors.path", reason=reason), field="path")
    return path


def _fault(name: str, path: str) -> texts.Message:
    return texts.english(name, count=len(path), most=MAX_CHARACTERS, depth=MAX_DEPTH)


def _wrong_with(path: str) -> texts.Message | None:
    names = path.split("/")
    faults = (
        (not path, "errors.path_empty"),
        (len(path) > MAX_CHARACTERS, "errors.path_long"),
        (path.startswith(("/", "~")) or path[1:2] == ":", "errors.path_absolute"),
        ("\\" in path, "errors.path_backslashes"),
        (any(unicodedata.category(one) in UNSEEN for one in path), "errors.path_unseen"),
        (any(name in {".", ".."} for name in names), "errors.path_dots"),
        (not all(map(parts.is_visible, names)), "errors.path_nameless"),
        (any(name != name.strip() for name in names), "errors.path_blanks"),
        (len(names) > MAX_DEPTH, "errors.path_deep"),
    )
    fault = next((fault for wrong, fault in faults if wrong), None)
    return _fault(fault, path) if fault else None


def safe(name: str) -> str:
    """A name that `checked` accepts, made from the name that a browser or a program sends.

    Args:
        name: A name such as `report.pdf`; of a path, only the last part is used.
    """
    # The end is kept, because it has the suffix.
    name = re.split(r"[/\\]", parts.normalized("NFC", name[-_READ_CHARACTERS:]))[-1]
    name = "".join(one for one in name if unicodedata.category(one) not in UNSEEN)
    name = " ".join(name.split()).lstrip("~").strip()
    if name[1:2] == ":":
        name = name.replace(":", "_", 1)
    stem, suffix = _parted(name)
    name = stem[: MAX_CHARACTERS - len(suffix)].rstrip() + suffix
    return name if parts.is_visible(name.strip(". ")) else "file"


def free(name: str, taken: Container[str]) -> str:
    """The name, or the first of `name (2).ext`, `name (3).ext`, … that is not taken."""
    stem, suffix = _parted(name)
    number, found = 1, name
    while found in taken:
        number += 1
        mark = f" ({number})"
        found = stem[: MAX_CHARACTERS - len(suffix) - len(mark)].rstrip() + mark + suffix
    return found


def _parted(name: str) -> tuple[str, str]:
    stem, dot, suffix = name.rpartition(".")
    return (stem, dot + suffix) if stem and 0 < len(suffix) < _LONGEST_SUFFIX else (name, "")
