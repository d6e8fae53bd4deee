"""`make gallery`: takes all pictures. `--only REGEX` takes those of some scenes, `--out` puts them elsewhere."""

import argparse
import asyncio
import re
import sys
from pathlib import Path

from playwright.async_api import Error, async_playwright

from tests import chromium
from tests.browser.product import ROOT, Product
from tests.gallery import index, pictures
from tests.gallery.browser import FLAGS
from tests.gallery.scenes import SCENES
from tests.gallery.settings import SETTINGS
from tests.gallery.stage import Stage


def main() -> None:
    """Starts Leaf, takes the pictures, ends Leaf."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression for names of scenes")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "gallery")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    leaf = Product(settings=SETTINGS)
    try:
        leaf.start()
        problems = asyncio.run(_take(leaf, options.only, options.out))
    finally:
        leaf.stop()
    index.write(SCENES, options.out)
    sys.exit("\n".join(problems) or None)


async def _take(leaf: Product, only: str, folder: Path) -> list[str]:
    path = chromium.find()
    if path is None:
        return ["no Chromium: run `make browser`"]
    problems: list[str] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        stage = Stage(leaf, browser)
        for scene in SCENES:
            if not re.search(only, scene.name):
                continue
            sys.stdout.write(f"{scene.name}\n")
            sys.stdout.flush()
            try:
                problems += await pictures.take(stage, scene, folder)
            except (AssertionError, TimeoutError, Error) as error:
                # The other pictures are taken all the same; the command fails at its end.
                problems.append(f"{scene.name}: {str(error)[:800]}")
            await stage.clear()
        await browser.close()
    return problems


if __name__ == "__main__":
    main()
