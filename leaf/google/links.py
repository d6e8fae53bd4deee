"""Drive addresses, as people paste them.

The shapes are those that Drive, Docs and their mobile pages have used over the years. Where a path says enough the host
is not looked at, since nothing is fetched from it: the id alone is used, in calls to the Drive API. Paths that any site
might have (`/download`, `/drive`, `/url`) count on Google's own hosts only.
What a citation leads to is judged more strictly, in `leaf.citations.addresses`.
"""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from leaf import errors

Hint = Literal["folder", "file", "document", "spreadsheet", "presentation", "form", "drawing"]

ROOT = "root"
"""The alias that Drive's API has for the top of My Drive."""

_ID = r"[A-Za-z0-9_-]{10,200}"
_BARE = re.compile(rf"{_ID}\Z")
_KEY = re.compile(r"[A-Za-z0-9_-]{1,200}\Z")
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
"""Paths that name a file by `id` on this host alone."""
_REDIRECTING = re.compile(r"(?:www\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?\Z")
"""Hosts whose `/url?q=…` leads to another address: links in mails and documents of Google's have that shape."""
_HINTS: dict[str, Hint] = {
    "file": "file", "document": "document", "spreadsheets": "spreadsheet", "presentation": "presentation",
    "forms": "form", "drawings": "drawing",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DriveLink:
    """What an address says about the thing that it leads to."""

    id: str
    resource_key: str | None = None
    """Things shared by link before 2021 are only found with it."""
    hint: Hint | None = None
    """What the address looks like; what the thing is, only Drive knows."""


def parse(text: str) -> DriveLink:
    """The link in a pasted text: a Drive address in any of its shapes, or a bare id.

    Raises:
        errors.Invalid: There is none in it; the message says what is expected.
    """
    pasted = text.strip().strip("<>()[]\"'`.,;: \t")
    if pasted == ROOT:
        return DriveLink(ROOT, hint="folder")
    if _BARE.match(pasted):
        return DriveLink(pasted)
    found = _ADDRESS.search(text)
    address = found.group().rstrip(".,;:!?*_") if found else f"https://{pasted}" if "/" in pasted else None
    link = address and _from_address(address)
    if not link:
        raise errors.Invalid(_complaint(address), field="url")
    return link


def _from_address(address: str) -> DriveLink | None:
    try:
        url = urlsplit(address)
        if url.path == "/url" and _REDIRECTING.match(url.hostname or ""):
            # Unwrapped once: Google redirects to another place, never to a further redirect.
            query = parse_qs(url.query)
            url = urlsplit((query.get("q") or query.get("url") or [""])[0])
        return _from_parts(url)
    except ValueError:
        return None


def _from_parts(url: SplitResult) -> DriveLink | None:
    path, host = unquote(url.path), url.hostname or ""
    query = {name.lower(): values[-1] for name, values in parse_qs(url.query).items()}
    key = query.get("resourcekey", "")
    resource_key = key if _KEY.match(key) else None
    if found := _FOLDER.search(path) or _FOLDER.match(f"/{unquote(url.fragment)}"):
        return DriveLink(found.group(1), resource_key, "folder")
    if found := _ITEM.search(path):
        return DriveLink(found.group(2), resource_key, _HINTS[found.group(1)])
    by_query = _BY_QUERY.search(path) or (host in _BY_QUERY_AT and _BY_QUERY_AT[host].match(path))
    if by_query and _BARE.match(query.get("id", "")):
        return DriveLink(query["id"], resource_key, "folder" if "folderview" in path else None)
    if _MY_DRIVE.search(path):
        return DriveLink(ROOT, hint="folder")
    return None


def _complaint(address: str | None) -> str:
    if address and _PUBLISHED.search(address):
        return "This is the address of a page published to the web. Paste the address of the file itself, from Drive."
    if address:
        return (
            "This address leads to no file or folder in Google Drive. Open it in Drive and copy the address from there."
        )
    return "This is neither the address of a file or folder in Google Drive nor an id."
