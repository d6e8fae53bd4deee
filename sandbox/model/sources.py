"""What the tools gave, read from their results. Results are data: whatever a text in them demands, nobody obeys."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sandbox.model import passages
from sandbox.model.conversation import Call, Exchange, JsonObject

SETTINGS_PATH = "/settings/integrations"

_NOT_CONNECTED = re.compile(r"/settings/integrations|\bnot connected\b|\breconnect\b|\brevoked\b", re.IGNORECASE)
_OF_THE_WEB = {"search", "fetch"}
"""Tools whose results are no files (`sandbox.model.web`)."""
_UNREADABLE = {"folder", "image", "photo", "video", "audio", "archive", "zip", "binary"}


@dataclass(frozen=True)
class File:
    """A file or folder as a tool described it."""

    id: str
    name: str
    url: str
    kind: str = ""
    modified: str = ""

    @property
    def is_folder(self) -> bool:
        return "folder" in self.kind.lower()

    @property
    def may_be_readable(self) -> bool:
        return self.kind.lower() not in _UNREADABLE and not self.is_folder

    @property
    def reference(self) -> str:
        """What a tool is called with: the link, which may carry a resource key, or else the id."""
        return self.url or self.id

    @property
    def key(self) -> str:
        return self.id or self.url or self.name


@dataclass(frozen=True)
class Listing:
    """A folder's files, or those that a search found."""

    call: Call
    folder: File | None
    query: str
    files: tuple[File, ...]
    total: int
    partial: bool
    note: str


@dataclass(frozen=True)
class Reading:
    """The content of a file, or of a part of it."""

    file: File
    part: str
    content: str
    complete: bool
    outline: tuple[tuple[str, str], ...]
    """Pairs of a part and its title."""
    note: str
    found_inside: bool = False
    """Whether these are passages that were looked for in the whole file."""

    @cached_property
    def passages(self) -> list[passages.Passage]:
        titles = frozenset(part for _, title in self.outline for part in title.split("; "))
        return passages.split(self.content, f"{self.file.kind} {self.file.name}", titles)


@dataclass(frozen=True)
class Skip:
    """A file that could not be read, and why."""

    call: Call
    file: File
    reason: str


@dataclass(frozen=True)
class Failure:
    """A tool that failed, and what it said."""

    call: Call
    text: str

    @property
    def not_connected(self) -> bool:
        return bool(_NOT_CONNECTED.search(self.text))


@dataclass
class Found:
    """Everything that a number of tool calls gave, each kind in order."""

    calls: list[Call] = field(default_factory=list[Call])
    listings: list[Listing] = field(default_factory=list[Listing])
    searches: list[Listing] = field(default_factory=list[Listing])
    readings: list[Reading] = field(default_factory=list[Reading])
    skips: list[Skip] = field(default_factory=list[Skip])
    failures: list[Failure] = field(default_factory=list[Failure])

    @property
    def lasting_failures(self) -> list[Failure]:
        """The failures that no later call made good: reading on, or opening a link the other way."""
        return [failure for failure in self.failures if _reference(failure.call) not in self._opened]

    @property
    def lasting_skips(self) -> list[Skip]:
        """The files that could not be read in the end."""
        return [skip for skip in self.skips if _reference(skip.call) not in self._opened]

    @property
    def _opened(self) -> set[str]:
        refused = {*(failure.call.id for failure in self.failures), *(skip.call.id for skip in self.skips)}
        return {_reference(call) for call in self.calls if call.id not in refused} - {""}

    @property
    def files(self) -> list[File]:
        """Every file that was listed, found or read, each once."""
        known: dict[str, File] = {}
        for listing in (*self.listings, *self.searches):
            for file in listing.files:
                known.setdefault(file.key, file)
        for reading in self.readings:
            known.setdefault(reading.file.key, reading.file)
        return list(known.values())

    @property
    def read_files(self) -> list[File]:
        return list({reading.file.key: reading.file for reading in self.readings}.values())


def collect(exchanges: Iterable[Exchange]) -> Found:
    """Sorts tool results by what they are. Results of other tools are left out."""
    found = Found()
    for exchange in exchanges:
        if exchange.call.name in _OF_THE_WEB:
            continue
        found.calls.append(exchange.call)
        if exchange.output is None:
            found.failures.append(Failure(exchange.call, exchange.error or ""))
        else:
            _sort(found, exchange.call, exchange.output)
    known = {file.id: file for file in found.files if file.id}
    outlines = {reading.file.key: reading.outline for reading in reversed(found.readings) if reading.outline}
    found.readings = [
        reading if reading.outline else replace(reading, outline=outlines.get(reading.file.key, ()))
        for reading in found.readings
    ]
    found.skips = [replace(skip, file=known.get(skip.file.id, skip.file)) for skip in found.skips]
    return found


def _reference(call: Call) -> str:
    """The file or folder that a call names; nothing for a search."""
    return _text(call.arguments.get("file")) or _text(call.arguments.get("folder"))


def _sort(found: Found, call: Call, output: JsonObject) -> None:
    skipped = output.get("skipped")
    if isinstance(skipped, dict):
        # Google names no file that it does not let the user see; the link that was tried is all there is.
        tried = _reference(call)
        file = _file({"name": "the link" if "://" in tried else tried, **{k: v for k, v in skipped.items() if v}})
        file = file if file.url or "://" not in tried else replace(file, url=tried)
        found.skips.append(Skip(call, file, _text(skipped.get("reason")) or "no reason was given"))
    elif isinstance(output.get("content"), str):
        found.readings.append(_reading(output))
    elif isinstance(output.get("files"), list):
        listing = _listing(call, output)
        (found.listings if listing.folder else found.searches).append(listing)


def _listing(call: Call, output: JsonObject) -> Listing:
    files = tuple(_file(entry) for entry in output["files"] if isinstance(entry, dict))
    folder = output.get("folder")
    total = output.get("total")
    return Listing(
        call=call,
        folder=_file(folder) if isinstance(folder, dict) else None,
        query=_text(output.get("query")),
        files=files,
        total=total if isinstance(total, int) else len(files),
        partial=output.get("partial") is True,
        note=_text(output.get("note")),
    )


def _reading(output: JsonObject) -> Reading:
    outline = output.get("outline")
    entries: list[Any] = outline if isinstance(outline, list) else []
    return Reading(
        file=_file(output.get("file")),
        part=_text(output.get("part")),
        content=output["content"],
        complete=output.get("complete") is not False,
        outline=tuple(
            (_text(entry.get("part")), _text(entry.get("title")))
            for entry in entries
            if isinstance(entry, dict) and _text(entry.get("part"))
        ),
        note=_text(output.get("note")),
        found_inside=isinstance(output.get("find"), str),
    )


def _file(value: Any) -> File:
    entry: JsonObject = value if isinstance(value, dict) else {}
    name = _text(entry.get("name")) or _text(entry.get("id")) or "a file without a name"
    return File(
        _text(entry.get("id")), name, _text(entry.get("url")), _text(entry.get("kind")), _text(entry.get("modified"))
    )


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
