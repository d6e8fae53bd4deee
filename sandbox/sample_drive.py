"""The bundled Drive of the Northwind Orchard Cooperative, a fictitious company.

Its sources are Markdown and CSV in `sandbox/sample/`, and `manifest.toml` lists them. A path in it begins with a space
(`ada:`, `ben:`, `operations:`, `board:`, `partner:`). Ids are derived from paths, revisions from contents.
"""

import base64
import csv
import hashlib
import re
import threading
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from sandbox import accounts, blocks, corpus, files, render
from sandbox.accounts import Account
from sandbox.corpus import Changes, Corpus, Item, SharedDrive, Tab
from sandbox.query import fold
from sandbox.store import Edit, Store

_SOURCES = Path(__file__).parent / "sample"
_BOTH = frozenset({"ada", "ben"})
_FOUNDED = datetime(2024, 4, 2, 7, 30, tzinfo=UTC)
_PARTNER = "office@pomona-packing.example"
# Part of every revision. Increase it when the output of a writer in `render` changes.
_EDITION = "1"
_LINK = re.compile(r"\{\{([^}]+)\}\}")
"""A link to the file at a path, such as `{{ada:/Folder/File}}`."""

_GOOGLE_KINDS = {
    "doc": corpus.DOCUMENT,
    "sheet": corpus.SPREADSHEET,
    "slides": corpus.PRESENTATION,
    "drawing": corpus.DRAWING,
    "form": corpus.FORM,
    "shortcut": corpus.SHORTCUT,
}


@dataclass(frozen=True)
class _Space:
    """A space for files: the My Drive of an account, a Shared Drive, or the Drive of another company."""

    root: str | None
    owner: str
    readers: frozenset[str]
    drive_name: str | None = None


_SPACES = {
    "ada": _Space(corpus.opaque_id("root ada", "0A", 19), accounts.ADA.email, _BOTH),
    "ben": _Space(corpus.opaque_id("root ben", "0A", 19), accounts.BEN.email, _BOTH),
    "operations": _Space(corpus.opaque_id("drive operations", "0A", 19), accounts.ADA.email, _BOTH, "Operations"),
    "board": _Space(corpus.opaque_id("drive board", "0A", 19), accounts.ADA.email, frozenset({"ada"}), "Board"),
    "partner": _Space(None, _PARTNER, _BOTH),
}


@dataclass(frozen=True)
class _Source:
    """The source of a file."""

    kind: str
    written: str
    encoding: str = "utf-8"
    is_sensor_log: bool = False
    """Whether its text is that of `sensor_log`, which is made when it is first needed."""
    bytes_path: str | None = None
    """The path of a file of the sample with its bytes. `written` is then the text that these bytes show."""
    data: bytes | None = None
    """The bytes of a file that was added for tests."""
    claimed_bytes: int | None = None
    """The size that listings state, whatever the number of its bytes is."""

    @property
    def text(self) -> str:
        """The whole source."""
        return sensor_log() if self.is_sensor_log else self.written


def field_reports() -> Iterator[dict[str, Any]]:
    """Yields a manifest entry for each row of `field-reports.csv`."""
    with (_SOURCES / "field-reports.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            day = datetime.fromisoformat(row["date"]).replace(hour=15, tzinfo=UTC)
            name = f"Field report {row['number']} – {row['orchard']}, block {row['block']}"
            yield {
                "path": f"ada:/Field reports 2025/{name}",
                "kind": "doc",
                "modified": day,
                "created": day,
                "text": (
                    f"# Field report {row['number']}\n\n"
                    f"- Date: {row['date']}\n- Orchard: {row['orchard']}\n- Block: {row['block']}\n"
                    f"- Variety: {row['variety']}\n- Inspector: {row['inspector']}\n\n## Measurements\n\n"
                    f"| Measure | Value |\n|---|---|\n| Codling moth trap count | {row['moths']} |\n"
                    f"| Soil moisture (%) | {row['moisture']} |\n| Sugar (degrees Brix) | {row['brix']} |\n\n"
                    f"## Remarks\n\n{row['remarks']}\n"
                ),
            }


@cache
def sensor_log() -> str:
    """The Markdown of a document of about 11 MB, with a reading of each sensor for every 15 minutes of a season."""
    lines = [
        "# Sensor log, season 2025 (complete)",
        "The highest soil temperature of the season, 31.4 degrees, was read by sensor S-07 on day 198 in Hillside.",
    ]
    # Each number is formatted only once, so that this takes a fraction of a second.
    temperatures = [f"{14 + tenth / 10:.1f}C " for tenth in range(160)]
    moistures = [f"{22 + tenth / 10:.1f}%" for tenth in range(190)]
    sensors = [(sensor, f" S-{sensor:02d} ") for sensor in range(1, 33)]
    for day in range(120, 280):
        readings = [
            clock + name + temperatures[(heat + sensor * 5) % 160] + moistures[(wet + sensor * 11) % 190]
            for hour in range(24)
            for minute in (0, 15, 30, 45)
            for clock, heat, wet in [(f"{hour:02d}:{minute:02d}", day * 7 + hour * 3 + minute, day * 3 + hour + minute)]
            for sensor, name in sensors
        ]
        lines += [f"## Day {day}", "; ".join(readings)]
    return "\n\n".join(lines) + "\n"


def id_of(path: str, kind: str = "file") -> str:
    """The id of a path such as `ada:/Finance/Budget 2026`."""
    return corpus.opaque_id(f"sample {path}", "1", 44 if kind in {"doc", "sheet", "slides", "drawing", "form"} else 33)


class Sample(Corpus):
    """The sample as a `corpus.Corpus`.

    Args:
        store: The store of edits and additions.
        state_dir: The directory in which rendered files are kept.
        base_url: The base URL of links between documents.
    """

    def __init__(self, store: Store, state_dir: Path, base_url: str) -> None:
        self._store = store
        self._rendered = state_dir / "rendered"
        self._rendered.mkdir(parents=True, exist_ok=True)
        self._base_url = base_url
        self._lock = threading.Lock()
        self._items: dict[str, Item] = {}
        self._sources: dict[str, _Source] = {}
        self._paths: dict[str, str] = {}
        self._edits: dict[str, Edit] = {}
        self._earlier: dict[str, tuple[Item, ...]] = {}
        """The earlier versions of files that the manifest describes, by the id of the file, the oldest first."""
        self._contents: dict[str, _Source] = {}
        """The sources of versions, by revision."""
        self._load()
        self._authored = dict(self._items), dict(self._sources), dict(self._paths)
        self._add([_dated(entry, added_at) for entry, added_at in store.additions()])
        self._edited = dict(self._items)
        self._apply_edits()
        self._folded = lru_cache(maxsize=2000)(self._fold)

    def _load(self) -> None:
        manifest: dict[str, list[dict[str, Any]]] = tomllib.loads((_SOURCES / "manifest.toml").read_text("utf-8"))
        for space in _SPACES.values():
            if space.root is not None:
                self._items[space.root] = _root(space)
        for entry in manifest["folder"]:
            self._folder(entry["path"], entry)
        self._add([*manifest["file"], *field_reports()])

    def _add(self, entries: Sequence[Mapping[str, Any]]) -> None:
        for entry in entries:
            self._file(entry)
        for entry in entries:
            if "target" in entry:
                self._point(entry)

    def _folder(self, path: str, entry: Mapping[str, Any]) -> Item:
        """The folder of a path. It is created with the folders above it if it does not exist."""
        known = self._items.get(self._paths.get(path, ""))
        if known is not None:
            return known
        item = self._item(path, entry, corpus.FOLDER, id_of(path), "")
        self._items[item.id] = item
        self._paths[path] = item.id
        return item

    def _item(self, path: str, entry: Mapping[str, Any], mime_type: str, item_id: str, revision: str) -> Item:
        space_name, _, rest = path.partition(":/")
        space = _SPACES[space_name]
        above, _, name = rest.rpartition("/")
        parent = self._folder(f"{space_name}:/{above}", {}) if above else self._items.get(space.root or "")
        inherited = space.readers if parent is None or parent.is_root else parent.readers
        modified = entry.get("modified", _FOUNDED)
        resource_key = entry.get("resource_key")
        return Item(
            id=item_id,
            name=name,
            mime_type=mime_type,
            parent=parent.id if parent else None,
            owner=entry.get("owner", space.owner),
            readers=frozenset(entry["readers"]) if "readers" in entry else inherited,
            created=min(entry.get("created", _FOUNDED), modified),
            modified=modified,
            version=sum(revision.encode()) % 400 + 2,
            revision=revision,
            drive_id=space.root if space.drive_name else None,
            trashed=entry.get("trashed", False),
            can_download=entry.get("can_download", True),
            resource_key=resource_key,
            description=entry.get("description"),
            unlisted=bool(resource_key) or (parent.unlisted if parent else False),
        )

    def _file(self, entry: Mapping[str, Any]) -> None:
        path, kind = entry["path"], entry["kind"]
        source = _Source(
            kind,
            _written(entry),
            entry.get("encoding", "utf-8"),
            entry.get("generator") == "sensor_log",
            entry.get("bytes"),
            base64.b64decode(entry["data"]) if "data" in entry else None,
            entry.get("claimed_bytes"),
        )
        mime_type = _GOOGLE_KINDS.get(kind) or corpus.mime_type(Path(path).suffix)
        revision = corpus.opaque_id(f"{_EDITION} {kind} {source.encoding} {path} {source.written}", "0B", 44)
        item = self._item(path, entry, mime_type, id_of(path, kind), revision)
        self._items[item.id] = item
        self._paths[path] = item.id
        self._sources[item.id] = source
        self._contents[item.revision] = source
        self._earlier[item.id] = tuple(
            self._version(item, replace(source, written=_written(one)), _moment(one["modified"]), one.get("by"))
            for one in entry.get("versions", ())
        )

    def _version(self, item: Item, source: _Source, modified: datetime, by: str | None) -> Item:
        """Makes an earlier version of an item, and records the source of its content."""
        revision = corpus.opaque_id(f"{item.id} {modified.isoformat()} {source.written}", "0B", 44)
        self._contents[revision] = source
        return replace(item, revision=revision, modified=modified, modified_by=_email(by))

    def _point(self, entry: Mapping[str, Any]) -> None:
        """Sets the target of a shortcut. The target may be further down in the list, or not in it at all."""
        item_id = self._paths[entry["path"]]
        target = self._paths.get(entry["target"], id_of(entry["target"], "doc"))
        self._items[item_id] = replace(self._items[item_id], target=target)

    def _apply_edits(self) -> None:
        items = dict(self._items)
        self._edits = self._store.edits()
        for file_id, edit in self._edits.items():
            item, last = items.get(file_id), edit.contents[-1] if edit.contents else None
            if item is None:
                continue
            # Readers and removal also affect items below, so `_with_inherited` applies them.
            own = {name: value for name, value in edit.terms.items() if name not in {"readers", "removed"}}
            if last is not None:
                own["revision"] = corpus.opaque_id(f"{item.revision} {last.edition} {last.content}", "0B", 44)
                own["modified_by"] = _email(last.account)
                if file_id in self._sources:
                    self._sources[file_id] = replace(self._sources[file_id], written=last.content, is_sensor_log=False)
            items[file_id] = replace(
                item, modified=files.moment(edit.edited_at), version=item.version + edit.edition, **own
            )
        self._edited = self._with_inherited(items)

    def _with_inherited(self, items: dict[str, Item]) -> dict[str, Item]:
        """The items with the readers and the state in the bin that they inherit from their folders.

        Items that were removed, and all items below them, are left out.
        """
        below: dict[str | None, list[Item]] = {}
        for item in items.values():
            below.setdefault(item.parent, []).append(item)
        found: dict[str, Item] = {}
        waiting = [(item, None) for item in items.values() if item.parent not in items]
        while waiting:
            item, above = waiting.pop()
            terms = self._edits[item.id].terms if item.id in self._edits else {}
            if terms.get("removed"):
                continue
            inherits = above is not None and item.readers == items[above.id].readers
            if "readers" in terms:
                item = replace(item, readers=frozenset(terms["readers"]))
            elif above is not None and (inherits or "parent" in terms):
                item = replace(item, readers=above.readers)
            if above is not None and above.trashed and not above.is_root:
                item = replace(item, trashed=True)
            found[item.id] = item
            waiting += [(one, item) for one in below.get(item.id, ()) if one.id not in found]
        return found

    def items(self) -> Mapping[str, Item]:
        return self._edited

    def drives(self) -> tuple[SharedDrive, ...]:
        return tuple(
            SharedDrive(space.root, space.drive_name, _FOUNDED, self._edited[space.root].readers)
            for space in _SPACES.values()
            if space.drive_name and space.root
        )

    def root_id(self, account: Account) -> str:
        return _SPACES[account.key].root or ""

    def blob(self, item: Item) -> Path:
        """The path of the file with an item's bytes, which is written when it is first needed."""
        path = self._rendered / hashlib.sha256(item.revision.encode()).hexdigest()[:32]
        if not path.exists():
            with self._lock:
                scratch = path.with_suffix(".making")
                scratch.write_bytes(_rendered(self._source(item)))
                scratch.replace(path)
        return path

    def checksum(self, item: Item) -> str | None:
        return hashlib.md5(self.blob(item).read_bytes(), usedforsecurity=False).hexdigest()

    def size(self, item: Item) -> int | None:
        """The size of an item in bytes; for a Google document, spreadsheet or presentation the size of its source.

        It is None for other items without bytes.
        """
        if item.mime_type in files.EXPORTS:
            return len(self._source(item).text.encode())
        claimed = self._source(item).claimed_bytes if item.id in self._sources else None
        return claimed or (None if item.is_google else self.blob(item).stat().st_size)

    def markdown(self, item: Item) -> str:
        """The Markdown of a Google document or presentation, with links to this sandbox."""
        return _LINK.sub(lambda match: self._link(match[1]), self._source(item).text)

    def _link(self, path: str) -> str:
        """The address of the item at a path. If there is no such item, the address answers 404."""
        item = self._items.get(self._paths.get(path, ""))
        return files.link(self._base_url, item) if item else f"{self._base_url}/document/d/{id_of(path, 'doc')}/edit"

    def tabs(self, item: Item) -> tuple[Tab, ...]:
        return render.parse_tabs(self._source(item).text)

    def revisions(self, item: Item) -> tuple[Item, ...]:
        """The versions of an item, the oldest first and the item itself last.

        All of them have the item's present name, readers and permission to download.
        """
        authored = self._items[item.id]
        written = self._edits[item.id].contents if item.id in self._edits else ()
        found = [*self._earlier.get(item.id, ())]
        if written and item.id in self._sources:
            source = replace(self._sources[item.id], is_sensor_log=False)
            found.append(authored)
            found += [
                self._version(item, replace(source, written=one.content), files.moment(one.written_at), one.account)
                for one in written[:-1]
            ]
        now = {"name": item.name, "readers": item.readers, "can_download": item.can_download}
        return (*(replace(one, **now) for one in found), item)

    def _source(self, item: Item) -> _Source:
        """The source of an item, or of an earlier version of it."""
        return self._contents.get(item.revision) or self._sources[item.id]

    def text(self, item: Item) -> str:
        return self._folded(item.id, item.revision, item.name)

    def _fold(self, item_id: str, _revision: str, name: str) -> str:
        source = self._sources.get(item_id)
        readable = source is not None and source.kind not in {"scan", "image", "form", "shortcut"}
        return fold(f"{name}\n{source.text}" if source is not None and readable else name)

    def edit(self, item: Item, changes: Changes) -> None:
        self._store.edit(item.id, changes.terms, content=changes.content, account=changes.by)
        with self._lock:
            self._apply_edits()

    def add(self, entries: Sequence[dict[str, Any]]) -> Item:
        added_at = [self._store.add(entry) for entry in entries]
        with self._lock:
            self._add([_dated(entry, moment) for entry, moment in zip(entries, added_at, strict=True)])
            self._apply_edits()
            return self._edited[self._paths[entries[-1]["path"]]]

    def restore(self, without: Collection[str] = ()) -> None:
        self._store.restore()
        for item_id in without:
            self._store.edit(item_id, {"removed": True})
        with self._lock:
            items, sources, paths = self._authored
            self._items, self._sources, self._paths = dict(items), dict(sources), dict(paths)
            self._apply_edits()

    def share_drive(self, drive_id: str, readers: frozenset[str]) -> None:
        self._store.edit(drive_id, {"readers": readers})
        with self._lock:
            self._apply_edits()


def _moment(given: str | datetime) -> datetime:
    return datetime.fromisoformat(given) if isinstance(given, str) else given


def _email(account: str | None) -> str:
    """The e-mail address of the account with a key; empty if there is none."""
    return next((one.email for one in accounts.ACCOUNTS if one.key == account), "")


def _dated(entry: Mapping[str, Any], added_at: float) -> dict[str, Any]:
    moment = files.moment(added_at)
    given = entry.get("modified")
    modified = _moment(given) if given else moment
    return {**entry, "created": min(moment, modified), "modified": modified}


def _root(space: _Space) -> Item:
    return Item(
        id=space.root or "",
        name="Drive" if space.drive_name else "My Drive",
        mime_type=corpus.FOLDER,
        parent=None,
        owner=space.owner,
        readers=space.readers if space.drive_name else frozenset({space.owner.partition("@")[0]}),
        created=_FOUNDED,
        modified=_FOUNDED,
        version=1,
        revision="",
        drive_id=space.root if space.drive_name else None,
        is_root=True,
    )


def _written(entry: Mapping[str, Any]) -> str:
    if "text" in entry:
        return entry["text"]
    return (_SOURCES / entry["source"]).read_text("utf-8") if "source" in entry else ""


def _rendered(source: _Source) -> bytes:
    writers: dict[str, Callable[[str], bytes]] = {
        "pdf": lambda text: render.pdf(blocks.pages(text)),
        "docx": render.docx,
        "xlsx": lambda text: render.xlsx(render.parse_tabs(text)),
        "pptx": render.pptx,
    }
    if source.data is not None:
        return source.data
    if source.bytes_path:
        return (_SOURCES / source.bytes_path).read_bytes()
    writer = writers.get(source.kind)
    return source.text.encode(source.encoding) if writer is None else writer(source.text)
