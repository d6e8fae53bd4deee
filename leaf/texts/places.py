"""The names of places in a file, such as `page 3`, in the reader's language.

Tools, citations and stored answers name places in English: a kind, and a number or a name (`leaf.documents.pieces`).
"""

from collections.abc import Callable

from leaf.texts.phrases import say

READ_BY_OCR = ", read by OCR"
"""Stands behind the name of a place whose text was recognised in a picture."""


def bare(place: str) -> str:
    """The name by which a place is asked for."""
    return place.removesuffix(READ_BY_OCR)


def place_text(place: str) -> str:
    """A place in the language of the event that is being handled; unchanged if it is of no known kind."""
    if place.endswith(READ_BY_OCR):
        return say("places.ocr", place=place_text(bare(place)))
    if place in _WHOLE:
        return say(_WHOLE[place])
    kind, _, rest = place.partition(" ")
    relation, _, inner = rest.partition(" ")
    match kind, relation:
        case "passages", "with":
            return say("places.passages_with", words=inner.removeprefix("“").removesuffix("”"))
        case "passages", "on":
            return say("places.passages_on", place=place_text(inner))
        case "passages", "in":
            return say("places.passages_in", place=place_text(inner))
        case _:
            return _KINDS[kind](rest) if rest and kind in _KINDS else place


def _version(rest: str) -> str:
    """The place in an earlier version of a file: `version of 2026-05-03 14:02, page 3`."""
    date, _, place = rest.removeprefix("of ").partition(", ")
    if not place:
        return say("places.version", date=date)
    return say("places.version_place", place=place_text(place), date=date)


_WHOLE = {"passages": "places.passages", "compared": "places.compared"}
"""Places that have neither number nor name."""
_KINDS: dict[str, Callable[[str], str]] = {
    "page": lambda number: say("places.page", number=number),
    "pages": lambda numbers: say("places.pages", numbers=numbers),
    "slide": lambda number: say("places.slide", number=number),
    "slides": lambda numbers: say("places.slides", numbers=numbers),
    "sheet": lambda name: say("places.sheet", name=name),
    "lines": lambda span: say("places.lines", span=span),
    "rows": lambda span: say("places.rows", span=span),
    "picture": lambda number: say("places.picture", number=number),
    "version": _version,
    "section": lambda name: say("places.section", name=name),
}
