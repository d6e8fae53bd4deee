"""A member's Drive as the page *Files* shows it. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from leaf.documents import kinds
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.services.library import folders
from leaf.services.library.folders import Entry, Listing, Place
from leaf.services.library.lookup import Findings
from leaf.services.library.progress import Progress
from leaf.services.library.search import Passage
from leaf.texts import english, number, say, stored, translated
from leaf.texts.places import place_text

_STATES = {
    "known": "library.known",
    "reading": "library.reading",
    "failed": "library.failed",
    "read": "library.no_text",
    "searchable": "library.searchable",
    "skipped": "library.skipped",
}
FAMILIES: dict[kinds.Family, str] = {
    "document": "library.kind_document",
    "spreadsheet": "library.kind_spreadsheet",
    "presentation": "library.kind_presentation",
    "pdf": "library.kind_pdf",
    "text": "library.kind_text",
    "image": "library.kind_image",
}
"""The keys of the texts that name the families of files."""
_KINDS: dict[str, str] = {kind: FAMILIES[family] for family in FAMILIES for kind in kinds.FAMILIES[family]} | {
    "folder": "library.kind_folder", "shortcut": "library.kind_shortcut",
}  # fmt: skip
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_TONES = {"searchable": "ok", "read": "ok", "skipped": "bad"}


@dataclass(frozen=True)
class PlaceView:
    id: str
    name: str
    can_ask: bool = False
    """Whether the page offers to ask a question about it."""


@dataclass(frozen=True)
class EntryView:
    """A folder or file in a list."""

    id: str
    name: str
    kind: str
    about: str
    """The kind in words."""
    url: str
    modified: str
    """The time of the last change, in ISO 8601; empty if Google does not give it."""
    state: str
    """The state of its text in words; empty for a folder."""
    tone: str
    """The tone of the state: `ok`, `bad`, or empty."""
    path: str


@dataclass(frozen=True)
class PassageView:
    place: str
    text: str


@dataclass(frozen=True)
class FoundView:
    """A file that a search found."""

    id: str
    name: str
    kind: str
    url: str
    path: str
    passages: list[PassageView] = field(default_factory=list[PassageView])
    copies: str = ""
    """The number of older files with the same text; empty if there are none."""


def totals(progress: Progress) -> list[str]:
    """The numbers of files that are known, searchable, not readable and still to be read, in words.

    A sentence follows as long as the Drive is still being listed.
    """
    found = [
        say("library.total_known", count=progress.files),
        say("library.total_searchable", count=progress.read),
        say("library.total_skipped", count=progress.skipped),
    ]
    if (waiting := progress.files - progress.read - progress.skipped) > 0:
        found.append(say("library.total_waiting", count=waiting))
    return found if progress.listed else [*found, say("library.still_listing")]


def place_of(place: Place) -> PlaceView:
    """A folder or the top of a Drive, named in the language of the event."""
    names = {folders.MY_DRIVE: "library.my_drive", folders.SHARED: "library.shared"}
    if place.id in names:
        return PlaceView(place.id, say(names[place.id]))
    return PlaceView(place.id, place.name or say("library.a_folder"), can_ask=True)


def count_of(listing: Listing) -> str:
    """The number of entries in words, with the range that is shown if there are several pages."""
    if listing.total <= folders.PAGE:
        return say("library.entries", count=listing.total)
    first = listing.page * folders.PAGE
    return say(
        "library.page", first=number(first + 1), last=number(first + len(listing.entries)), total=number(listing.total)
    )


def found_of(findings: Findings) -> list[FoundView]:
    """The files that a search found. Files from Google's search have no passages."""
    indexed = [
        FoundView(
            one.file_id,
            one.name,
            one.kind,
            one.url,
            one.path,
            passages=[_passage(passage) for passage in one.passages],
            copies=say("library.copies", count=len(one.copies)) if one.copies else "",
        )
        for one in findings.files
    ]
    return [*indexed, *(FoundView(file.id, file.name, file.kind, file.url, "") for file in findings.others)]


def _passage(one: Passage) -> PassageView:
    """A passage without the marks of its Markdown headings. The whole of a file needs no place."""
    return PassageView("" if one.place == "all" else place_text(one.place), _HEADING.sub("", one.text))


def searched_in(findings: Findings) -> str:
    """The number of files that were found, and how much of the Drive was searched, in words."""
    progress = findings.progress
    found = say("library.found", count=len(findings.files) + len(findings.others))
    key = "library.looked_google" if findings.asked_google else "library.looked"
    return f"{found} {say(key, read=number(progress.read), files=number(progress.files))}"


def entry_of(one: Entry) -> EntryView:
    """A folder or file as a list shows it."""
    state = say(_STATES[one.state]) if one.state is not None else ""
    reason = _reason(one)
    return EntryView(
        id=one.id,
        name=one.name,
        kind=one.kind,
        about=say(_KINDS.get(one.kind, "library.kind_other")),
        url=one.url,
        modified=one.modified.isoformat() if one.modified else "",
        state=f"{state} {reason}" if reason else state,
        tone=_TONES.get(one.state or "", ""),
        path=one.path,
    )


def _reason(one: Entry) -> str:
    if one.state not in {"skipped", "failed"}:
        return ""
    if not one.can_download:
        return translated(Diagnosis(Cause.NO_DOWNLOAD, {"what": english("refusals.named", name=one.name)}).message)
    reason: Mapping[str, Any] = one.reason or {}
    return stored(reason.get("message"), str(reason.get("text") or ""))
