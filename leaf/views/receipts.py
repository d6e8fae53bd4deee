"""The receipt of an answer: what was searched, read, left out and not found, in words. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from leaf import citations, parts
from leaf.citations import coverage
from leaf.google import diagnosis
from leaf.parts.objects import object_of
from leaf.services import integrations
from leaf.services.library import standings
from leaf.services.library.scope import ChatScope
from leaf.texts import dates, number, say, stored, translated
from leaf.texts.catalogue import isolated
from leaf.texts.notes import note_text
from leaf.texts.places import passages_with, place_text
from leaf.views import addresses, scopes
from leaf.views.comparisons import Comparison, comparison

MAX_LINES = 40
"""How many lines of a receipt the page shows. The others are only counted."""

_CAUSES = {
    "export_cap": "trust.export_cap",
    "too_large": "trust.too_large",
    "no_text": "trust.no_text",
    "no_access": "trust.no_access",
    "type": "trust.type",
    "damaged": "trust.damaged",
}


@dataclass(frozen=True)
class Line:
    text: str
    note: str = ""
    warns: bool = False
    """Whether something was left out."""


@dataclass(frozen=True)
class Side:
    """The statement of one of the sources that disagree."""

    value: str
    name: str
    place: str
    date: str
    """The day of the source's last change in words; empty if unknown."""
    newer: bool
    """Whether the source is the newest of them."""
    quote: str
    url: str


@dataclass(frozen=True)
class Disagreement:
    about: str
    """The fact, in the words of one source."""
    sides: list[Side] = field(default_factory=list[Side])


@dataclass(frozen=True)
class Coverage:
    brief: str = ""
    """The line under the answer: the numbers of sources, of read files and of skipped files. It may be empty."""
    summary: str = ""
    """The numbers of searches and reads in one line; empty if there were none."""
    lines: list[Line] = field(default_factory=list[Line])
    warns: bool = False
    """Whether something was left out, or a citation is not verified."""
    used_file: bool = False
    """Whether a file of Drive or of the chat was read or quoted."""
    searched_drive: bool = False
    drive_failed: bool = False
    """Whether a call to Drive failed, or a file was skipped."""
    answered: bool = False
    """Whether the answer is complete and was written by Leaf."""
    absent: bool = False
    """Whether the answer is complete (`answered`), and a complete search of Drive without a failure found nothing."""
    forward: str = ""
    """The text to forward to the person who can fix the failure of Drive; empty if there is none."""
    unanswered: list[str] = field(default_factory=list[str])
    """The parts of the question that the answer does not answer."""
    conflicts: list[Disagreement] = field(default_factory=list[Disagreement])
    comparisons: list[Comparison] = field(default_factory=list[Comparison])


def coverage_of(message_parts: Sequence[parts.Part], *, answered: bool = False) -> Coverage:
    """The receipt of an answer in words.

    Args:
        message_parts: The parts of the answer.
        answered: Whether the answer is complete and was written by Leaf.
    """
    data, cited = object_of(parts.data_of(message_parts, citations.COVERAGE)), citations.stored(message_parts)
    # A computation, such as one for a chart, uses cells of tables without quoting them.
    computed = (part.get("output") for part in message_parts if part["type"] == "tool-compute")
    is_charted = any(isinstance(one, dict) and one.get("rows") for one in computed)
    absent = answered and not cited and not is_charted and coverage.is_whole(data)
    failed = [one for one in data.get("failed") or () if not parts.is_without_drive(one.get("message"))]
    if data:
        data = data | {"failed": [*_connection_failures(data["failed"]), *failed]}
    question_parts = citations.subquestions.stored(message_parts)
    lines = [*_question_lines(question_parts), *_unchecked_lines(cited), *(_lines(data) if data else ())]
    shown = lines[:MAX_LINES]
    if len(lines) > MAX_LINES:
        shown.append(Line(say("trust.and_more", count=len(lines) - MAX_LINES)))
    has_read_file = any(data.get(name) for name in ("read", "chat_files", "chat_searches"))
    return Coverage(
        brief=_capitalised(" · ".join(_brief(data, cited))),
        summary=_capitalised(" · ".join(_phrases(data))) if data else "",
        lines=shown,
        warns=any(line.warns for line in lines) or any(not one["verified"] for one in cited),
        used_file=has_read_file or any(one.get("kind") in {"drive", "chat"} for one in cited),
        searched_drive=any(data.get(name) for name in ("searches", "folders")),
        drive_failed=bool(data.get("skipped")) or any(one["tool"] in parts.DRIVE_TOOLS for one in failed),
        answered=answered,
        absent=absent,
        forward=_forward(data),
        unanswered=[one["text"] for one in question_parts if one["state"] == "unanswered"],
        conflicts=[
            Disagreement(one["about"], [_side(side) for side in one["sides"]])
            for one in citations.conflicts.stored(message_parts)
        ],
        comparisons=[comparison(one) for one in citations.comparisons.stored(message_parts)],
    )


def cause_text(cause: Any) -> str:
    """The reason why the present version of a file could not be read, in the reader's language."""
    known = object_of(cause)
    return stored(known.get("message"), str(known.get("text") or "")) or say("living.no_cause")


def _unchecked(cited: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """One citation of each source whose present version could not be read, by the source's id."""
    return {str(one.get("file_id")): one for one in cited if one.get(standings.FOLLOWED) == "unchecked"}


def _unchecked_lines(cited: Sequence[dict[str, Any]]) -> Iterator[Line]:
    for one in _unchecked(cited).values():
        text = say("living.receipt_unchecked", name=isolated(str(one.get("name") or say("trust.drive_file"))))
        yield Line(text, cause_text(one.get(standings.CAUSE)), warns=True)


_QUESTION_STATES = {
    "open": "subquestions.open",
    "answered": "subquestions.answered",
    "missing": "subquestions.missing",
    "unanswered": "subquestions.unanswered",
}
"""The keys of the texts for the states of a question's parts."""


def _question_lines(question_parts: Sequence[dict[str, Any]]) -> Iterator[Line]:
    """Yields a line for each part of the question, with its state."""
    for one in question_parts:
        note = state_text(one["state"])
        yield Line(say("subquestions.line", part=one["text"]), note, warns=one["state"] == "unanswered")


def state_text(state: str) -> str:
    """The state of a part of a question in words; empty for a state without a text."""
    return say(_QUESTION_STATES[state]) if state in _QUESTION_STATES else ""


def _connection_failures(failed: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The calls that failed because the connection to Drive was lost, with the cause of the loss as their message.

    Calls without a known cause are left out: the page says above its composer that Drive is not connected.
    """
    for one in failed:
        if (why := parts.cause_of_loss(one.get("message"))) is not None:
            yield {**one, "message": why}


def _forward(data: dict[str, Any]) -> str:
    """The text to forward about the first failure that has such a text; empty if there is none.

    Failures of the connection are left out: their text is shown above the composer and in Settings.
    """
    for one in (*(data.get("skipped") or ()), *(data.get("failed") or ())):
        found = diagnosis.of_message(one.get("message"))
        if found is not None and not found.concerns_connection and (text := integrations.forwarded(found)):
            return translated(text)
    return ""


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _brief(data: dict[str, Any], cited: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yields the numbers of sources, of files and pages that were read, and of omissions and failures, in words."""
    web = data.get("web") or {}
    sources = {one.get("file_id") or one.get("url") or one.get("name") for one in cited}
    read = sum(len(found or ()) for found in (data.get("read"), data.get("chat_files"), web.get("pages")))
    counts = (
        ("trust.sources", len(sources)),
        ("trust.unverified_count", sum(not one["verified"] for one in cited)),
        ("living.unchecked", len(_unchecked(cited))),
        ("trust.read_count", read),
        ("trust.skipped", len(data.get("skipped") or ())),
        ("trust.failed_count", len(data.get("failed") or ())),
    )
    index = data.get("index") or {}
    searched = len(data.get("searches") or ()) + len(web.get("searches") or ()) + len(data.get("folders") or ())
    if index.get("files") and data.get("searches") and not sources:
        yield _looked_text(index)
    elif searched and not read and not sources:
        yield say("trust.searched", count=searched)
        yield say("trust.nothing_read")
    yield from (say(key, count=count) for key, count in counts if count)
    if coverage.misses_drives(data):
        yield say("trust.drives_missed")


def _phrases(data: dict[str, Any]) -> Iterator[str]:
    """Yields the phrases of `Coverage.summary`."""
    searches, folders, read, web = data["searches"], data["folders"], data["read"], data["web"]
    if searches:
        yield say("trust.searched", count=len(searches))
    if folders:
        yield say("trust.listed", count=len(folders))
    if searches or folders or read:
        yield say("trust.read", files=_part_of(len(read), data["found"], at_least=bool(data.get("more"))))
    counts: tuple[tuple[str, int], ...] = (
        ("trust.some_in_part", sum(not one["complete"] for one in read)),
        ("trust.nothing_in", len(data.get("looked_into") or ())),
        ("trust.skipped", len(data["skipped"])),
        ("trust.searched_web", len(web["searches"])),
        ("trust.read_pages", len(web["pages"])),
        ("trust.read_chat", len(data["chat_files"])),
        ("trust.listed_chat", len(data.get("chat_listings") or ())),
        ("trust.searched_chat", len(data["chat_searches"])),
        ("trust.failed", len(data["failed"])),
        ("trust.incomplete", data["partial"]),
    )
    yield from (say(key, count=count) for key, count in counts if count)


def _lines(data: dict[str, Any]) -> Iterator[Line]:
    yield from _drive_lines(data)
    for one in data.get("looked_into") or []:
        text = say("trust.line_searched", name=one["name"] or say("trust.a_file"))
        yield Line(text, say("trust.not_read_there", missed=_missed(one["words"])))
    for one in data["skipped"]:
        cause = _CAUSES.get(one["cause"], "")
        kind = say("trust.a_folder") if one.get("kind") == "folder" else say("trust.a_file")
        note = stored(one.get("message"), one["reason"]) or (say(cause) if cause else "")
        yield Line(say("trust.line_skipped", name=one["name"] or kind), note, warns=True)
    yield from map(_failed_line, data["failed"])
    for one in data["web"]["searches"]:
        yield Line(say("trust.line_web", query=one["query"]), say("trust.pages", count=one["pages"]))
    for one in data["web"]["pages"]:
        yield Line(say("trust.line_read", name=one["title"]), "" if one["complete"] else say("trust.in_part"))
    yield from _chat_lines(data)


def _failed_line(one: dict[str, Any]) -> Line:
    text, about = say(_FAILED.get(one["tool"], "trust.failed_call")), one["about"]
    if about:
        text = say("trust.line_failed", what=text, about=about)
    found = diagnosis.of_message(one.get("message"))
    # The remedy for a failed connection is shown above the composer. Other remedies are shown only here.
    if found is not None and found.concerns_connection:
        return Line(text, found.fault, warns=True)
    return Line(text, stored(one.get("message"), one["reason"]), warns=True)


def _index_text(index: dict[str, Any]) -> str:
    """The part of the Drive whose texts were searched, in words."""
    files, read, skipped = (number(index.get(name) or 0) for name in ("files", "read", "skipped"))
    if index.get("complete"):
        line = say("trust.index_complete", files=files, read=read, skipped=skipped)
    else:
        line = say("trust.index_google" if index.get("asked_google") else "trust.index", files=files, read=read)
    vectors = index.get("vectors")
    # The number is missing in older receipts and on a server without vectors.
    if not isinstance(vectors, int) or vectors >= (index.get("read") or 0):
        return line
    return say("trust.index_meaning", index=line, vectors=number(vectors))


def _looked_text(index: dict[str, Any]) -> str:
    """The extent of a search that found nothing: the numbers of known, searched and skipped files, in words."""
    files, read, skipped = (number(index.get(name) or 0) for name in ("files", "read", "skipped"))
    looked = say("trust.looked_google" if index.get("asked_google") else "trust.looked", files=files, read=read)
    return say("trust.looked_but", looked=looked, skipped=skipped) if index.get("skipped") else looked


def _drive_lines(data: dict[str, Any]) -> Iterator[Line]:
    if scope := ChatScope.of(data.get("scope")):
        yield Line(say("trust.searched_in", scope=scopes.words_of(scope)))
    # No file is known if the Drive was connected just now, or if none of its texts are kept.
    if (index := data.get("index")) and index.get("files"):
        yield Line(_index_text(index))
    for one in data["searches"]:
        key = "trust.line_drive_folder" if one.get("in_folder") else "trust.line_drive"
        yield _listing(say(key, query=one["query"]), one)
    for one in data["folders"]:
        yield _listing(say("trust.line_folder", name=one["name"] or say("trust.a_folder")), one)
    # The lines above name the searches, so those of the files do not repeat them.
    searches = {passages_with(one["query"]) for one in data["searches"]}
    for one in data["read"]:
        where = ", ".join(place_text(part) for part in one["parts"] if part not in {"", "all", *searches})
        note = say("trust.in_part_of", where=where) if where else say("trust.in_part")
        gaps, missed = [note_text(gap) for gap in one.get("gaps") or []], _missed(one.get("missed"))
        notes = ". ".join(filter(None, ("" if one["complete"] else note, *gaps, missed)))
        was_compared = any(part == "compared" or part.startswith("version of ") for part in one["parts"])
        key = "trust.line_compared" if was_compared else "trust.line_read"
        yield Line(say(key, name=one["name"] or say("trust.a_file")), notes, bool(gaps))


def _chat_lines(data: dict[str, Any]) -> Iterator[Line]:
    for one in data["chat_files"]:
        gaps = [note_text(gap) for gap in one.get("gaps") or []]
        note = " ".join(gaps) or ("" if one["complete"] else say("trust.in_part"))
        yield Line(say("trust.line_read", name=one["path"]), note, bool(gaps))
    for one in data.get("chat_listings") or []:
        pattern = one["pattern"]
        text = say("trust.line_chat") if pattern == "**" else say("trust.line_chat_pattern", pattern=pattern)
        yield _listing(text, one)
    for one in data["chat_searches"]:
        note = say("trust.lines", count=one["lines"])
        if one.get("files") is not None:
            note = say("trust.within", found=note, files=say("trust.files", count=one["files"]))
        if one["partial"]:
            note = say("trust.maybe_more", found=note)
        yield Line(say("trust.line_chat_search", pattern=one["pattern"]), note, one["partial"])


def _listing(text: str, one: dict[str, Any]) -> Line:
    """A line about a listing or search, with the number of results and a note on results that were left out."""
    found = say("trust.files", count=one["files"])
    if one.get("at_least", False):
        found = say("trust.at_least", count=found)
    if below := one.get("subfolders"):
        found = say("trust.and", one=found, other=say("trust.folders", count=below))
    shown = one.get("shown", one["files"])
    if not one["partial"]:
        return Line(text, found)
    if one.get("drives_missed"):
        return Line(text, f"{found}; {say('trust.drives_missed_remedy')}", warns=True)
    if shown < one["files"] + (below or 0):
        return Line(text, say("trust.first_looked", found=found, count=shown), warns=True)
    return Line(text, say("trust.maybe_more", found=found), warns=True)


def _missed(words: Sequence[str] | None) -> str:
    if not words:
        return ""
    return say("trust.missed", words=", ".join(say("trust.quoted", text=one) for one in words))


def _part_of(part: int, whole: int, *, at_least: bool) -> str:
    if whole <= part:
        return say("trust.files", count=part)
    files = say("trust.files", count=whole)
    return say("trust.part_of", part=part, whole=say("trust.at_least", count=files) if at_least else files)


def _side(one: dict[str, Any]) -> Side:
    day = citations.conflicts.day_of(one["date"])
    return Side(
        value=one["value"],
        name=one["name"] or say("trust.drive_file"),
        place=place_text(one["part"]),
        date=translated(dates.full_day(day)) if day else "",
        newer=one["newer"],
        quote=one["quote"],
        url=addresses.web(one["url"]),
    )


_FAILED: Final = {
    "search_files": "trust.failed_search",
    "search_drive": "trust.failed_search",
    "list_drive_folder": "trust.failed_folder",
    "read_drive_file": "trust.failed_file",
    "read_file": "trust.failed_file",
    "compute": "trust.failed_computation",
    "compare_files": "trust.failed_comparison",
    "search": "trust.failed_web",
    "fetch": "trust.failed_page",
    "list_files": "trust.failed_chat",
    "grep": "trust.failed_chat",
}
"""The words for a call that failed, by its tool."""
