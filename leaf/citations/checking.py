"""Matching what an answer quotes against what was read. Pure; may keep a processor busy, so callers use a thread."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote as percent_encoded

from leaf.citations.markers import Reference, Span
from leaf.citations.reads import Library, Material
from leaf.citations.texts import Match, OutOfTime, Text, long_enough

Reason = Literal["", "snippet", "not_found", "not_read", "too_short", "no_source", "broken_off", "unchecked"]

MAX_CHECKED = 100
QUOTE_CHARACTERS = 600
_FRAGMENT_WORDS = 8


@dataclass(frozen=True)
class Source:
    """What a citation says about where its quote is from."""

    kind: str
    """drive, chat or web; empty where that is not known."""
    file_id: str
    revision: str
    name: str
    url: str


@dataclass(frozen=True)
class Citation:
    """A reference of an answer, and what has become of it."""

    n: int
    """From 1, in the order of the text."""
    verified: bool
    reason: Reason
    """Why it is not verified."""
    source: Source
    part: str
    """Where the quote stands, as the program has found it; else as the model says."""
    quote: str
    at: Sequence[tuple[int, int, int]]
    """Slot of the text part, begin and end of each stretch of its text for which the number stands."""
    before: str = ""
    after: str = ""

    def data(self) -> dict[str, Any]:
        """What is stored of it."""
        source = self.source
        return {
            "n": self.n, "verified": self.verified, "reason": self.reason or None, "kind": source.kind,
            "file_id": source.file_id, "revision": source.revision or None, "name": source.name, "url": source.url,
            "part": self.part, "quote": self.quote, "before": self.before, "after": self.after,
            "at": [list(one) for one in self.at],
        }  # fmt: skip


Numbered = Sequence[tuple[Reference, Mapping[int, Sequence[Span]]]]
Texts = Mapping[tuple[str, str], Sequence[Text]]
"""The texts of what was read, by kind and id: the stored one first, then what the model was given. Of what was only
found by a search engine (`EXCERPT` and the address) what the engine showed."""
EXCERPT = "excerpt"


def check(found: Numbered, library: Library, texts: Texts) -> list[Citation]:
    """What has become of each reference.

    Args:
        found: The references of an answer.
        library: What was read.
        texts: Where quotes are looked for.
    """
    citations: list[Citation] = []
    for n, (reference, places) in enumerate(found, 1):
        material, reason, match = _checked(reference, library, texts, may_look=n <= MAX_CHECKED)
        source = _source(reference, library, material, match)
        part = match.part if match else reference.part
        kept = _shortened(reference.quote)
        around = (match.before, match.after) if match else ("", "")
        citations.append(Citation(n, not reason, reason, source, part, kept, _all(places), *around))
    return citations


def unchecked(found: Numbered) -> list[Citation]:
    """The references of an answer that nobody could check."""
    return [
        Citation(
            n, False, "unchecked", _source(reference, Library(), None, None), reference.part,
            _shortened(reference.quote), _all(places),
        )
        for n, (reference, places) in enumerate(found, 1)
    ]  # fmt: skip


def _all(places: Mapping[int, Sequence[Span]]) -> list[tuple[int, int, int]]:
    return [(slot, *span) for slot, spans in sorted(places.items()) for span in spans]


def _checked(
    reference: Reference, library: Library, texts: Texts, *, may_look: bool
) -> tuple[Material | None, Reason, Match | None]:
    material, excerpt = library.named(reference), library.excerpt(reference)
    reason = _hindrance(reference, material or excerpt) or ("" if may_look else "unchecked")
    if reason:
        return material, reason, None
    shown = [excerpt] if excerpt else [] if reference.target else [*library.excerpts.values()]
    # A quote that names nothing is looked for in all that was read.
    try:
        for one in [material] if material else [] if reference.target else library.read.values():
            prepared = texts.get((one.kind, one.id))
            match = _found(reference.quote, prepared or ())
            if match is not None:
                return one, "", match
            if prepared is None and material is not None:
                return material, "unchecked", None
        for one in shown:
            match = _found(reference.quote, texts.get((EXCERPT, one.id), ()))
            if match is not None:
                return one, "snippet", match
    except OutOfTime:
        return material, "unchecked", None
    return material, "not_found" if material else "not_read" if reference.target else "no_source", None


def _hindrance(reference: Reference, material: Material | None) -> Reason:
    """Why a reference need not be looked for at all."""
    if not reference.written:
        return "broken_off"
    if material is None and reference.target:
        return "not_read"
    return "" if long_enough(reference.quote) else "too_short"


def _found(quote: str, texts: Sequence[Text]) -> Match | None:
    return next((match for text in texts if (match := text.find(quote)) is not None), None)


def _source(reference: Reference, library: Library, material: Material | None, match: Match | None) -> Source:
    if material is not None:
        url = _at_place(material, reference.quote, match)
        return Source(material.kind, material.id, material.revision, material.name, url)
    file_id, name, url = library.known(reference)
    address = url or (reference.target if reference.target.startswith(("https://", "http://")) else "")
    return Source("drive" if name else "", file_id, "", name or reference.name or reference.target, address)


def _at_place(material: Material, quote: str, match: Match | None) -> str:
    """The address of the very place, where there is one. Drive's own pages open files at their beginning only."""
    if material.kind != "web" or match is None:
        return material.url
    page, number = match.part.partition(" ")[::2]
    if page in {"page", "pages"}:
        return f"{material.url.partition('#')[0]}#page={number.partition('-')[0]}"
    words = " ".join(quote.partition("…")[0].split()[:_FRAGMENT_WORDS])
    # In a text fragment a dash means something of its own.
    return f"{material.url.partition('#')[0]}#:~:text={percent_encoded(words, safe='').replace('-', '%2D')}"


def _shortened(quote: str) -> str:
    return quote if len(quote) <= QUOTE_CHARACTERS else quote[:QUOTE_CHARACTERS].rsplit(" ", 1)[0] + " …"
