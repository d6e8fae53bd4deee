"""A local folder as a Drive: `--drive FOLDER`.

All files belong to ada. ben sees everything except folders whose names begin with "private". Hidden files, unreadable
files, and symbolic links to folders or to files outside are left out. In names, bytes that are not UTF-8 and control
characters are replaced. The folder is walked for each request, or less often if it is large, so changes are seen.

A folder that `sandbox.generate` has written has owners, dates and readers in `.leaf/drive.json`, and is walked once.
"""

import hashlib
import json
import os
import stat
import threading
import time
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from cachetools import LRUCache

from sandbox import accounts, corpus, extract
from sandbox.accounts import Account
from sandbox.corpus import Changes, Corpus, Item
from sandbox.query import fold

_BOTH = frozenset({"ada", "ben"})
_ADA = frozenset({"ada"})
_INDEX_CHARACTERS = 128 * 1024 * 1024
_CHECKSUM_BYTES = 64 * 1024 * 1024
_DEPTH = 40
_FOUNDED = datetime(2023, 1, 2, 8, tzinfo=UTC)
_CONTROL = {"Cc", "Cs", "Zl", "Zp"}
SLOW_SECONDS = 0.1
"""A folder is large if walking it takes longer than this."""


@dataclass(frozen=True)
class Scan:
    """The state of the folder at one moment. `seconds` is the time that walking it took."""

    items: dict[str, Item]
    paths: dict[str, Path]
    at: float
    seconds: float


class Folder(Corpus):
    """A local folder as a `corpus.Corpus`.

    Args:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._root_id = corpus.opaque_id(f"folder {self._root}", "0A", 19)
        self._scan: Scan | None = None
        self._lock = threading.Lock()
        self._texts: LRUCache[tuple[str, str], str] = LRUCache(_INDEX_CHARACTERS, getsizeof=len)
        self._md5 = lru_cache(maxsize=10_000)(self._read_md5)

    def _now(self) -> Scan:
        with self._lock:
            scan = self._scan
            # Walking a large folder is slow, so it takes at most a third of the time.
            fresh = scan is not None and scan.seconds > SLOW_SECONDS and time.monotonic() - scan.at < 2 * scan.seconds
            if scan is None or not fresh:
                begin = time.monotonic()
                items, paths = self._walk()
                scan = Scan(items, paths, time.monotonic(), time.monotonic() - begin)
                self._scan = scan
            return scan

    def _walk(self) -> tuple[dict[str, Item], dict[str, Path]]:
        status = self._root.stat()
        root = self._item(self._root, self._root_id, None, _BOTH, status, folder=True, name="My Drive")
        items, paths = {root.id: root}, {root.id: self._root}
        waiting = [(self._root, root, 0)]
        while waiting:
            directory, parent, depth = waiting.pop()
            for entry, entry_status in _entries(directory, self._root):
                path = Path(entry.path)
                is_folder = stat.S_ISDIR(entry_status.st_mode)
                readers = parent.readers
                if is_folder and entry.name.lower().startswith("private"):
                    readers = _ADA
                relative = path.relative_to(self._root).as_posix()
                item_id = corpus.opaque_id(f"folder {relative}")
                item = self._item(
                    path, item_id, parent.id, readers, entry_status, folder=is_folder, name=_shown(entry.name)
                )
                items[item_id], paths[item_id] = item, path
                if is_folder and depth < _DEPTH:
                    waiting.append((path, item, depth + 1))
        return items, paths

    def _item(
        self, path: Path, item_id: str, parent: str | None, readers: frozenset[str], status: os.stat_result,
        *, folder: bool, name: str,
    ) -> Item:  # fmt: skip
        modified = _moment(status.st_mtime)
        return Item(
            id=item_id,
            name=name,
            mime_type=corpus.FOLDER if folder else corpus.mime_type(path.suffix),
            parent=parent,
            owner=accounts.ADA.email,
            readers=readers,
            created=_moment(min(status.st_ctime, status.st_mtime)),
            modified=modified,
            version=max(1, status.st_mtime_ns // 1_000_000 % 2_000_000_000),
            revision=f"0B{status.st_mtime_ns:x}-{status.st_size:x}",
            is_root=parent is None,
        )

    def items(self) -> Mapping[str, Item]:
        return self._now().items

    def root_id(self, account: Account) -> str:  # noqa: ARG002 - both accounts have the same folder
        return self._root_id

    def blob(self, item: Item) -> Path:
        path = (self._scan or self._now()).paths.get(item.id)
        if path is None or not path.resolve().is_relative_to(self._root):
            raise FileNotFoundError(item.name)
        with path.open("rb"):
            return path

    def checksum(self, item: Item) -> str | None:
        """The MD5 of a file up to `_CHECKSUM_BYTES`; None for other items."""
        size = self.size(item)
        return self._md5(item.id, item.revision) if size is not None and size <= _CHECKSUM_BYTES else None

    def _read_md5(self, item_id: str, _revision: str) -> str | None:
        path = self._now().paths.get(item_id)
        try:
            return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest() if path else None
        except OSError:
            return None

    def size(self, item: Item) -> int | None:
        """The size of a file when the folder was walked; None for a folder."""
        return None if item.is_folder else int(item.revision.rpartition("-")[2], 16)

    def text(self, item: Item) -> str:
        """The folded name and content of an item, from a cache of limited size."""
        key = (item.id, item.revision)
        with self._lock:
            known = self._texts.get(key)
        if known is not None:
            return known
        try:
            content = "" if item.is_folder else extract.text(self.blob(item), item.mime_type, item.name)
        except OSError:
            content = ""
        folded = fold(f"{item.name}\n{content}")
        # The cache raises ValueError for a text that is larger than the whole cache.
        with self._lock, suppress(ValueError):
            self._texts[key] = folded
        return folded


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


def _shown(name: str) -> str:
    """A file name in which everything that a page or JSON cannot show is replaced."""
    readable = os.fsencode(name).decode("utf-8", "replace")
    if readable.isascii() and readable.isprintable():
        return readable
    replacements = {
        sign: " " if sign.isspace() else "\ufffd" for sign in readable if unicodedata.category(sign) in _CONTROL
    }
    return readable.translate(str.maketrans(replacements))


def _moment(seconds: float) -> datetime:
    """A file's time as a datetime; 1970 if it is out of the range of a datetime."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _entries(directory: Path, root: Path) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    """Yields the entries of a directory, without hidden and unreadable ones, and without links to folders or out."""
    try:
        with os.scandir(directory) as listing:
            entries = [entry for entry in listing if not entry.name.startswith(".")]
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_symlink():
                # A link to a folder could form a cycle, and reading a pipe may never end. So links must lead to files.
                target = Path(entry.path).resolve(strict=True)
                if not target.is_file() or not target.is_relative_to(root) or _is_hidden(target, root):
                    continue
            elif not (entry.is_file() or entry.is_dir()):
                continue
            if os.access(entry.path, os.R_OK):
                yield entry, entry.stat()
        except (OSError, RuntimeError):
            continue


def _is_hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)
