"""Checks the quotes of an answer against the texts that were read. `quote_search` compares a quote with one text.

Pure; slow, so callers use a thread.
"""

from collections.abc import Collection, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal
from urllib.parse import quote as percent_encoded

from leaf import parts
from leaf.citations.quote_search import Match, OutOfTime, Text, long_enough
from leaf.citations.reads import Library, Material
from leaf.citations.syntax import Reference, Span, label_of
from leaf.parts.objects import objects_in
from leaf.texts.places import bare

Reason = Literal[
    "", "snippet", "own", "not_found", "not_read", "not_given", "too_short", "no_source", "broken_off", "cut_off",
    "unchecked",
]  # fmt: skip

CITATIONS = "data-citations"
CUT_OFF: Reason = "cut_off"
"""The reason of a reference that is incomplete because the answer was stopped. Its source is unknown, and readers see
no mark.
"""
_CONCLUSIVE: Collection[Reason] = ("", "snippet", "own")
"""Results that stay valid even if the answer was cut off within the reference."""
FOUND = "found"
"""The label of the footnote by which the answer of a watch shows that the awaited thing has appeared."""
MAX_CHECKED = 100
MOST_MARKS = 1_000
"""The maximum number of positions of an answer at which one reference is marked."""
QUOTE_CHARACTERS = 10_000
_FRAGMENT_WORDS = 8


def stored(message_parts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The stored citations of an answer (`Citation.data`), except those that the answer could not finish."""
    return [one for one in every(message_parts) if not is_cut(one)]


def every(message_parts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The stored citations of an answer, including those that it could not finish."""
    return objects_in(parts.data_of(message_parts, CITATIONS))


def is_cut(cited: Mapping[str, Any]) -> bool:
    """Whether a stored citation is incomplete because its answer was stopped."""
    return cited.get("reason") == CUT_OFF


def sign(cited: Mapping[str, Any]) -> str:
    """The mark that stands for a stored citation: `[^2]`, or `[^2?]` for an unverified quote; empty if it is cut
    off.
    """
    return "" if is_cut(cited) else f"[^{cited['n']}{'' if cited['verified'] else '?'}]"


def is_found(message_parts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the answer of a watch declares that the awaited thing has appeared: a verified quote has the label
    `FOUND`.

    Args:
        message_parts: The parts of the answer.
    """
    for one in stored(message_parts):
        for slot, begin, end in one.get("at") or () if one.get("verified") is True else ():
            written = message_parts[slot].get("text") if slot < len(message_parts) else None
            if isinstance(written, str) and label_of(written[begin:end]) == FOUND:
                return True
    return False


@dataclass(frozen=True)
class Source:
    """The source that a citation names."""

    kind: str
    """`drive`, `chat`, `web` or `computed`; empty if unknown."""
    file_id: str
    revision: str
    name: str
    url: str


@dataclass(frozen=True)
class Citation:
    """A reference of an answer and the result of its check."""

    n: int
    """The number of the citation, from 1, in the order of the text."""
    verified: bool
    reason: Reason
    """The reason why it is not verified."""
    source: Source
    part: str
    """The place of the quote as the program found it, else as the model states it."""
    quote: str
    at: Sequence[tuple[int, int, int]]
    """The stretches of text to which the number refers, each as slot of the text part, begin and end."""
    before: str = ""
    after: str = ""
    call: str = ""
    """The tool call of a computed figure; empty for a quote."""
    files: Sequence[str] = ()
    """The ids of the files on which a computation rests."""
    formula: Mapping[str, str] = field(default_factory=dict[str, str])
    """The computation in words, by language."""

    def data(self) -> dict[str, Any]:
        """The stored form."""
        source = self.source
        return {
            "n": self.n, "verified": self.verified, "reason": self.reason or None, "kind": source.kind,
            "file_id": source.file_id, "revision": source.revision or None, "name": source.name, "url": source.url,
            "part": self.part, "quote": self.quote, "before": self.before, "after": self.after,
            "at": [list(one) for one in self.at],
            **({"call": self.call, "files": list(self.files), "formula": dict(self.formula)} if self.call else {}),
        }  # fmt: skip


Numbered = Sequence[tuple[Reference, Mapping[int, Sequence[Span]]]]
Texts = Mapping[tuple[str, str], Sequence[Text]]
"""Texts by kind and id. The stored text comes first, then the passages that the model received. Under `EXCERPT` and an
id, it is the excerpt of a search engine.
"""
EXCERPT = "excerpt"


@dataclass(frozen=True)
class Doubts:
    """Targets and texts that only a model wrote."""

    invented: Container[str] = ()
    """Targets of references that no source of the chat contained."""
    uploaded: Texts = field(default_factory=dict[tuple[str, str], Sequence[Text]])
    """The parts that people wrote in files of the chat that an agent has changed, by kind and path. Empty for a file
    that is entirely the agent's.
    """


_NO_DOUBTS = Doubts()


def check(found: Numbered, library: Library, texts: Texts, doubts: Doubts = _NO_DOUBTS) -> list[Citation]:
    """Checks each reference. A link without a quote is in the result only if no source contained its address.

    Args:
        found: The references of an answer.
        library: Everything that was read.
        texts: The texts in which quotes are searched.
        doubts: Targets and texts that only a model wrote.
    """
    citations: list[Citation] = []
    shown = [one for one in found if _is_shown(one[0], library, doubts.invented)]
    for n, (reference, places) in enumerate(shown, 1):
        search = _Search(reference, library, texts, doubts.uploaded)
        material, reason, match = search.checked(may_search=n <= MAX_CHECKED)
        if reason == "not_read" and reference.target in doubts.invented:
            reason = "not_given"
        if reference.is_cut and reason not in _CONCLUSIVE:
            reason = CUT_OFF
        source = _source(reference, library, material, match)
        part = match.part if match else reference.part
        quote = _shortened((match.quote if match else "") or reference.quote)
        before, after = (match.before, match.after) if match else ("", "")
        citations.append(Citation(n, not reason, reason, source, part, quote, _positions(places), before, after))
    return citations


def _is_shown(reference: Reference, library: Library, invented: Container[str]) -> bool:
    """Whether readers see the result. They do not see it for known links, for names of files in quotation marks, and
    for Leaf's own words about a file that could not be read.
    """
    if reference.bare:
        return reference.target in invented
    if library.is_reason(reference.quote) and library.named(reference) is None:
        return False
    return not reference.is_assumed or not library.is_name(reference.quote)


def unchecked(found: Numbered) -> list[Citation]:
    """The references of an answer as results that could not be checked."""
    return [
        Citation(
            n, False, CUT_OFF if reference.is_cut else "unchecked", _source(reference, Library(), None, None),
            reference.part, _shortened(reference.quote), _positions(places),
        )
        for n, (reference, places) in enumerate(found, 1)
    ]  # fmt: skip


def _positions(places: Mapping[int, Sequence[Span]]) -> list[tuple[int, int, int]]:
    positions = ((slot, *span) for slot, spans in sorted(places.items()) for span in spans)
    return list(islice(positions, MOST_MARKS))


Found = tuple[Material | None, Reason, Match | None]


@dataclass
class _Search:
    """The search for the quote of one reference."""

    reference: Reference
    library: Library
    texts: Texts
    uploaded: Texts
    written: tuple[Material, Match] | None = None
    """The text that an agent wrote in which the quote was found, and the match."""

    def checked(self, *, may_search: bool) -> Found:
        """Returns the source of the quote, the reason why the quote is not verified (empty if it is), and its
        position.
        """
        material, excerpt = self.library.named(self.reference), self.library.excerpt(self.reference)
        if reason := _reason_unsearched(self.reference, material or excerpt):
            return material, reason, None
        if may_search:
            with suppress(OutOfTime):
                return self._verified(material) or self._in_excerpts(excerpt) or self._not_found(material)
        return material, "unchecked", None

    def _not_found(self, named: Material | None) -> Found:
        """The outcome of a search that has not verified the quote."""
        if named is not None and (named.kind, named.id) not in self.texts:
            return named, "unchecked", None
        if self.written is not None:
            return self.written[0], "own", self.written[1]
        if named is not None:
            return named, "not_found", None
        return None, "not_read" if self.reference.target else "no_source", None

    @property
    def _is_free(self) -> bool:
        """Whether the quote may be from any text, because no source is named or the source is only assumed."""
        return self.reference.is_assumed or not self.reference.target

    def _verified(self, named: Material | None) -> Found | None:
        """Searches the named text. Searches the others too if no source is certain, or if an agent may have copied the
        words from them.
        """
        if named is not None and (match := self._search(named)) is not None:
            return named, "", match
        if self._is_free or self.written is not None:
            for one in self.library.read.values():
                if one is not named and (match := self._search(one)) is not None:
                    return one, "", match
        return None

    def _in_excerpts(self, excerpt: Material | None) -> Found | None:
        """Searches the excerpt of the named page, or all excerpts if no source is certain."""
        for one in [excerpt] if excerpt else self.library.excerpts.values() if self._is_free else ():
            if (match := _found(self.reference.quote, self.texts.get((EXCERPT, one.id), ()))) is not None:
                return one, "snippet", match
        return None

    def _search(self, material: Material) -> Match | None:
        """Searches one text. A match in words that an agent wrote is kept in `written` and does not count."""
        key, quote = (material.kind, material.id), self.reference.quote
        match = _found(quote, self.texts.get(key, ()))
        if match is None or key not in self.uploaded or _found(quote, self.uploaded[key]) is not None:
            return match
        self.written = self.written or (material, match)
        return None


def _reason_unsearched(reference: Reference, material: Material | None) -> Reason:
    """The reason why a reference need not be searched; empty if it must be."""
    if not reference.written:
        return "broken_off"
    if reference.bare:
        return "not_given"
    if material is None and reference.target and not reference.is_assumed:
        return "not_read"
    return "" if long_enough(reference.quote) else "too_short"


def _found(quote: str, texts: Sequence[Text]) -> Match | None:
    return next((match for text in texts if (match := text.find(quote)) is not None), None)


def _source(reference: Reference, library: Library, material: Material | None, match: Match | None) -> Source:
    if material is not None:
        url = _address(material, reference.quote, match)
        return Source(material.kind, material.id, material.revision, material.name, url)
    file_id, name, url = library.known(reference)
    address = url or (reference.target if reference.target.startswith(("https://", "http://")) else "")
    kind = "drive" if name else "web" if reference.bare and not file_id else ""
    return Source(kind, file_id, "", name or reference.name or reference.target, address)


def _address(material: Material, quote: str, match: Match | None) -> str:
    """The address of the exact place if the source is a web page, else of the source. Drive opens a file only at its
    beginning.
    """
    if material.kind != "web" or match is None:
        return material.url
    page, number = bare(match.part).partition(" ")[::2]
    if page in {"page", "pages"}:
        return f"{material.url.partition('#')[0]}#page={number.partition('-')[0]}"
    words = " ".join(quote.partition("…")[0].split()[:_FRAGMENT_WORDS])
    # A dash has a special meaning in a text fragment.
    return f"{material.url.partition('#')[0]}#:~:text={percent_encoded(words, safe='').replace('-', '%2D')}"


def _shortened(quote: str) -> str:
    return quote if len(quote) <= QUOTE_CHARACTERS else quote[:QUOTE_CHARACTERS].rsplit(" ", 1)[0] + " …"
