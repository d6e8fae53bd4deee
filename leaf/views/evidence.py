"""The evidence of an answer: its numbered citations and its receipt (`leaf.views.receipts`). Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote as percent_encoded
from urllib.parse import urlencode

from leaf import citations, parts
from leaf.parts.objects import list_of, object_of, strings_in
from leaf.texts import current, say
from leaf.texts.catalogue import isolated
from leaf.texts.places import READ_BY_OCR, place_text
from leaf.views import addresses
from leaf.views.receipts import Coverage, cause_text

Mark = tuple[int, int, str]
"""The start and end of a range of a text, and its replacement."""

_UNMARKABLE = frozenset(" \u00a0\u202f[]^")
QUOTE_CHARACTERS = 400
_REASONS = {
    "snippet": "trust.snippet",
    "own": "trust.own",
    "not_found": "trust.not_found",
    "not_read": "trust.not_read",
    "not_given": "trust.not_given",
    "too_short": "trust.too_short",
    "no_source": "trust.no_source",
    "broken_off": "trust.broken_off",
    "unchecked": "trust.unchecked",
    "imported": "trust.imported",
}
_MOVED = {"changed": "living.status_changed", "gone": "living.status_gone"}
_FIGURES = {"changed": "living.figure_changed", "gone": "living.figure_gone"}
_UNCHECKED = "unchecked"


@dataclass(frozen=True)
class Cited:
    """A quote under an answer."""

    n: int
    verified: bool
    status: str
    """The status in words: verified, or the reason why not."""
    name: str
    place: str
    url: str
    """A web address, a path of Leaf, or empty."""
    quote: str
    own: bool = False
    """Whether the address is a path of Leaf."""
    picture: str = ""
    """The path of the picture of the quote's page, if the text was read by OCR; else empty."""
    call: str = ""
    """The id of the tool call of a computed figure; empty for a quote."""
    moved: bool = False
    """Whether a quote that was verified is no longer certain: the source does not contain it any more, Google no longer
    shows the source, or the new version of the source cannot be read."""
    unchecked: bool = False
    """Whether the new version of its source cannot be read."""
    edited: str = ""
    """For a computed figure, the result in words of the edited version of its computation; empty if there is none."""


@dataclass(frozen=True)
class Cites:
    """The quotes of an answer in the order of its text."""

    quotes: list[Cited] = field(default_factory=list[Cited])
    unverified: int = 0
    """The number of citations that are not verified."""
    asks: str = "hosts"
    """The links that ask for confirmation before they open: `hosts` for links to hosts that no tool or person has
    named, `addresses` for links to addresses that are not in `given`, or empty for none."""
    given: list[str] = field(default_factory=list[str])
    """The addresses that a tool or a person has given in exactly this spelling."""


@dataclass(frozen=True)
class Quoted(Cited):
    """A quote in the panel of sources, with the words before and after it."""

    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Evidence:
    citations: Cites = field(default_factory=Cites)
    coverage: Coverage = field(default_factory=Coverage)


def marks_of(message_parts: Sequence[parts.Part]) -> dict[int, list[Mark]]:
    """The marks in the texts of an answer, by the index of the part.

    The mark of a quote is `[^2]`, or `[^2?]` if the quote is unverified. The mark of a figure that the model neither
    quoted nor computed is `[^~1,250]`. A quote that a stopped answer did not complete has no mark.
    """
    marks: dict[int, list[Mark]] = {}
    for one in citations.every(message_parts):
        for slot, begin, end in one["at"]:
            marks.setdefault(slot, []).append((begin, end, citations.sign(one)))
    own = object_of(parts.data_of(message_parts, citations.FIGURES)).get("own")
    for slot, begin, end in list_of(own):
        text = str(message_parts[slot].get("text") or "")[begin:end] if slot < len(message_parts) else ""
        if text and not set(text) & _UNMARKABLE and not text[0].isspace():
            marks.setdefault(slot, []).append((begin, end, f"[^~{text}]"))
    return marks


def cites_of(message_parts: Sequence[parts.Part]) -> Cites:
    """The quotes of an answer."""
    cited = citations.stored(message_parts)
    links = object_of(parts.data_of(message_parts, citations.LINKS))
    asks, given = "", list[str]()
    if not links:
        asks = "hosts"
    elif links.get("private"):
        asks, given = "addresses", strings_in(links.get("given"))
    return Cites([_cited(one) for one in cited], sum(not one["verified"] for one in cited), asks, given)


def quoted_of(message_parts: Sequence[parts.Part]) -> Iterator[tuple[str, str, Quoted]]:
    """Yields the quotes of an answer: the id of the file, the kind of the source (both may be empty), and the quote."""
    for one in citations.stored(message_parts):
        cited = _cited(one)
        before, after = (str(one.get(key) or "") if cited.verified else "" for key in ("before", "after"))
        quote = Quoted(**vars(cited), before=f"… {before} " if before else "", after=_following(cited.quote, after))
        yield str(one.get("file_id") or ""), str(one.get("kind") or ""), quote


def in_bin(message_parts: Sequence[parts.Part]) -> dict[str, str]:
    """The names of files that lie in the reader's own bin, by id, from citations of exactly one file."""
    found: dict[str, str] = {}
    for one in citations.stored(message_parts):
        files: list[Any] = one.get("files") or [one.get("file_id")]
        if one.get("followed") == "bin" and one.get("name") and len(files) == 1:
            found[str(files[0])] = isolated(str(one["name"]))
    return found


def _following(quote: str, after: str) -> str:
    """The words after a quote, attached as in the source. If they repeat the quote's full stop, it is left out."""
    if quote.endswith((".", "!", "?")):
        after = after.removeprefix(quote[-1])
    if not after.strip():
        return ""
    joint = " " if after[0].isalnum() else ""
    return f"{joint}{after} …"


def _cited(one: dict[str, Any]) -> Cited:
    if (withheld := citations.redaction.TEXTS.get(str(one.get("reason")))) is not None:
        return _withheld(one, withheld)
    verified = one["verified"] is True
    if verified and one.get("kind") == citations.figures.COMPUTED:
        return _computed(one)
    moved = verified and one.get("followed") in {*_MOVED, _UNCHECKED}
    if not verified:
        status = say("trust.unverified", reason=say(_REASONS.get(str(one.get("reason")), "trust.uncheckable")))
    else:
        status = _moved_text(one, _MOVED, "living.status_unchecked") if moved else say("trust.verified")
    url, quote = str(one.get("url") or ""), str(one.get("quote") or "")
    own = url.startswith("/api/")
    if not own:
        # An address that the model has composed itself may contain text that it has read, and so could leak it.
        url = "" if one.get("reason") == "not_given" else addresses.web(url)
    if len(quote) > QUOTE_CHARACTERS:
        quote = quote[:QUOTE_CHARACTERS].rsplit(" ", 1)[0] + " …"
    return Cited(
        int(one["n"]),
        verified,
        status,
        name=isolated(str(one.get("name") or say("trust.unknown_source"))),
        place=place_text(str(one.get("part") or "")),
        url=url,
        quote=quote,
        own=own,
        picture=_picture(one) if verified and not moved else "",
        moved=moved,
        unchecked=one.get("followed") == _UNCHECKED,
    )


def _withheld(one: dict[str, Any], key: str) -> Cited:
    """A quote from a file that the reader may not see now. `key` names the text with the reason."""
    followed, moved = one.get("followed"), one.get("reason") == "refused"
    status, name = say(key), say("trust.drive_file")
    if followed == "bin":
        is_figure = one.get("kind") == citations.figures.COMPUTED
        status = say("living.figure_bin" if is_figure else "living.status_bin")
        name = isolated(str(one.get("name") or name))
    if not moved and followed in _MOVED:
        status, moved = say("living.status_known", why=status), True
    return Cited(int(one["n"]), False, status, name, "", "", "", moved=moved)


def _computed(one: dict[str, Any]) -> Cited:
    """The card of a computed figure, which shows the formula in words instead of a quote."""
    formula, url = one.get("formula"), str(one.get("url") or "")
    moved = one.get("followed") in {*_FIGURES, _UNCHECKED}
    status = _moved_text(one, _FIGURES, "living.figure_unchecked") if moved else say("computed.verified")
    formula_text = str(formula.get(current()) or "") if isinstance(formula, dict) else ""
    name = isolated(str(one.get("name") or say("trust.drive_file")))
    return Cited(
        int(one["n"]),
        True,
        status,
        name,
        place=place_text(str(one.get("part") or "")),
        url=addresses.web(url),
        quote=formula_text or str(one.get("quote") or ""),
        call=str(one.get("call") or ""),
        moved=moved,
        unchecked=one.get("followed") == _UNCHECKED,
        edited=_edited_text(one.get("edited")),
    )


def _moved_text(one: dict[str, Any], keys: dict[str, str], unchecked: str) -> str:
    """The text for the present state of a quote or figure that is no longer certain (`Cited.moved`).

    Args:
        one: The citation with its state.
        keys: The keys of the texts, by state.
        unchecked: The key of the text for a source whose new version cannot be read.
    """
    if one["followed"] == _UNCHECKED:
        return say(unchecked, cause=cause_text(one.get("cause")))
    return say(keys[one["followed"]])


def _edited_text(one: Any) -> str:
    """The text of `Cited.edited`, from the field of the citation (`views.source_changes.EDITED`)."""
    if not isinstance(one, dict):
        return ""
    return say("computed.by_hand_result" if one["by_hand"] else "computed.rests_result", result=one["result"] or "–")


def _picture(one: dict[str, Any]) -> str:
    """The path of the picture from which a quote was read; empty if it was not read from a picture."""
    part, file_id, url = (str(one.get(name) or "") for name in ("part", "file_id", "url"))
    if not part.endswith(READ_BY_OCR):
        return ""
    wanted = urlencode({"place": part, "quote": str(one.get("quote") or "")[:QUOTE_CHARACTERS]})
    if one.get("kind") == "drive" and file_id:
        return f"/api/drive/files/{percent_encoded(file_id, safe='')}/picture?{wanted}"
    if one.get("kind") == "chat" and url.startswith("/api/chats/"):
        return f"{url.replace('/files/', '/pictures/', 1)}&{wanted}"
    return ""
