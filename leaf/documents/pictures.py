"""Pictures from which text was recognised (pages of PDFs, pictures in other files), with lines highlighted."""

import io
import re
from collections.abc import Sequence
from typing import Any

from leaf import texts
from leaf.citations import Passage, Text
from leaf.documents import mail, office, opendocument, pdf, scans, text
from leaf.documents.kinds import Kind
from leaf.documents.model import Line, Unreadable
from leaf.texts.places import attachment_of

SIDE_PIXELS = 1_600
_QUALITY = 80
_COLOUR = (255, 200, 0)
_STRENGTH = 90
"""Opacity of the highlight, from 0 to 255."""
_MARGIN = 0.004
"""Margin around a highlighted line, as a share of the longer side of the picture."""
_PART = re.compile(r"(page|picture) ([1-9]\d{0,5})")


def marked(data: bytes, kind: Kind, part: str, lines: Sequence[Line]) -> bytes:
    """The picture of a part of a file, as JPEG, with lines highlighted.

    Args:
        data: The file; for a Google presentation, its export.
        kind: The kind of the file.
        part: `page 3` or `picture 1`.
        lines: The lines to highlight.

    Raises:
        Unreadable: It cannot be read, or has no such picture.
    """
    return _written(_picture(data, kind, part), lines)


def quoted(data: bytes, kind: Kind, part: str, quote: str) -> bytes:
    """The picture of a part of a file, as JPEG, with a quote highlighted.

    OCR reads the picture again to find the lines of the quote. Without a quote, the picture is returned unchanged.

    Args:
        data: The file.
        kind: The kind of the file.
        part: `page 3` or `picture 1`.
        quote: The words to highlight; empty for none.

    Raises:
        Unreadable: It cannot be read, has no such picture, or the picture has no text to highlight.
    """
    picture = _picture(data, kind, part)
    if not quote:
        return _written(picture, ())
    recognised = scans.Reader().read(picture)
    if not recognised.lines:
        raise Unreadable(texts.english("refusals.no_such_page"))
    lines = lines_of([(recognised.text, recognised.lines)], quote)
    return _written(picture, lines.get(0, ()))


def lines_of(recognised: Sequence[tuple[str, Sequence[Line]]], quote: str) -> dict[int, list[Line]]:
    """The lines that contain a quote, by the index of their text; empty if no text contains the quote.

    Args:
        recognised: Texts of pictures, each with its lines.
        quote: The quoted words.
    """
    found: dict[int, list[Line]] = {}
    for number, begin, end in Text([Passage("", words) for words, _ in recognised]).stretches(quote):
        lines = recognised[number][1]
        found.setdefault(number, []).extend(line for line in lines if line.start < end and line.end > begin)
    return found


def _picture(data: bytes, kind: Kind, part: str) -> Any:
    if kind == "mail":
        name, part = attachment_of(part)
        found = next((one for one in mail.read(data)[1] if name and one.name == name), None)
        if found is None or found.kind == "mail":
            raise Unreadable(texts.english("refusals.no_such_page"))
        data, kind = found.content(), found.kind
    named = _PART.fullmatch(part)
    what, number = (named[1], int(named[2])) if named else ("", 0)
    if kind in {"pdf", "drawing"} and what == "page":
        return pdf.picture(data, number)
    if kind == "image" and part == "picture 1":
        return scans.opened(data)
    if kind in {"document", "word", "powerpoint", "presentation"} and what == "picture":
        found = _pictures(data, kind)
        if number <= len(found):
            return scans.opened(found[number - 1].data)
    raise Unreadable(texts.english("refusals.no_such_page"))


def _pictures(data: bytes, kind: Kind) -> list[scans.Picture]:
    if kind == "document":
        return text.pictures(data)
    return opendocument.pictures(data) if opendocument.is_open_document(data) else office.pictures(data, kind)


def _written(picture: Any, lines: Sequence[Line]) -> bytes:
    picture.thumbnail((SIDE_PIXELS, SIDE_PIXELS))
    written = io.BytesIO()
    _with_marks(picture, lines).save(written, "JPEG", quality=_QUALITY)
    return written.getvalue()


def _with_marks(picture: Any, lines: Sequence[Line]) -> Any:
    from PIL import Image, ImageDraw

    width, height = picture.size
    margin = max(2.0, _MARGIN * max(width, height))
    layer = Image.new("RGBA", picture.size)
    draw = ImageDraw.Draw(layer)
    for line in lines:
        box = (
            line.left * width - margin, line.top * height - margin,
            line.right * width + margin, line.bottom * height + margin,
        )  # fmt: skip
        draw.rectangle(box, fill=(*_COLOUR, _STRENGTH), outline=(*_COLOUR, 255), width=2)
    return Image.alpha_composite(picture.convert("RGBA"), layer).convert("RGB")
