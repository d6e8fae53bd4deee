"""The names of places in a file, such as `page 3`, in the reader's language.

Tools, citations and stored answers name places in English, by a kind and a number or name (`leaf.documents.pieces`).
"""

from collections.abc import Callable

from leaf.texts.phrases import say

Say = Callable[..., str]

READ_BY_OCR = ", read by OCR"
"""The suffix of the name of a place whose text was recognised in a picture."""

SPEAKER_NOTES = "Speaker notes:"
"""The line that a reader of presentations puts between the text of a slide and its notes. No file contains it."""


def bare(place: str) -> str:
    """The name of a place without the suffix `READ_BY_OCR`; tools accept this name."""
    return place.removesuffix(READ_BY_OCR)


def place_text(place: str, say: Say = say) -> str:
    """A place in words; the unchanged name if its kind is unknown.

    Args:
        place: The English name of the place.
        say: The texts of the reader's language; by default those of the event that is being handled.
    """
    if place.endswith(READ_BY_OCR):
        return say("places.ocr", place=place_text(bare(place), say))
    if place in _WHOLE:
        return say(_WHOLE[place])
    kind, _, rest = place.partition(" ")
    return _KINDS[kind](rest, say) if rest and kind in _KINDS else place


def _passages(rest: str, say: Say) -> str:
    """Passages of a file: `passages with “words”`, or passages on or in another place."""
    relation, _, inner = rest.partition(" ")
    if relation == "with":
        return say("places.passages_with", words=inner.removeprefix("“").removesuffix("”"))
    if relation in _AT:
        return say(_AT[relation], place=place_text(inner, say))
    return f"passages {rest}"


def _version(rest: str, say: Say) -> str:
    """A place in an earlier version of a file, such as `version of 2026-05-03 14:02, page 3`."""
    date, _, place = rest.removeprefix("of ").partition(", ")
    if not place:
        return say("places.version", date=date)
    return say("places.version_place", place=place_text(place, say), date=date)


_WHOLE = {"passages": "places.passages", "compared": "places.compared", "rows": "places.all_rows"}
"""Places that have neither a number nor a name."""
_AT = {"on": "places.passages_on", "in": "places.passages_in"}
_KINDS: dict[str, Callable[[str, Say], str]] = {
    "page": lambda number, say: say("places.page", number=number),
    "pages": lambda numbers, say: say("places.pages", numbers=numbers),
    "slide": lambda number, say: say("places.slide", number=number),
    "slides": lambda numbers, say: say("places.slides", numbers=numbers),
    "sheet": lambda name, say: say("places.sheet", name=name),
    "comments": lambda name, say: say("places.comments", name=name),
    "lines": lambda span, say: say("places.lines", span=span),
    "rows": lambda span, say: say("places.rows", span=span),
    "picture": lambda number, say: say("places.picture", number=number),
    "version": _version,
    "section": lambda name, say: say("places.section", name=name),
    "passages": _passages,
}
