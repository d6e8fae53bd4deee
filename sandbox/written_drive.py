"""A folder that `sandbox.generate` has written, as a Drive with its own owners, dates and readers.

These are in `.leaf/drive.json`. The list of files is read once, a file when it is requested. Changes for tests are kept
in memory, so the disk is not changed.
"""

import json
import threading
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sandbox.corpus import Changes, Item
from sandbox.folder import Folder, Scan

_FOUNDED = datetime(2023, 1, 2, 8, tzinfo=UTC)


def describes(root: Path) -> bool:
    """Whether a folder has a description of its files."""
    return (root / ".leaf" / "drive.json").is_file()


class DescribedFolder(Folder):
    """A generated folder as a `corpus.Corpus`.

    Args:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        known: dict[str, dict[str, Any]] = json.loads((root / ".leaf" / "drive.json").read_text("utf-8"))["files"]
        walked = self._now()
        self._authored = {
            item.id: _described(item, known.get(walked.paths[item.id].relative_to(self._root).as_posix(), {}))
            for item in walked.items.values()
        }
        self._changed = dict(self._authored)
        self._change_lock = threading.Lock()

    def _now(self) -> Scan:
        return self._scan or super()._now()

    def items(self) -> Mapping[str, Item]:
        return self._changed

    def edit(self, item: Item, changes: Changes) -> None:
        """Changes the metadata of a file, for tests.

        Raises:
            NotImplementedError: The item is a folder, or the content would change.
        """
        if changes.content is not None or item.is_folder:
            raise NotImplementedError("of a generated folder, only the metadata of files are changed")
        with self._change_lock:
            items = dict(self._changed)
            known = items.pop(item.id)
            terms = changes.terms
            if "parent" in terms:
                terms = {"readers": items[terms["parent"]].readers, **terms}
            if not terms.pop("removed", False):
                items[item.id] = replace(known, version=known.version + 1, **terms)
            self._changed = items

    def restore(self, without: Collection[str] = ()) -> None:
        with self._change_lock:
            self._changed = {item_id: item for item_id, item in self._authored.items() if item_id not in without}


def _described(item: Item, known: Mapping[str, Any]) -> Item:
    if not known:
        # The description has no folders, so they get a constant time.
        return replace(item, created=_FOUNDED, modified=_FOUNDED, version=1) if item.is_folder else item
    modified = datetime.fromisoformat(known["modified"])
    return replace(
        item,
        name=known.get("name", item.name),
        owner=known["owner"],
        readers=frozenset(known["readers"]),
        created=modified,
        modified=modified,
    )
