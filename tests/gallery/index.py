"""The page that shows all pictures."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from tests.gallery.pictures import SHOTS, file_name
from tests.gallery.scene import Scene

_HEAD = """# What Leaf looks like

Each page in each state, in both themes, 1280 and 360 pixels wide. Written by `make gallery`, as are the pictures:
Leaf as `make run` starts it, with the sandbox's Drive and model.
The same scenes are gone through by axe-core (`tests/browser/test_gallery.py`).
"""


def write(scenes: Iterable[Scene], folder: Path) -> None:
    """Writes README.md beside the pictures; scenes whose pictures could not be taken are left out."""
    lines = [_HEAD]
    taken = [scene for scene in scenes if all((folder / name).exists() for name in _names(scene))]
    for chapter, members in groupby(taken, key=lambda scene: scene.chapter):
        lines.append(f"\n## {chapter}\n")
        for scene in members:
            lines += [f"### {scene.title}\n", _row(scene), ""]
    (folder / "README.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _names(scene: Scene) -> list[str]:
    return [file_name(scene, scheme, size[0]) for scheme, size in SHOTS]


def _row(scene: Scene) -> str:
    """The four pictures, the wide ones three times as wide on the page as the narrow ones."""
    shown = [
        f'<img src="{file_name(scene, scheme, size[0])}" width="{360 if size[0] > 1000 else 120}" '
        f'alt="{scene.title}, {size[0]} pixels, {scheme}">'
        for scheme, size in SHOTS
    ]
    return "\n".join(shown) + "\n"
