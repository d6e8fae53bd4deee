"""Paths of files that belong to a chat: relative, with slashes, and never a way to anywhere else."""

import unicodedata

from leaf import errors

MAX_CHARACTERS = 255
MAX_DEPTH = 16
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def checked(path: str) -> str:
    """The path in its stored form: Unicode NFC.

    Args:
        path: A path such as `notes/todo.md`.

    Raises:
        errors.Invalid: It is not a relative path of a file; the message says why.
    """
    path = unicodedata.normalize("NFC", path)
    reason = _wrong_with(path)
    if reason is not None:
        raise errors.Invalid(f"This is no path of a file: {reason}. Use one such as notes/todo.md.", field="path")
    return path


def _wrong_with(path: str) -> str | None:
    names = path.split("/")
    faults = (
        (not path, "it is empty"),
        (len(path) > MAX_CHARACTERS, f"it has {len(path)} characters, and at most {MAX_CHARACTERS} are possible"),
        (path.startswith(("/", "~")) or path[1:2] == ":", "it must be relative"),
        ("\\" in path, "folders are parted by slashes, not backslashes"),
        (any(unicodedata.category(one) in UNSEEN for one in path), "it has characters that cannot be seen"),
        (any(name in {".", ".."} for name in names), "“.” and “..” are not possible"),
        (not all(names), "it has an empty name"),
        (any(name != name.strip() for name in names), "a name begins or ends with a blank"),
        (len(names) > MAX_DEPTH, f"it is more than {MAX_DEPTH} folders deep"),
    )
    return next((reason for wrong, reason in faults if wrong), None)
