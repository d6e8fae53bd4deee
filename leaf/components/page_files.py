"""Files next to the compiled pages: the browser's texts, the address of the routes, and the note of the sources
(`leaf.config.build`).
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Unpack

from reflex_base.constants import Dirs
from reflex_base.plugins import CommonContext, Plugin, PostBuildContext

from leaf import config, texts
from leaf.components import texts as page_texts
from leaf.config import build

_ROUTES: Final = re.compile(r"([`'\"])(http|ws)s?://[^/`'\"]{1,300}(/[^`'\"]{0,300})\1")
"""The address of a route in the script that tells pages where the routes are."""


class CompiledPages(Plugin):
    """Writes the browser's texts next to `assets/client/texts.js`, which imports them, and the note of the sources."""

    _sources = ""

    def pre_compile(self, **_context: Any) -> None:
        """Remembers the sources from before the compilation: one that is edited meanwhile is not in the pages."""
        CompiledPages._sources = build.sources()

    def post_build(self, **context: Unpack[PostBuildContext]) -> None:
        """Has the pages ask where they come from, and the next start know what they are compiled from."""
        for script in context["static_dir"].glob("assets/reflex-env-*.js"):
            script.write_text(of_any_address(script.read_text()))
        if self._sources:
            build.finished(config.load().pages_dir, self._sources)

    def get_static_assets(self, **_context: Unpack[CommonContext]) -> Sequence[tuple[Path, str | bytes]]:
        """The file by its path in the folder of the compiled pages."""
        # The texts of a key stand together: a compressed file is then 3 kB smaller than with a list for each language.
        # Reflex asks for the file once all pages are compiled, and so have asked for their texts.
        values = {"LANGUAGES": texts.LANGUAGES, "TEXTS": page_texts.for_pages()}
        lines = [f"export const {name} = {json.dumps(value, ensure_ascii=False)};\n" for name, value in values.items()]
        return [(Path(Dirs.PUBLIC) / "client" / "texts-data.js", "".join(lines))]


def of_any_address(script: str) -> str:
    """The script that tells pages where the routes are, with the page's own origin in place of an address.

    Reflex compiles its address into the pages, so they would work only at this address. The address at which an image
    will run is not known when the image is built.

    Args:
        script: `reflex-env-….js` as Reflex writes it, an object with an address for each route.
    """
    return _ROUTES.sub(lambda found: f'location.origin.replace("http","{found[2]}")+"{found[3]}"', script)
