"""The library of a chat, which holds all texts of files and pages that its tools returned. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urldefrag

from leaf.citations import addresses, comparisons
from leaf.citations.pages import key_of
from leaf.citations.quote_search import Passage
from leaf.citations.syntax import Reference
from leaf.citations.tokens import words
from leaf.parts.objects import object_of, objects_in

Kind = Literal["drive", "chat", "web"]

_PLACE = re.compile(
    r"^\[((?:pages?|slides?|sheet|section|rows?|lines?|picture|attachment) [^\]\n]+)\][ \t]*\n", re.MULTILINE
)
_GAP = re.compile(r"^\[…\][ \t]*\n?", re.MULTILINE)


@dataclass(frozen=True)
class Call:
    """A finished tool call."""

    tool: str
    output: Mapping[str, Any]
    input: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Arguments of the call."""


@dataclass
class Material:
    """A file or page whose text the model received."""

    kind: Kind
    id: str
    """Drive's id, the path of a file of the chat, or the address of a page."""
    name: str
    url: str = ""
    revision: str = ""
    """The newest revision that was read, or the version of a file of the chat."""
    texts: list[list[Passage]] = field(default_factory=list[list[Passage]])
    """The passages that the model received. Between two lists, text is missing."""
    versions: list[list[Passage]] = field(default_factory=list[list[Passage]])
    """Passages of earlier versions of the file. Their places name the version."""


@dataclass
class Library:
    """Everything that was read, by kind and id."""

    read: dict[tuple[Kind, str], Material] = field(default_factory=dict[tuple[Kind, str], Material])
    listed: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Name and address of each Drive file that was listed, found or refused, by id."""
    excerpts: dict[str, Material] = field(default_factory=dict[str, Material])
    """Excerpts of search engines by the key of their page. The pages themselves were not read."""
    written: set[str] = field(default_factory=set[str])
    """Paths of the chat's files that the agent has written or changed."""
    pages: dict[str, str] = field(default_factory=dict[str, str])
    """The ids of pages that were read, by the key of each address that led to them."""
    origins: set[str] = field(default_factory=lambda: set(addresses.GOOGLE))
    """Origins of Drive's pages. In the sandbox, files have addresses of their own origin."""
    reasons: list[str] = field(default_factory=list[str])
    """The normalised words of Leaf's own sentences about files that could not be read."""
    _names: set[str] | None = None

    @classmethod
    def of(cls, calls: Iterable[Call]) -> "Library":
        """The library of these calls, which are in order of time."""
        library = cls()
        for call in calls:
            if call.tool in _RECORDERS:
                _RECORDERS[call.tool](library, call.output)
            if call.tool == "fetch":
                library.alias(str(call.input.get("url") or ""), str(call.output.get("url") or ""))
        return library

    def named(self, reference: Reference) -> Material | None:
        """The text that a reference names; None if it was not read."""
        target = reference.target.strip()
        if not target:
            return None
        is_address = addresses.is_address(target)
        path = "" if is_address else target.lstrip("/")
        page = self.pages.get(key_of(target), "")
        by_id = [("drive", addresses.drive_id(target, self.origins)), ("chat", path), ("web", page)]
        for kind, name in by_id:
            if name and (found := self.read.get((kind, name))):  # pyright: ignore[reportArgumentType]
                return found
        return None if is_address else _by_name(reference, self.read.values())

    def excerpt(self, reference: Reference) -> Material | None:
        """The excerpt of a search engine for the page that a reference names; None if there is none."""
        target = reference.target.strip()
        if not target:
            return None
        if addresses.is_address(target):
            return self.excerpts.get(key_of(target))
        return _by_name(reference, self.excerpts.values())

    def is_name(self, quote: str) -> bool:
        """Whether a quote is only the name of a file or page."""
        if self._names is None:
            called = [one.name for one in (*self.read.values(), *self.excerpts.values())]
            self._names = {words(name) for name in (*called, *(name for name, _ in self.listed.values()))}
        return words(quote) in self._names

    def is_reason(self, quote: str) -> bool:
        """Whether a quote is from Leaf's own sentence about a file that could not be read."""
        quoted = words(quote)
        return bool(quoted) and any(quoted in reason for reason in self.reasons)

    def known(self, reference: Reference) -> tuple[str, str, str]:
        """Id, name and address of the Drive file that a reference names, as far as they are known."""
        file_id = addresses.drive_id(reference.target.strip(), self.origins)
        name, url = self.listed.get(file_id, ("", ""))
        return file_id, name, url

    def _add(self, kind: Kind, key: str, texts: Sequence[list[Passage]], **about: str) -> None:
        found = self.read.setdefault((kind, key), Material(kind, key, about["name"]))
        found.name, found.url = about["name"] or found.name, about.get("url") or found.url
        revision = about.get("revision") or found.revision
        if revision != found.revision:
            # Passages of an earlier revision do not belong to this one.
            found.revision, found.texts = revision, []
        found.texts += [one for one in texts if one not in found.texts]

    def _add_origin(self, file_id: str, url: str) -> None:
        if found := addresses.drive_origin(url, file_id):
            self.origins.add(found)

    def take_drive(self, output: Mapping[str, Any]) -> None:
        """Records a Drive file that was read, listed, found or refused."""
        file, content = output.get("file"), output.get("content")
        if isinstance(file, dict) and isinstance(content, str):
            about = {key: str(file.get(key) or "") for key in ("name", "url", "revision")}
            self._add_origin(str(file.get("id")), about["url"])
            self._add("drive", str(file.get("id")), passages(content, str(output.get("part") or "")), **about)
        skipped = object_of(output.get("skipped"))
        for one in [*objects_in(output.get("files")), skipped]:
            if one.get("id"):
                self.listed[str(one["id"])] = str(one.get("name") or ""), str(one.get("url") or "")
                self._add_origin(str(one["id"]), str(one.get("url") or ""))
        if isinstance(skipped.get("reason"), str):
            self.reasons.append(words(skipped["reason"]))

    def take_search(self, output: Mapping[str, Any]) -> None:
        """Records the files and passages that a search in Drive found."""
        self.take_drive(output)
        known = {str(one.get("id")): one for one in objects_in(output.get("files"))}
        for one in objects_in(output.get("passages")):
            file = known.get(str(one.get("file_id")))
            if file is not None and isinstance(one.get("text"), str):
                about = {key: str(file.get(key) or "") for key in ("name", "url", "revision")}
                self._add("drive", str(file.get("id")), [[Passage(str(one.get("place") or ""), one["text"])]], **about)

    def take_comparison(self, output: Mapping[str, Any]) -> None:
        """Records the passages of files that were compared, and of earlier versions."""
        self.take_drive(output)
        for one in comparisons.read([output]):
            for column, file in enumerate(one["compared"]):
                version = file["version"]
                found: list[list[Passage]] = []
                for row in one["rows"]:
                    if (cell := row["cells"][column]) is not None:
                        part = comparisons.earlier_part(version, cell["part"]) if version else cell["part"]
                        found.append([Passage(part, cell["quote"])])
                about = {"name": file["name"], "url": file["url"]} | ({} if version else {"revision": file["revision"]})
                if file["path"]:
                    self._add("chat", file["path"], found, **about)
                    continue
                self._add("drive", file["file_id"], [] if version else found, **about)
                if version:
                    self.read["drive", file["file_id"]].versions += found

    def take_file(self, output: Mapping[str, Any]) -> None:
        """Records a file of the chat that was read."""
        path, text = output.get("path"), output.get("text")
        if isinstance(path, str) and isinstance(text, str):
            first = output.get("first_line") or 1
            found = passages(text, f"lines {first}-{output.get('last_line') or first}")
            self._add("chat", path, found, name=path, revision=str(output.get("version") or ""))

    def take_change(self, output: Mapping[str, Any]) -> None:
        """Records a file of the chat that was written or changed."""
        self.written.add(str(output.get("path") or ""))

    def take_page(self, output: Mapping[str, Any]) -> None:
        """Records a web page that was read."""
        url, content = output.get("url"), output.get("content")
        if isinstance(url, str) and isinstance(content, str):
            name = str(output.get("title") or url)
            page = self.pages.setdefault(key_of(url), _page(url))
            self._add("web", page, passages(content, "all"), name=name, url=url)

    def alias(self, requested: str, url: str) -> None:
        """Records that a requested address led to the page of another address."""
        if (page := self.pages.get(key_of(url))) and key_of(requested):
            self.pages.setdefault(key_of(requested), page)

    def take_results(self, output: Mapping[str, Any]) -> None:
        """Records the excerpts of a web search. An excerpt is not the text of the page."""
        for one in objects_in(output.get("results")):
            if isinstance(one.get("url"), str) and (key := key_of(one["url"])):
                url, title = str(one["url"]), str(one.get("title") or one["url"])
                found = self.excerpts.setdefault(key, Material("web", _page(url), title, url))
                text = [Passage("", str(one.get("snippet") or ""))]
                found.texts += [text] if text not in found.texts else []


def passages(content: str, part: str) -> list[list[Passage]]:
    """The passages of a tool's output, by place.

    Args:
        content: Text with lines such as `[page 3]`, and `[…]` for omitted text.
        part: The place of the whole text.
    """
    found: list[list[Passage]] = []
    for stretch in _GAP.split(content):
        places = [*_PLACE.finditer(stretch)]
        begins = [(0, part)] if not places or places[0].start() > 0 else []
        begins += [(place.end(), place[1]) for place in places]
        ends = [*(place.start() for place in places if place.start() > 0), len(stretch)]
        part = begins[-1][1] if places else part
        found.append([Passage(name, stretch[begin:end]) for (begin, name), end in zip(begins, ends, strict=True)])
    return found


def _by_name(reference: Reference, materials: Iterable[Material]) -> Material | None:
    wanted = {_folded(reference.target), _folded(reference.name)} - {""}
    found = [one for one in materials if _folded(one.name) in wanted]
    return found[0] if len(found) == 1 else None


def _page(url: str) -> str:
    return urldefrag(url)[0].rstrip("/") if "://" in url else ""


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


_RECORDERS = {
    "read_drive_file": Library.take_drive,
    "list_drive_folder": Library.take_drive,
    "compute": Library.take_drive,
    "compare_files": Library.take_comparison,
    "search_files": Library.take_search,
    "search_drive": Library.take_drive,
    "read_file": Library.take_file,
    "write_file": Library.take_change,
    "edit_file": Library.take_change,
    "fetch": Library.take_page,
    "search": Library.take_results,
}
