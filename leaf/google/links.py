"""Parses Drive addresses as people paste them.

The forms are those of Drive, Docs and their mobile pages over the years. For unambiguous paths the host is ignored,
because only the id is used, in calls to the Drive API. Paths that any site may have (`/download`, `/drive`, `/url`)
count only on Google's hosts. `leaf.citations.addresses` is stricter about the targets of citations.
"""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, parse_qs, unquote

from leaf import errors, parts, texts

Hint = Literal["folder", "file", "document", "spreadsheet", "presentation", "form", "drawing"]

ROOT = "root"
"""The alias of My Drive's top folder in the Drive API."""

_ID = r"[A-Za-z0-9_-]{10,200}"
_BARE_ID = re.compile(rf"{_ID}\Z")
_RESOURCE_KEY = re.compile(r"[A-Za-z0-9_-]{1,200}\Z")
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\^{|}()\[\]]+", re.IGNORECASE)
_FOLDER = re.compile(rf"/folders/({_ID})(?![A-Za-z0-9_-])")
_ITEM = re.compile(rf"/(file|document|spreadsheets|presentation|forms|drawings)/(?:u/\d+/)?d/({_ID})(?![A-Za-z0-9_-])")
_PUBLISHED = re.compile(r"/(?:document|spreadsheets|presentation|forms|drawings)/(?:u/\d+/)?d/e/")
_MY_DRIVE = re.compile(r"/drive/(?:u/\d+/|mobile/)*(?:my-drive|folders/root)/?\Z")
_BY_QUERY = re.compile(
    r"/(?:open|uc|folderview|embeddedfolderview|leaf|thumbnail|viewer|document/edit|spreadsheet/ccc)/?\Z"
)
_BY_QUERY_AT = {
    "drive.google.com": re.compile(r"(?:/a/[^/]+)?/drive(?:/u/\d+)?/?\Z|/(?:u/\d+/)?download/?\Z"),
    "drive.usercontent.google.com": re.compile(r"/(?:u/\d+/)?(?:uc|download)/?\Z"),
}
"""Paths that name a file by the parameter `id`, but only on this host."""
_REDIRECTING = re.compile(r"(?:www\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?\Z")
"""Hosts whose `/url?q=…` redirects to another address, as in Google's mails and documents."""
_HINTS: dict[str, Hint] = {
    "file": "file", "document": "document", "spreadsheets": "spreadsheet", "presentation": "presentation",
    "forms": "form", "drawings": "drawing",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DriveLink:
    """The parts of a Drive address."""

    id: str
    resource_key: str | None = None
    """The resource key. Files shared by link before 2021 can be opened only with it."""
    hint: Hint | None = None
    """The kind that the address suggests. Only Drive knows the real one."""


def parse(text: str, field: str = "url") -> DriveLink:
    """The Drive link in a pasted text: a Drive address of any form, or a bare id.

    Args:
        text: The pasted text.
        field: The field that an error names.

    Raises:
        errors.Invalid: The text contains no link; the message says what is expected.
    """
    pasted = text.strip().strip("<>()[]\"'`.,;: \t")
    if pasted == ROOT:
        return DriveLink(ROOT, hint="folder")
    if _BARE_ID.match(pasted):
        return DriveLink(pasted)
    found = _ADDRESS.search(text)
    address = found.group().rstrip(".,;:!?*_") if found else f"https://{pasted}" if "/" in pasted else None
    link = address and _from_address(address)
    if not link:
        raise errors.Invalid(_refusal(address), field=field)
    return link


def is_key(text: str) -> bool:
    """Whether a text has the form of a resource key."""
    return _RESOURCE_KEY.match(text) is not None


def named(text: str) -> list[DriveLink]:
    """The links to Drive in a text, in order."""
    addresses = (found.group().rstrip(".,;:!?*_") for found in _ADDRESS.finditer(text))
    return [link for address in addresses if (link := _from_address(address)) is not None]


def _from_address(address: str) -> DriveLink | None:
    try:
        url = parts.split_address(address)
        if url.path == "/url" and _REDIRECTING.match(url.hostname or ""):
            # A redirect of Google leads to the final address, never to a further redirect.
            query = parse_qs(url.query)
            url = parts.split_address((query.get("q") or query.get("url") or [""])[0])
        return _from_parts(url)
    except ValueError:
        return None


def _from_parts(url: SplitResult) -> DriveLink | None:
    path, host = unquote(url.path), url.hostname or ""
    query = {name.lower(): values[-1] for name, values in parse_qs(url.query).items()}
    key = query.get("resourcekey", "")
    resource_key = key if is_key(key) else None
    if found := _FOLDER.search(path) or _FOLDER.match(f"/{unquote(url.fragment)}"):
        return DriveLink(found.group(1), resource_key, "folder")
    if found := _ITEM.search(path):
        return DriveLink(found.group(2), resource_key, _HINTS[found.group(1)])
    by_query = _BY_QUERY.search(path) or (host in _BY_QUERY_AT and _BY_QUERY_AT[host].match(path))
    if by_query and _BARE_ID.match(query.get("id", "")):
        return DriveLink(query["id"], resource_key, "folder" if "folderview" in path else None)
    if _MY_DRIVE.search(path):
        return DriveLink(ROOT, hint="folder")
    return None


def _refusal(address: str | None) -> texts.Message:
    if address and _PUBLISHED.search(address):
        return texts.english("refusals.published")
    if address:
        return texts.english("refusals.no_drive_address")
    return texts.english("refusals.no_drive_link")
