"""What an answer rests on, as the page shows it: numbered quotes, and what was looked at. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from leaf import citations, parts

Mark = tuple[int, int, str]
"""Begin and end in a text, and what stands there instead."""

QUOTE_CHARACTERS = 400
MAX_LINES = 40
"""Lines of a receipt that the page shows; the rest is counted."""

_REASONS = {
    "not_found": "these words do not stand in the file",
    "not_read": "this was not read for this chat",
    "too_short": "the quote is too short to be checked",
    "no_source": "it names no source, and these words stand in nothing that was read",
    "broken_off": "the answer ended before it named its source",
    "unchecked": "there was no time to check it",
}
_CAUSES = {
    "export_cap": "over Google's export limit",
    "too_large": "too large",
    "no_text": "no text, such as a scan",
    "no_access": "no access",
    "type": "a type that Leaf does not read",
    "damaged": "damaged",
}


@dataclass(frozen=True)
class Cited:
    """A quote under an answer."""

    n: int
    verified: bool
    status: str
    """In words: verified, or why not."""
    name: str
    place: str
    url: str
    """A web address, or a path of Leaf's."""
    quote: str
    own: bool = False
    """Whether the address is one of Leaf's."""


@dataclass(frozen=True)
class Cites:
    """The quotes of an answer in the order of its text."""

    quotes: list[Cited] = field(default_factory=list[Cited])
    unverified: int = 0
    """How many of them were not found in what was read."""


@dataclass(frozen=True)
class Quoted:
    """A quote in the panel of sources, with the words around it."""

    n: str
    verified: bool
    status: str
    name: str
    place: str
    url: str
    own: bool
    before: str
    quote: str
    after: str


@dataclass(frozen=True)
class Line:
    """A line of a receipt."""

    text: str
    note: str = ""
    warns: bool = False
    """Whether something was left out there."""


@dataclass(frozen=True)
class Coverage:
    """What was looked at for an answer."""

    summary: str = ""
    """One line; empty where nothing was looked at."""
    lines: list[Line] = field(default_factory=list[Line])
    warns: bool = False


def _data(message_parts: Sequence[parts.Part], kind: str) -> Any:
    return next((part.get("data") for part in reversed(message_parts) if part["type"] == kind), None)


def _citations(message_parts: Sequence[parts.Part]) -> list[dict[str, Any]]:
    data = _data(message_parts, citations.CITATIONS)
    return [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []


def marks_of(message_parts: Sequence[parts.Part]) -> dict[int, list[Mark]]:
    """The numbers that stand in an answer's texts, by slot: `[^2]`, or `[^2?]` where the quote is not verified."""
    marks: dict[int, list[Mark]] = {}
    for one in _citations(message_parts):
        sign = f"[^{one['n']}{'' if one['verified'] else '?'}]"
        for slot, begin, end in one["at"]:
            marks.setdefault(slot, []).append((begin, end, sign))
    return marks


def cites_of(message_parts: Sequence[parts.Part]) -> Cites:
    """The quotes of an answer."""
    quotes = [_cited(one) for one in _citations(message_parts)]
    return Cites(quotes, sum(not one.verified for one in quotes))


def quoted_of(message_parts: Sequence[parts.Part]) -> Iterator[tuple[str, str, Quoted]]:
    """For each quote of an answer the file's id and the kind of its source, either may be empty, and the quote."""
    for one in _citations(message_parts):
        cited = _cited(one)
        before, after = (str(one.get(key) or "") if cited.verified else "" for key in ("before", "after"))
        quote = Quoted(
            str(cited.n), cited.verified, cited.status, cited.name, cited.place, cited.url, cited.own,
            before, cited.quote, after,
        )  # fmt: skip
        yield str(one.get("file_id") or ""), str(one.get("kind") or ""), quote


def _cited(one: dict[str, Any]) -> Cited:
    verified = one["verified"] is True
    reason = _REASONS.get(str(one.get("reason")), "it could not be checked")
    status = "Verified: these words stand in the source." if verified else f"Unverified: {reason}."
    url, quote, place = str(one.get("url") or ""), str(one.get("quote") or ""), str(one.get("part") or "")
    own = url.startswith("/api/")
    safe = url if own or url.startswith(("https://", "http://")) else ""
    if len(quote) > QUOTE_CHARACTERS:
        quote = quote[:QUOTE_CHARACTERS].rsplit(" ", 1)[0] + " …"
    return Cited(int(one["n"]), verified, status, str(one.get("name") or "Unknown source"), place, safe, quote, own)


def coverage_of(message_parts: Sequence[parts.Part]) -> Coverage:
    """What was looked at, from the receipt of an answer."""
    data = _data(message_parts, citations.COVERAGE)
    if not isinstance(data, dict):
        return Coverage()
    lines = [*_lines(data)]
    shown = lines[:MAX_LINES]
    if len(lines) > MAX_LINES:
        shown.append(Line(f"… and {len(lines) - MAX_LINES} more"))
    summary = " · ".join(_phrases(data))
    return Coverage(summary[:1].upper() + summary[1:], shown, any(line.warns for line in lines))


def _phrases(data: dict[str, Any]) -> Iterator[str]:
    searches, folders, read, web = data["searches"], data["folders"], data["read"], data["web"]
    of_drive = "read " + _of(len(read), data["found"], "file") if searches or folders or read else ""
    in_part = sum(not one["complete"] for one in read)
    told = [
        (searches, f"searched {_times(len(searches))}"),
        (folders, f"listed {_count(len(folders), 'folder')}"),
        (of_drive, of_drive),
        (in_part, f"{in_part} in part"),
        (data["skipped"], f"{len(data['skipped'])} skipped"),
        (web["searches"], f"searched the web {_times(len(web['searches']))}"),
        (web["pages"], f"read {_count(len(web['pages']), 'page')}"),
        (data["chat_files"], f"read {_count(len(data['chat_files']), 'file')} of this chat"),
        (data["chat_searches"], f"searched this chat's files {_times(len(data['chat_searches']))}"),
        (data["failed"], f"{_count(len(data['failed']), 'call')} failed"),
        (data["partial"] == 1, "one listing was incomplete"),
        (data["partial"] > 1, f"{data['partial']} listings were incomplete"),
    ]
    yield from (phrase for applies, phrase in told if applies)


def _lines(data: dict[str, Any]) -> Iterator[Line]:
    for one in data["searches"]:
        yield _listing(f"Searched Drive for “{one['query']}”", one)
    for one in data["folders"]:
        yield _listing(f"Listed “{one['name'] or 'a folder'}”", one, "item")
    for one in data["read"]:
        where = ", ".join(part for part in one["parts"] if part not in {"", "all"})
        note = "" if one["complete"] else f"in part: {where}" if where else "in part"
        yield Line(f"Read {one['name'] or 'a file'}", note)
    for one in data["skipped"]:
        cause = _CAUSES.get(one["cause"], "")
        yield Line(f"Skipped {one['name'] or 'a file'}", ": ".join(filter(None, (cause, one["reason"]))), warns=True)
    for one in data["failed"]:
        yield Line(f"{one['tool'].replace('_', ' ').capitalize()} failed: {one['about']}", one["reason"], warns=True)
    for one in data["web"]["searches"]:
        yield Line(f"Searched the web for “{one['query']}”", _count(one["pages"], "page"))
    for one in data["web"]["pages"]:
        yield Line(f"Read {one['title']}", "" if one["complete"] else "in part")
    for one in data["chat_files"]:
        yield Line(f"Read {one['path']}", "" if one["complete"] else "in part")
    for one in data["chat_searches"]:
        yield Line(f"Searched this chat's files for “{one['pattern']}”", _count(one["lines"], "line"), one["partial"])


def _listing(text: str, one: dict[str, Any], noun: str = "file") -> Line:
    files = _count(one["files"], noun)
    return Line(text, f"{files}; incomplete, there may be more" if one["partial"] else files, one["partial"])


def _of(part: int, whole: int, noun: str) -> str:
    return f"{part} of {_count(whole, noun)}" if whole > part else _count(part, noun)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
