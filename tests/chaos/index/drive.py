"""The Drive that a trial fills and changes: its files are known to the letter, so that the index can be compared."""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

import httpx

from sandbox import sample_drive

SPACES = ("ada", "ada", "ada", "operations", "board")
FOLDERS = ("Orchards", "Orchards/North", "Press", "Press/Bottling")
KINDS = ("text", "text", "text", "text", "doc", "doc")
_SUFFIXES = {"text": ".txt", "doc": "", "docx": ".docx", "png": ".png"}
FILES = 16


@dataclass
class File:
    """A file or folder, and what the index must hold of it."""

    id: str
    name: str
    parent: str
    kind: str
    mark: str = ""
    """A word of its present content that stands in no other file and in no earlier content."""
    trashed: bool = False
    shared: bool = True
    """Whether the member sees it."""
    removed: bool = False
    can_download: bool = True
    hidden: int = 0
    """How often it went out of sight: its text may then be forgotten and read again."""
    editions: int = 1

    @property
    def is_folder(self) -> bool:
        return self.kind == "folder"


@dataclass
class Drive:
    """The Drive of one trial.

    Args:
        http: To the sandbox.
        seed: The seed of the trial.
    """

    http: httpx.AsyncClient
    seed: int
    files: dict[str, File] = field(default_factory=dict[str, File])
    edits: int = 0
    _drawn: random.Random = field(init=False)
    _marks: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self._drawn = random.Random(f"drive {self.seed}")

    async def plant(self) -> None:
        """Adds the files of the beginning."""
        entries = [self._entry() for _ in range(FILES)]
        entries += [self._entry(name=name, kind="text", can_download=False) for name in ("Closed.txt", "Locked.txt")]
        await self._posted("/sandbox/files", entries)

    def _entry(self, *, name: str = "", kind: str = "", can_download: bool = True) -> dict[str, Any]:
        """A new file, with the folders above it."""
        space, folder = self._drawn.choice(SPACES), self._drawn.choice(("", *FOLDERS))
        kind = kind or self._drawn.choice(KINDS)
        mark = self._mark()
        name = name or f"Note {mark}{_SUFFIXES[kind]}"
        above = f"{space}:/Trial {self.seed}" + (f"/{folder}" if folder else "")
        entry: dict[str, Any] = {
            "path": f"{above}/{name}",
            "kind": kind,
            "text": _content(mark),
            "can_download": can_download,
        }
        added = sample_drive.id_of(entry["path"], kind)
        self.files[added] = File(added, name, sample_drive.id_of(above), kind, mark, can_download=can_download)
        space_path, _, rest = above.partition(":/")
        names = rest.split("/")
        for depth, one in enumerate(names, 1):
            folder_id = sample_drive.id_of(f"{space_path}:/{'/'.join(names[:depth])}")
            parent = sample_drive.id_of(f"{space_path}:/{'/'.join(names[: depth - 1])}") if depth > 1 else ""
            self.files.setdefault(folder_id, File(folder_id, one, parent, "folder"))
        return entry

    async def change(self) -> str:
        """Makes one change, drawn by the seed; returns its name. Changes are made one after the other."""
        async with self._turn:
            return await self._changed()

    async def _changed(self) -> str:
        self.edits += 1
        kinds = (
            "edit",
            "edit",
            "edit",
            "rename",
            "move",
            "trash",
            "restore",
            "remove",
            "unshare",
            "share",
            "add",
            "close",
        )
        what = self._drawn.choice(kinds)
        if what == "add":
            await self._posted("/sandbox/files", [self._entry()])
            return what
        present = [one for one in self.files.values() if not one.is_folder and not one.removed]
        folders = [one for one in self.files.values() if one.is_folder]
        file = self._drawn.choice(present)
        match what:
            case "edit":
                file.mark = self._mark()
                file.editions += 1
                await self._posted(f"/sandbox/files/{file.id}", {"content": _content(file.mark)})
            case "rename":
                file.name = f"Renamed {self._mark()}{_SUFFIXES[file.kind]}"
                await self._posted(f"/sandbox/files/{file.id}", {"name": file.name})
            case "move":
                # Within its own space: at Google, a file that leaves a Shared Drive has a new owner.
                near = [one for one in folders if self._space(one) == self._space(file)]
                folder = self._drawn.choice(near)
                file.parent = folder.id
                await self._posted(f"/sandbox/files/{file.id}", {"parent": folder.id})
            case "trash" | "restore":
                file = self._drawn.choice([file, *self._drawn.sample(folders, 1)])
                file.trashed = what == "trash"
                self._hide(file)
                await self._posted(f"/sandbox/files/{file.id}", {"trashed": file.trashed})
            case "remove":
                file.removed = True
                await self._posted(f"/sandbox/files/{file.id}", {"removed": True})
            case "unshare" | "share":
                file.shared = what == "share"
                self._hide(file)
                readers = ["ada", "ben"] if file.shared else ["ben"]
                await self._posted(f"/sandbox/files/{file.id}", {"readers": readers})
            case _:
                file.can_download = not file.can_download
                self._hide(file)
                await self._posted(f"/sandbox/files/{file.id}", {"can_download": file.can_download})
        return what

    def _hide(self, file: File) -> None:
        file.hidden += 1
        for one in self.files.values():
            if file.id in self._above(one):
                one.hidden += 1

    def _space(self, file: File) -> str:
        top = [*self._above(file), file.id][0] if self._above(file) else file.id
        return next(space for space in set(SPACES) if sample_drive.id_of(f"{space}:/Trial {self.seed}") == top)

    def _above(self, file: File) -> list[str]:
        """The folders above a file, from the top."""
        found: list[str] = []
        parent = file.parent
        while parent in self.files:
            found.insert(0, parent)
            parent = self.files[parent].parent
        return found

    def visible(self) -> dict[str, File]:
        """The files and folders that the member sees."""
        return {
            one.id: one
            for one in self.files.values()
            if not one.removed and one.shared and not any(self.files[at].trashed for at in (*self._above(one), one.id))
        }

    def readable(self) -> dict[str, File]:
        """The files among them whose text can be searched."""
        return {one.id: one for one in self.visible().values() if not one.is_folder and one.can_download}

    def _mark(self) -> str:
        self._marks += 1
        return f"quill{self.seed}x{self._marks}"

    async def _posted(self, path: str, body: Any) -> None:
        answer = await self.http.post(path, json=body)
        answer.raise_for_status()


def _content(mark: str) -> str:
    return f"The ledger of the orchard names {mark}.\n\nPallets are counted on Mondays; then the press is cleaned.\n"
