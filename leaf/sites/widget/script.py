"""The widget as pages load it: a classic script and an ES module."""

import gzip
import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from leaf import texts
from leaf.sites.widget.bundle import joined

SOURCE = Path(__file__).parent / "source"
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
    """Weak validator of this version, which covers both forms."""


@cache
def classic() -> Script:
    """For `<script src=…>`: starts by itself and offers `LeafChat.mount` to the page."""
    return _made(_CLASSIC)


@cache
def module() -> Script:
    """For `import`: defines the element, and exports `mount`."""
    return _made(_MODULE)


def _made(frame: str) -> Script:
    plain = frame.format(code=joined("element.js", _read)).encode()
    digest = hashlib.sha256(plain).hexdigest()[:24]
    return Script(plain, gzip.compress(plain, 9, mtime=0), f'W/"{digest}"')


def _read(name: str) -> str:
    """A module: one of the files, or the texts and styles, which are generated."""
    if name == "texts-data.js":
        return f"export const TEXTS = {json.dumps(_texts(), ensure_ascii=False, indent=1)};\n"
    if name == "styles-data.js":
        return f"export const STYLES = {json.dumps((SOURCE / 'widget.css').read_text(encoding='utf-8'))};\n"
    return (SOURCE / name).read_text(encoding="utf-8")


def _texts() -> dict[str, dict[str, texts.Text]]:
    return {
        language: {key: text for key, text in texts.catalogue(language).items() if key.startswith(_AREA)}
        for language in texts.LANGUAGES
    }
