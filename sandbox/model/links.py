"""Links to Drive in a message."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qs, urlsplit

URL = re.compile(r"(?:https?://|(?<![\w./@])(?:drive|docs)\.google\.com/)[^\s<>\"'`|\\^{}]+", re.IGNORECASE)
_FOLDER_PATH = re.compile(
    r"/folders/|/(?:embedded)?folderview\b|/drive/(?:u/\d+/)?(?:my-drive|shared-with-me|shared-drives)\b"
)
_FILE_PATH = re.compile(
    r"/(?:document|spreadsheets|presentation|forms|drawings|file)/(?:u/\d+/)?d/|/(?:uc|open|viewer|leaf)\b"
)
_GOOGLE_HOSTS = {
    "drive.google.com", "docs.google.com", "sheets.google.com", "slides.google.com", "drive.usercontent.google.com",
}  # fmt: skip
_REDIRECTING = re.compile(r"(?:www\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?\Z")


@dataclass(frozen=True)
class Link:
    """A Drive link as it was pasted."""

    url: str
    kind: Literal["folder", "file"]


def found_in(text: str) -> list[Link]:
    """The links in a text, in order."""
    links: list[Link] = []
    for match in URL.finditer(text):
        url = match[0].rstrip(".,;:!?*_~…”“’»]")
        while url.endswith(")") and url.count("(") < url.count(")"):
            url = url[:-1].rstrip(".,;:!?*_")
        kind = _link_kind(url)
        if kind:
            links.append(Link(url, kind))
    return links


def _link_kind(url: str, *, redirected: bool = False) -> Literal["folder", "file"] | None:
    try:
        address = urlsplit(url if "://" in url else f"https://{url}")
        query = parse_qs(address.query)
    except ValueError:
        return None
    if address.path == "/url" and _REDIRECTING.match(address.hostname or ""):
        target = (query.get("q") or query.get("url") or [""])[0]
        return None if redirected else _link_kind(target, redirected=True)
    if _FOLDER_PATH.search(address.path):
        return "folder"
    if _FILE_PATH.search(address.path) or (address.hostname or "") in _GOOGLE_HOSTS:
        return "file"
    return None
