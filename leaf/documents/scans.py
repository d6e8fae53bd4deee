"""Text in pictures, recognised by a model (OCR) on one core, with the place of each line.

The model comes with its package and is loaded at the first picture of a process. A picture that says more than it is
worth (`MAX_PIXELS`) is refused before it is unpacked.
"""

import hashlib
import io
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from leaf import texts
from leaf.documents.model import LEFT_OUT, Line, NoText, Segment, Unreadable

MAX_PIXELS = 50_000_000
SIDE_PIXELS = 2_000
"""The longer side of a picture when it is read; that of an A4 page at 170 dots per inch."""
FORMATS = ("PNG", "JPEG", "WEBP")
SECONDS = 25.0
"""Time for the pictures of one file, where the caller names none."""
_FINDING_PIXELS = 1_120
"""The longer side at which lines are looked for; it decides about the memory: about 500 MB."""
_LEAST_PIXELS = 24
"""Smaller pictures within files are marks and lines."""
_BLANK_SPREAD = 8
"""The largest difference of brightness on an empty page."""
_SAME_ROW = 0.5
_MODELS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")


@dataclass(frozen=True, slots=True)
class Recognised:
    """The text of a picture; `lines` are its pieces with their places."""

    text: str = ""
    lines: tuple[Line, ...] = ()


@dataclass
class Reader:
    """Reads the pictures of one file, as long as there is time.

    Attributes:
        seconds: Time for all pictures of the file.
    """

    seconds: float = SECONDS
    _began: float = field(default_factory=time.monotonic)
    _longest: float = 0.0

    @property
    def has_time(self) -> bool:
        """Whether one more picture is likely to be done in time."""
        return time.monotonic() - self._began + self._longest < self.seconds

    def read(self, picture: Any) -> Recognised:
        """The text of a picture (Pillow's), from the top to the bottom."""
        began = time.monotonic()
        try:
            return _read(picture)
        finally:
            self._longest = max(self._longest, time.monotonic() - began)


def read(data: bytes, reader: Reader) -> tuple[list[Segment], list[str]]:
    """The text of a picture: PNG, JPEG or WebP.

    Raises:
        Unreadable: It is of another format, damaged or too large, or shows no text.
    """
    found = reader.read(opened(data))
    if not found.text:
        raise NoText(texts.english("refusals.no_text_picture"))
    return [Segment("picture 1", None, found.text, lines=found.lines)], []


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture within a file."""

    data: bytes
    title: str | None = None
    """The part of the file that shows it."""


def within(pictures: Sequence[Picture], reader: Reader) -> tuple[list[Segment], list[str]]:
    """The texts of the pictures in a file, `picture 1` and so on, and notes about the others."""
    segments: list[Segment] = []
    known: dict[bytes, Recognised] = {}
    textless = waiting = 0
    for number, picture in enumerate(pictures, 1):
        digest = hashlib.sha256(picture.data).digest()
        if digest not in known:
            if waiting or not reader.has_time:
                waiting += 1
                continue
            known[digest] = _within(picture.data, reader)
            if known[digest].lines:
                found = known[digest]
                segments.append(Segment(f"picture {number}", picture.title, found.text, lines=found.lines))
        # A logo on each slide is read once.
        textless += not known[digest].lines
    notes: list[str] = []
    if segments:
        notes.append("The text in pictures was read by OCR and may have errors.")
    if textless:
        pictures_show = "1 picture shows" if textless == 1 else f"{textless} pictures show"
        notes.append(f"{pictures_show} no text that can be read.")
    if waiting:
        done = len(pictures) - waiting
        notes.append(f"{LEFT_OUT}{done} of {len(pictures)} pictures were read: there was no time for the others.")
    return segments, notes


def beside(segments: list[Segment], shown: list[Segment]) -> list[Segment]:
    """The segments of a text and those of its pictures."""
    if not shown:
        return segments
    if [one.part for one in segments] == ["all"]:
        segments = [replace(segments[0], part="section (beginning)")] if segments[0].text.strip() else []
    return [*segments, *shown]


def _within(data: bytes, reader: Reader) -> Recognised:
    try:
        picture = opened(data)
    except Unreadable:
        return Recognised()
    return reader.read(picture) if min(picture.size) >= _LEAST_PIXELS else Recognised()


def opened(data: bytes) -> Any:
    """A picture, upright and at most `SIDE_PIXELS` wide and high.

    Raises:
        Unreadable: It is of another format, damaged or too large.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as picture:
            # A photograph is unpacked at about the size at which it is read.
            picture.draft("RGB", (SIDE_PIXELS, SIDE_PIXELS))
            if picture.width * picture.height > MAX_PIXELS:
                size = f"{picture.width:,} × {picture.height:,}"
                raise Unreadable(texts.english("refusals.large_picture", size=size))
            upright = ImageOps.exif_transpose(picture)
            upright.thumbnail((SIDE_PIXELS, SIDE_PIXELS))
            return _on_white(upright)
    except UnidentifiedImageError:
        raise Unreadable(texts.english("refusals.picture_format")) from None
    except (OSError, SyntaxError, ValueError, ArithmeticError, LookupError, TypeError, EOFError, MemoryError):
        raise Unreadable(texts.english("refusals.damaged_picture")) from None
    except Image.DecompressionBombError:
        raise Unreadable(texts.english("refusals.large_picture", size="")) from None


def _on_white(picture: Any) -> Any:
    """The picture in colours without transparency."""
    from PIL import Image

    if picture.mode in {"RGB", "L"}:
        return picture.convert("RGB")
    layer = picture.convert("RGBA")
    white = Image.new("RGB", layer.size, "white")
    white.paste(layer, mask=layer.getchannel("A"))
    return white


def _read(picture: Any) -> Recognised:
    import numpy as np

    darkest, brightest = picture.convert("L").getextrema()
    if brightest - darkest <= _BLANK_SPREAD:
        return Recognised()
    # The model takes the colours in the order of OpenCV.
    found = _model()(np.ascontiguousarray(np.asarray(picture)[:, :, ::-1]))
    if found.boxes is None or found.txts is None:
        return Recognised()
    width, height = picture.size
    pieces: list[_Piece] = []
    for corners, words in zip(found.boxes, found.txts, strict=True):
        across, down = [float(one[0]) / width for one in corners], [float(one[1]) / height for one in corners]
        box = tuple(round(min(max(one, 0.0), 1.0), 4) for one in (min(across), min(down), max(across), max(down)))
        pieces.append(_Piece(" ".join(words.split()), *box))
    return _arranged(_rows([piece for piece in pieces if any(map(str.isalnum, piece.words))]))


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words that stand together on a line, and the box around them."""

    words: str
    left: float
    top: float
    right: float
    bottom: float


def _rows(pieces: Sequence[_Piece]) -> Iterator[list[_Piece]]:
    """The pieces by row, as a table has them: each row from the left to the right."""
    row: list[_Piece] = []
    for piece in sorted(pieces, key=lambda one: one.top + one.bottom):
        if row:
            last = row[-1]
            least = min(piece.bottom - piece.top, last.bottom - last.top)
            if (piece.top + piece.bottom - last.top - last.bottom) / 2 > _SAME_ROW * least:
                yield sorted(row, key=lambda one: one.left)
                row = []
        row.append(piece)
    if row:
        yield sorted(row, key=lambda one: one.left)


def _arranged(rows: Iterator[list[_Piece]]) -> Recognised:
    text, lines = "", list[Line]()
    for row in rows:
        for number, piece in enumerate(row):
            text += "  " if number else ""
            lines.append(
                Line(len(text), len(text) + len(piece.words), piece.left, piece.top, piece.right, piece.bottom)
            )
            text += piece.words
        text += "\n"
    return Recognised(text, tuple(lines))


@cache
def _model() -> Any:
    """The model, on one core. Nothing is downloaded: the files lie in its package."""
    import cv2
    import rapidocr

    cv2.setNumThreads(1)
    finding, recognising = (str(Path(rapidocr.__file__).parent / "models" / name) for name in _MODELS)
    return rapidocr.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            "Det.model_path": finding,
            "Det.limit_type": "max",
            "Det.limit_side_len": _FINDING_PIXELS,
            "Rec.model_path": recognising,
            # Lines of different lengths in one batch take more time and memory than one after the other.
            "Rec.rec_batch_num": 1,
        }
    )
