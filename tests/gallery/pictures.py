"""Takes the pictures of a scene: two themes, two widths."""

import io
from pathlib import Path

from PIL import Image

from tests.gallery.scene import Scene
from tests.gallery.stage import NARROW, WIDE, Scheme, Stage, show

SHOTS: tuple[tuple[Scheme, tuple[int, int]], ...] = (
    ("light", WIDE),
    ("dark", WIDE),
    ("light", NARROW),
    ("dark", NARROW),
)
_QUALITY = 82


def file_name(scene: Scene, scheme: str, width: int) -> str:
    """The name of a picture."""
    return f"{scene.name}-{width}-{scheme}.webp"


async def take(stage: Stage, scene: Scene, folder: Path) -> list[str]:
    """Plays a scene and takes its pictures.

    Returns:
        What is wider than its window, as sentences.
    """
    page = await scene.play(stage)
    problems: list[str] = []
    for scheme, size in SHOTS:
        await show(page, scheme, size)
        if scene.pose is not None:
            await scene.pose(page)
        data = await page.screenshot(animations="disabled", caret="hide")
        _save(data, folder / file_name(scene, scheme, size[0]))
        width = int(await page.evaluate("() => document.documentElement.scrollWidth"))
        if width > size[0]:
            problems.append(f"{scene.name}: {width} px wide in {size[0]} px, {scheme}")
    return problems


def _save(png: bytes, path: Path) -> None:
    with Image.open(io.BytesIO(png)) as picture:
        picture.convert("RGB").save(path, "WEBP", quality=_QUALITY, method=6)
