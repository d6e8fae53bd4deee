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
    "snippet": "these words stand in a search engine's excerpt only; the page was not read, or does not hold them",
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
    looked_into, chat_listings = data.get("looked_into") or [], data.get("chat_listings") or []
    least = "at least " if data.get("more") else ""
    of_drive = "read " + _of(len(read), data["found"], "file", least) if searches or folders or read else ""
    in_part = sum(not one["complete"] for one in read)
    told = [
        (searches, f"searched {_times(len(searches))}"),
        (folders, f"listed {_count(len(folders), 'folder')}"),
        (of_drive, of_drive),
        (in_part, f"{in_part} in part"),
        (looked_into, f"nothing found in {len(looked_into)}"),
        (data["skipped"], f"{len(data['skipped'])} skipped"),
        (web["searches"], f"searched the web {_times(len(web['searches']))}"),
        (web["pages"], f"read {_count(len(web['pages']), 'page')}"),
        (data["chat_files"], f"read {_count(len(data['chat_files']), 'file')} of this chat"),
        (chat_listings, f"listed this chat's files {_times(len(chat_listings))}"),
        (data["chat_searches"], f"searched this chat's files {_times(len(data['chat_searches']))}"),
        (data["failed"], f"{_count(len(data['failed']), 'call')} failed"),
        (data["partial"] == 1, "one listing or search was incomplete"),
        (data["partial"] > 1, f"{data['partial']} listings or searches were incomplete"),
    ]
    yield from (phrase for applies, phrase in told if applies)


def _lines(data: dict[str, Any]) -> Iterator[Line]:
    yield from _drive_lines(data)
    for one in data.get("looked_into") or []:
        yield Line(f"Searched {one['name'] or 'a file'}", f"{_missed(one['words'])}; it was not read")
    for one in data["skipped"]:
        cause = _CAUSES.get(one["cause"], "")
        named = one["name"] or f"a {one.get('kind', 'file')}"
        yield Line(f"Skipped {named}", ": ".join(filter(None, (cause, one["reason"]))), warns=True)
    for one in data["failed"]:
        about = f"{one['tool'].replace('_', ' ').capitalize()} failed: {one['about']}"
        yield Line(about, one["reason"], warns=True)
    for one in data["web"]["searches"]:
        yield Line(f"Searched the web for “{one['query']}”", _count(one["pages"], "page"))
    for one in data["web"]["pages"]:
        yield Line(f"Read {one['title']}", "" if one["complete"] else "in part")
    yield from _chat_lines(data)


def _drive_lines(data: dict[str, Any]) -> Iterator[Line]:
    for one in data["searches"]:
        where = "a folder of Drive" if one.get("in_folder") else "Drive"
        yield _listing(f"Searched {where} for “{one['query']}”", one)
    for one in data["folders"]:
        yield _listing(f"Listed “{one['name'] or 'a folder'}”", one)
    for one in data["read"]:
        where = ", ".join(part for part in one["parts"] if part not in {"", "all"})
        note = "" if one["complete"] else f"in part: {where}" if where else "in part"
        gaps, missed = one.get("gaps") or [], _missed(one.get("missed"))
        yield Line(f"Read {one['name'] or 'a file'}", ". ".join(filter(None, (note, *gaps, missed))), bool(gaps))


def _chat_lines(data: dict[str, Any]) -> Iterator[Line]:
    for one in data["chat_files"]:
        gaps = one.get("gaps") or []
        yield Line(f"Read {one['path']}", " ".join(gaps) or ("" if one["complete"] else "in part"), bool(gaps))
    for one in data.get("chat_listings") or []:
        yield _listing("Listed this chat's files" + (f": {one['pattern']}" if one["pattern"] != "**" else ""), one)
    for one in data["chat_searches"]:
        within = f" in {_count(one['files'], 'file')}" if one.get("files") is not None else ""
        note = _count(one["lines"], "line") + within + ("; incomplete, there may be more" if one["partial"] else "")
        yield Line(f"Searched this chat's files for “{one['pattern']}”", note, one["partial"])


def _listing(text: str, one: dict[str, Any]) -> Line:
    """A listing or a search: what it has found, and how much of that was left out."""
    at_least = one.get("at_least", False)
    found = ("at least " if at_least else "") + _count(one["files"], "file")
    if below := one.get("subfolders"):
        found += f" and {_count(below, 'folder')}"
    shown = one.get("shown", one["files"])
    cut = shown < one["files"] + (below or 0)
    left_out = f"the first {shown} were looked at" if cut else "there may be more"
    return Line(text, f"{found}; incomplete, {left_out}" if one["partial"] else found, one["partial"])


def _missed(words: Sequence[str] | None) -> str:
    return f"nothing found for {', '.join(f'“{one}”' for one in words)}" if words else ""


def _of(part: int, whole: int, noun: str, least: str = "") -> str:
    return f"{part} of {least}{_count(whole, noun)}" if whole > part else _count(part, noun)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
