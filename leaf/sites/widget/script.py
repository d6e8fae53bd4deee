"""The scripts of the widget that pages load: a classic script and an ES module, joined from the modules in `source/`.

The modules have a restricted form that needs no bundler. A module imports names from neighbouring files in one line
without renaming, exports only declarations, and declares no name of another module. Any other form is refused.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from leaf import texts

SOURCE = Path(__file__).parent / "source"
_LINKS = Path(__file__).parents[3] / "assets" / "client" / "links.js"
"""The rules for hosts of links, which Leaf's own pages also use."""
_AREA = "widget."
_CLASSIC = """(() => {{
"use strict";
{code}
startFrom(document.currentScript);
window.LeafChat = {{ mount }};
}})();
"""
_MODULE = "{code}\ncomeFrom(new URL(import.meta.url).origin);\ndefine();\nexport {{ LeafChat, mount }};\n"


@dataclass(frozen=True)
class Script:
    """A script, plain and compressed."""

    plain: bytes
    compressed: bytes
    etag: str
    """A weak validator for both forms of this version."""


@cache
def classic() -> Script:
    """The script for `<script src=…>`. It starts by itself and offers `LeafChat.mount` to the page."""
    return _script(_CLASSIC)


@cache
def module() -> Script:
    """The script for `import`. It defines the element, and exports `LeafChat` and `mount`."""
    return _script(_MODULE)


def _script(frame: str) -> Script:
    plain = _COMMENTS.sub("", frame.format(code=joined("element.js", _read))).encode()
    digest = hashlib.sha256(plain).hexdigest()[:24]
    return Script(plain, gzip.compress(plain, 9, mtime=0), f'W/"{digest}"')


def _read(name: str) -> str:
    """The code of a module. The modules with texts and styles are generated; the others are files."""
    if name == "texts-data.js":
        return f"export const TEXTS = {json.dumps(_texts(), ensure_ascii=False, indent=1)};\n"
    if name == "styles-data.js":
        return f"export const STYLES = {json.dumps((SOURCE / 'widget.css').read_text(encoding='utf-8'))};\n"
    if name == "links.js":
        return _LINKS.read_text(encoding="utf-8")
    return (SOURCE / name).read_text(encoding="utf-8")


def _texts() -> dict[str, dict[str, texts.Text]]:
    return {
        language: {key: text for key, text in texts.catalogue(language).items() if key.startswith(_AREA)}
        for language in texts.LANGUAGES
    }


_IMPORT = re.compile(r'^import \{ ?([\w$, ]+?),? ?\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const|let) )", re.MULTILINE)
_DECLARED = re.compile(
    r"^(?:export )?(?:async function|function\*?|async function\*|class|const|let) ([\w$]+)", re.MULTILINE
)
_COMMENTS = re.compile(r"^[ \t]*(?://.*|/\*\*.*\*/)\n", re.MULTILINE)
"""Lines with only a comment. No text of the widget has such a line."""
_LEFT = re.compile(r"^(?:import|export)\b.*|\bimport\(|\bimport\.meta\b", re.MULTILINE)


def joined(entry: str, read: Callable[[str], str]) -> str:
    """The code of a module and of all modules that it imports, in the order of execution.

    Args:
        entry: Name of a module, such as `element.js`.
        read: Returns the code of a module by name.

    Raises:
        ValueError: A module has another form, imports a name that is not exported, or imports itself indirectly.
    """
    codes: dict[str, str] = {}
    exported: dict[str, frozenset[str]] = {}
    declared: dict[str, str] = {}

    def add(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise ValueError(f"{name} imports itself by {' → '.join(path)}")
        if name in codes:
            return
        code = read(name)
        wanted = [(file, names.replace(" ", "").split(",")) for names, file in _IMPORT.findall(code)]
        for file, names in wanted:
            add(file, (*path, name))
            if missing := set(names) - exported[file]:
                raise ValueError(f"{name} imports {', '.join(sorted(missing))}, which {file} does not export")
        own = _DECLARED.findall(code)
        for one in own:
            if one in declared:
                raise ValueError(f"{name} and {declared[one]} both declare {one}")
            declared[one] = name
        exported[name] = frozenset(
            _DECLARED.findall("\n".join(line for line in code.splitlines() if _EXPORT.match(line)))
        )
        plain = _EXPORT.sub("", _IMPORT.sub("", code))
        if left := _LEFT.search(plain):
            raise ValueError(f"{name} cannot be joined: {left[0]}")
        codes[name] = plain.strip()

    add(entry, ())
    return "\n\n".join(codes.values()) + "\n"
