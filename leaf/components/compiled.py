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
        found = json.dumps(texts.for_browser(), ensure_ascii=False, indent=1)
        return [(Path(Dirs.PUBLIC) / "client" / "texts-data.js", f"export const TEXTS = {found};\n")]
