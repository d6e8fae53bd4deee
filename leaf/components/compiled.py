"""Files that are compiled into the pages in addition to their components."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from reflex_base.constants import Dirs
from reflex_base.plugins import CommonContext, Plugin

from leaf import texts


class CompiledTexts(Plugin):
    """Writes the browser's texts next to `assets/client/texts.js`, which imports them."""

    def get_static_assets(self, **_context: Unpack[CommonContext]) -> Sequence[tuple[Path, str | bytes]]:
        """The file by its path in the folder of the compiled pages."""
        known = texts.for_browser()
        # The texts of a key stand together: a compressed file is then 3 kB smaller than with a list for each language.
        by_key = {key: [known[language][key] for language in known] for key in known[texts.DEFAULT]}
        values = {"LANGUAGES": [*known], "TEXTS": by_key}
        lines = [f"export const {name} = {json.dumps(value, ensure_ascii=False)};\n" for name, value in values.items()]
        return [(Path(Dirs.PUBLIC) / "client" / "texts-data.js", "".join(lines))]
