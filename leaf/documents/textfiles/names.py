"""Names for what people upload: a file keeps its own where that is a path's last part, and leads nowhere."""

import re
import unicodedata
from collections.abc import Container

from leaf.documents.textfiles.paths import MAX_CHARACTERS, UNSEEN

_LONGEST_SUFFIX = 20


def safe(name: str) -> str:
    """A name that `checked` takes, for whatever a browser or a program says that a file is called.

    Args:
        name: Such as `report.pdf`; of a path its last part counts.
    """
    name = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    name = "".join(one for one in name if unicodedata.category(one) not in UNSEEN)
    name = " ".join(name.split()).lstrip("~").strip()
    if name[1:2] == ":":
        name = name.replace(":", "_", 1)
    stem, suffix = _parted(name)
    name = stem[: MAX_CHARACTERS - len(suffix)].rstrip() + suffix
    return name if name.strip(". ") else "file"


def free(name: str, taken: Container[str]) -> str:
    """The name, or `name (2).ext`, `name (3).ext`, …: the first that is not taken."""
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
