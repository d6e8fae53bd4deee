"""Changes in the sources of answers since they were quoted, in words. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from types import MappingProxyType
from typing import Any, Final

from leaf import citations, parts
from leaf.citations.figures import words_of
from leaf.citations.redaction import TEXTS as WITHHELD
from leaf.citations.redaction import files_in
from leaf.comparison import lines
from leaf.services.cells import Edit
from leaf.services.comparisons import Comparison
from leaf.services.library import quotes, standings
from leaf.services.library.quotes import Followed
from leaf.services.library.standings import with_state
from leaf.texts import current, dates, say
from leaf.texts.catalogue import isolated
from leaf.texts.places import place_text
from leaf.views import addresses, receipts
from leaf.views.comparisons import Piece, pieces
from leaf.views.computations import result_text, values_after_formula

_STATES: Final = {"changed": "living.changed_words", "gone": "living.gone_words", "unread": "living.unread_words"}


@dataclass(frozen=True)
class Moved:
    """A quote and the passage that has replaced it, for display."""

    name: str
    place: str
    url: str
    """A web address, or empty."""
    was: list[Piece] = field(default_factory=list[Piece])
    """The words of the quote, with the removed words marked; empty if the reader may not see the quote."""
    now: list[Piece] = field(default_factory=list[Piece])
    """The words of the present passage, with the new words marked; empty if there is none, and `note` says why."""
    note: str = ""
    before_was: str = ""
    """The words before the quote."""
    after_was: str = ""
    """The words after the quote."""
    before_now: str = ""
    """The words before the present passage."""
    after_now: str = ""
    """The words after the present passage."""


EDITED: Final = "edited"
"""The field of a computed figure with the result of its computation after an edit by hand."""


def annotated(
    message_parts: Sequence[parts.Part],
    followed: Sequence[Followed],
    edits: Mapping[str, Edit] = MappingProxyType({}),
    *,
    kept: Sequence[parts.Part] = (),
) -> list[parts.Part]:
    """The parts of an answer, with the state of each followed quote and the edits of its computed figures.

    Args:
        message_parts: The parts that the reader may see. They come from `passages.shown`, so Google has just confirmed
            their files.
        followed: The followed quotes of the answer.
        edits: The edits by hand, by tool call.
        kept: The stored parts. They have the names of files in the bin, which its owner may see.
    """
    found = quotes.by_number(followed)
    names = {one["n"]: one.get("name") for one in citations.stored(kept)}

    def with_name(one: dict[str, Any]) -> dict[str, Any]:
        return {**one, "name": names.get(one.get("n"))} if one.get(standings.FOLLOWED) == "bin" else one

    def with_edit(one: dict[str, Any]) -> dict[str, Any]:
        edit = edits.get(str(one.get("call") or ""))
        # Google has just confirmed the files of the figure, but not any other files that the edit uses.
        if edit is None or one.get("reason") in WITHHELD or not files_in(edit.output) <= {*one.get("files", ())}:
            return one
        edited = {
            "cell": edit.output.get("cell"),
            "result": figure_text(edit.output),
            "by_hand": edit.query is not None,
        }
        return {**one, EDITED: edited}

    def with_states(part: parts.Part) -> parts.Part:
        if part["type"] != citations.CITATIONS or not isinstance(part.get("data"), list):
            return part
        data = [with_edit(with_name(with_state(one, found))) for one in part["data"] if isinstance(one, dict)]
        return {**part, "data": data}

    return [with_states(part) for part in message_parts]


def edited_line(message_parts: Sequence[parts.Part]) -> str:
    """A line with the computations of an answer that were edited by hand or use edited ones, each with its result.

    The line is empty if there are none.
    """
    found = [one[EDITED] for one in citations.stored(message_parts) if EDITED in one]
    if not found:
        return ""
    named = [(say("trust.quoted", text=one["cell"]), one["result"]) for one in found]
    shown = [f"{name} = {result}" if result else name for name, result in named]
    key = "computed.edited_line" if any(one["by_hand"] for one in found) else "computed.edited_before"
    return say(key, results=" · ".join(dict.fromkeys(shown)))


def figure_text(output: Mapping[str, Any]) -> str:
    """The values of a result, with their unit if the result has a single column."""
    columns = output.get("columns") or ()
    unit = str(columns[0].get("unit") or "") if len(columns) == 1 else ""
    return f"{result_text(output)} {unit}".strip()


def line(moved: standings.SourceChanges | None, zone: tzinfo) -> str:
    """The present state of the sources of answers in one line, in a time zone; empty if all sources are unchanged."""
    if moved is None:
        return ""
    phrases: list[str] = []
    if moved.since is not None:
        day = dates.day(moved.since.astimezone(zone))
        phrases.append(say("living.changed", changed=moved.changed, count=moved.count, date=day))
    if moved.hidden:
        phrases.append(say("living.hidden", count=moved.hidden))
    if moved.unchecked:
        phrases.append(say("living.unchecked", count=moved.unchecked))
    if moved.seen is not None:
        phrases.append(say("living.seen", moment=dates.short_moment(moved.seen.astimezone(zone))))
    return " · ".join(phrases)


def moved_of(comparisons: Sequence[Comparison]) -> list[Moved]:
    """Quotes, each with the passage that has replaced it, as a page shows them."""
    return [_moved(one) for one in comparisons]


def _moved(one: Comparison) -> Moved:
    cited = one.citation
    name, quote, before, after = (str(cited.get(key) or "") for key in ("name", "quote", "before", "after"))
    if one.state == "bin":
        return Moved(isolated(name) or say("trust.drive_file"), "", "", note=say("living.bin_words"))
    if (withheld := WITHHELD.get(one.state)) is not None:
        return Moved(say("trust.drive_file"), "", "", note=say(withheld))
    near = one.near if one.state != "unchecked" and one.kept is None else None
    part = str(cited.get("part") or "") if near is None else near.part
    head = isolated(name) or say("trust.unknown_source"), place_text(part), addresses.web(str(cited.get("url") or ""))
    if near is not None:
        return Moved(*head, *_marked(quote, near.text), "", before, after, near.before, near.after)
    if one.state == "unchecked":
        note = say("living.unchecked_words", cause=receipts.cause_text(one.cause))
        return Moved(*head, *_marked(quote, ""), note, before, after)
    if one.kept is not None:
        now = figure(one.made) if one.made is not None else ""
        note = "" if now else say(_STATES["unread"] if one.state == "unread" else "living.figure_gone")
        return Moved(*head, *_marked(figure(one.kept) or quote, now), note)
    return Moved(*head, *_marked(quote, ""), say(_STATES[one.state]), before, after)


def _marked(was: str, now: str) -> tuple[list[Piece], list[Piece]]:
    """Two texts in pieces. The pieces that the other text lacks are marked; without the other text, all are marked."""
    if not was or not now:
        return [Piece(was, marked=True)] if was else [], [Piece(now, marked=True)] if now else []
    gone, new = lines.marks(was, now)
    return pieces(was, gone), pieces(now, new)


def figure(output: Mapping[str, Any]) -> str:
    """A computation in words with its result, in the language of the event that is being handled."""
    formula, values = words_of(output, current()), values_after_formula(output)
    return f"{formula}: {values}" if values else formula
