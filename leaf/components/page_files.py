"""Writes files of the compiled pages: the browser's texts, the addresses of the routes, and the hash of the sources
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
"""Matches the address of a route in `reflex-env-….js`."""


class CompiledPages(Plugin):
    """Writes the browser's texts next to `assets/client/texts.js`, which imports them, and the hash of the sources."""

    _sources = ""

    def pre_compile(self, **_context: Any) -> None:
        """Records the state of the sources before the compilation. A file that is edited during the compilation is not
        in the pages.
        """
        CompiledPages._sources = build.sources()

    def post_build(self, **context: Unpack[PostBuildContext]) -> None:
        """Lets the pages use their own origin for routes, and stores the hash of the sources for the next start."""
        for script in context["static_dir"].glob("assets/reflex-env-*.js"):
            script.write_text(of_any_address(script.read_text()))
        if self._sources:
            build.finished(config.load().pages_dir, self._sources)

    def get_static_assets(self, **_context: Unpack[CommonContext]) -> Sequence[tuple[Path, str | bytes]]:
        """Returns the file with the browser's texts and its path in the folder of the compiled pages."""
        # The file groups texts by key, because the compressed file is then 3 kB smaller than with a list for each
        # language. Reflex calls this after all pages are compiled, so all texts that pages use are known.
        values = {"LANGUAGES": texts.LANGUAGES, "TEXTS": page_texts.for_pages()}
        lines = [f"export const {name} = {json.dumps(value, ensure_ascii=False)};\n" for name, value in values.items()]
        return [(Path(Dirs.PUBLIC) / "client" / "texts-data.js", "".join(lines))]


def of_any_address(script: str) -> str:
    """Replaces the origins of the addresses in `reflex-env-….js` by the page's own origin.

    Reflex compiles its address into the pages, so they would work only there. This address is not known when an image
    is built.

    Args:
        script: The text of `reflex-env-….js`, an object with an address for each route.
    """
    return _ROUTES.sub(lambda found: f'location.origin.replace("http","{found[2]}")+"{found[3]}"', script)
