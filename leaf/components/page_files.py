"""Files beside the compiled pages: the browser's texts, and the note of the sources (`leaf.config.build`)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

from reflex_base.constants import Dirs
from reflex_base.plugins import CommonContext, Plugin

from leaf import config, texts
from leaf.components import texts as page_texts
from leaf.config import build


class CompiledPages(Plugin):
    """Writes the browser's texts next to `assets/client/texts.js`, which imports them, and the note of the sources."""

    _fingerprint = ""

    def pre_compile(self, **_context: Any) -> None:
        """Remembers the sources from before the compilation: one that is edited meanwhile is not in the pages."""
        CompiledPages._fingerprint = build.fingerprint(config.load())

    def post_build(self, **_context: Any) -> None:
        """Has the next start know what these pages are compiled from."""
        if self._fingerprint:
            build.finished(config.load(), self._fingerprint)

    def get_static_assets(self, **_context: Unpack[CommonContext]) -> Sequence[tuple[Path, str | bytes]]:
        """The file by its path in the folder of the compiled pages."""
        # The texts of a key stand together: a compressed file is then 3 kB smaller than with a list for each language.
        # Reflex asks for the file once all pages are compiled, and so have asked for their texts.
        values = {"LANGUAGES": texts.LANGUAGES, "TEXTS": page_texts.for_pages()}
        lines = [f"export const {name} = {json.dumps(value, ensure_ascii=False)};\n" for name, value in values.items()]
        return [(Path(Dirs.PUBLIC) / "client" / "texts-data.js", "".join(lines))]
