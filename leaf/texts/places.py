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
_ATTACHMENT, _WITHIN = "attachment ", " › "
_MOST_CHARACTERS = 1_000
"""A longer name is no place. Names may contain others, so their depth is limited too."""


def bare(place: str) -> str:
    """The name of a place without the suffix `READ_BY_OCR`; tools accept this name."""
    return place.removesuffix(READ_BY_OCR)


def in_attachment(name: str, part: str) -> str:
    """The name of a place in an attachment of an e-mail, such as `attachment budget.xlsx › sheet Jan`.

    Args:
        name: The name of the attachment, without `›` and square brackets.
        part: The place in it; `all` for the whole attachment.
    """
    attachment = f"{_ATTACHMENT}{name}"
    return attachment if part == "all" else f"{attachment}{_WITHIN}{part}"


def attachment_of(place: str) -> tuple[str, str]:
    """The name of the attachment of an e-mail and the place in it (`all` for the whole); an empty name and the
    unchanged place if it is in no attachment.
    """
    if not place.startswith(_ATTACHMENT):
        return "", place
    name, _, part = place.removeprefix(_ATTACHMENT).partition(_WITHIN)
    return name, part or "all"


def passages_with(words: str) -> str:
    """The name of the passages of a file that were found by words."""
    return f"passages with “{words}”"


def is_in(place: str, kind: str) -> bool:
    """Whether a place is of a kind, such as `page` or `slide`, in a file or in an attachment."""
    return attachment_of(place)[1].startswith(f"{kind} ")


def place_text(place: str, say: Say = say) -> str:
    """A place in words; the unchanged name if its kind is unknown or it is too long.

    Args:
        place: The English name of the place.
        say: The texts of the reader's language; by default those of the event that is being handled.
    """
    if len(place) > _MOST_CHARACTERS:
        return place
    if place.endswith(READ_BY_OCR):
        return say("places.ocr", place=place_text(bare(place), say))
    if place in _WHOLE:
        return say(_WHOLE[place])
    attachment, inner = attachment_of(place)
    if attachment:
        whole = say("places.attachment", name=attachment)
        return whole if inner == "all" else say("places.in_attachment", place=place_text(inner, say), attachment=whole)
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
