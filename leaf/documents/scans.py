"""Recognises text in pictures with a model (OCR) on one CPU core, and keeps the position of each line.

`pdf` passes scanned pages, `within` reads pictures in office files and mails, `read` reads uploaded pictures.
The model is part of its package and is loaded at the first picture of a process. A picture with more than `MAX_PIXELS`
is refused before it is decoded.
"""

import hashlib
import io
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from leaf import texts
from leaf.documents.model import Line, NoText, Segment, Unreadable, left_out

MAX_PIXELS = 50_000_000
SIDE_PIXELS = 2_000
"""Maximum length of the longer side of a picture for OCR, in pixels: an A4 page at 170 dots per inch."""
FORMATS = ("PNG", "JPEG", "WEBP")
SECONDS = 25.0
"""Default time for all pictures of one file. All times are seconds of CPU, so that a busy machine reads as much as an
idle one."""
_FINDING_PIXELS = 1_120
"""Maximum length of the longer side when lines are located, in pixels. The memory use of about 500 MB depends on it."""
_LEAST_PIXELS = 24
"""Minimum width and height of a picture within a file, in pixels. Smaller ones are icons and rules."""
_BLANK_SPREAD = 8
"""Maximum difference in brightness, from 0 to 255, on an empty page."""
_LEAST_SCORE = 0.5
"""Minimum confidence for a line of text. Below it, the line is taken for a drawing."""
_SAME_ROW = 0.5
"""Maximum vertical distance of two pieces in the same row, as a multiple of the line height."""
_GLUED = re.compile(
    r"(?<![^\s(.!?])[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]{2,20}"
    r"(?=(?:\d{2,9}|\d[.,]\d{3})(?:[.,]\d{1,3})?[.,;:!?)%€$£]{0,3}(?:\s|\Z))"
    r"|[a-zß-öø-ÿ]{2}[.!?](?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]{0,30}(?:[\s,;:\d]|\Z))"
)
"""Text after which the model sometimes leaves out a space. Addresses do not match."""
_MODELS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")


@dataclass(frozen=True, slots=True)
class Recognised:
    """The text of a picture, and its lines with their positions."""

    text: str = ""
    lines: tuple[Line, ...] = ()
    is_whole: bool = True
    """False if lines are missing because there was no time."""


@dataclass
class Reader:
    """Reads the pictures of one file until its time is used up.

    Attributes:
        seconds: CPU time for all pictures of the file, in seconds.
    """

    seconds: float = SECONDS
    _began: float = field(default_factory=time.process_time)
    _longest: float = 0.0

    @property
    def has_time(self) -> bool:
        """Whether the time left is longer than the slowest picture took."""
        return time.process_time() - self._began + self._longest < self.seconds

    def read(self, picture: Any) -> Recognised:
        """The text of a Pillow image, from top to bottom."""
        began = time.process_time()
        try:
            return _read(picture, self._began + self.seconds)
        finally:
            self._longest = max(self._longest, time.process_time() - began)


def read(data: bytes, reader: Reader) -> tuple[list[Segment], list[str]]:
    """The text of a PNG, JPEG or WebP picture, and notes.

    Raises:
        Unreadable: It is of another format, damaged or too large, or shows no text.
    """
    found = reader.read(opened(data))
    if not found.text:
        raise NoText(texts.english("refusals.no_text_picture"))
    notes: list[str] = [] if found.is_whole else [left_out("notes.lower_picture")]
    return [Segment("picture 1", None, found.text, lines=found.lines)], notes


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture within a file."""

    data: bytes
    title: str | None = None
    """The part of the file that shows the picture."""


def within(pictures: Sequence[Picture], reader: Reader) -> tuple[list[Segment], list[str]]:
    """The texts of the pictures in a file, named `picture 1` and so on, and notes.

    A picture that occurs several times is read once. The notes count pictures without text, and those not read in time.
    """
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
        # Repetitions count too, such as a logo on each slide.
        textless += not known[digest].lines
    notes: list[str] = []
    if in_part := [number for number, found in enumerate(known.values(), 1) if not found.is_whole]:
        notes.append(left_out("notes.lower_pictures", number=len(in_part)))
    if segments:
        notes.append(texts.english("notes.pictures_recognised"))
    if textless:
        notes.append(texts.english("notes.pictures_textless", count=textless))
    if waiting:
        notes.append(left_out("notes.pictures_read", done=len(pictures) - waiting, most=len(pictures)))
    return segments, notes


def with_pictures(segments: list[Segment], shown: list[Segment]) -> list[Segment]:
    """The segments of a text, followed by those of its pictures."""
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
    """Opens a picture, turns it upright, and shrinks it to at most `SIDE_PIXELS` in width and height.

    Raises:
        Unreadable: It is of another format, damaged or too large.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    # Pillow's own limit counts pixels before `draft` reduces a photograph, so `MAX_PIXELS` replaces it.
    Image.MAX_IMAGE_PIXELS = None
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as picture:
            # Lets a JPEG be decoded at about the size that is needed.
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


def _on_white(picture: Any) -> Any:
    """The picture in RGB, with transparent areas on white."""
    from PIL import Image

    if picture.mode in {"RGB", "L"}:
        return picture.convert("RGB")
    layer = picture.convert("RGBA")
    white = Image.new("RGB", layer.size, "white")
    white.paste(layer, mask=layer.getchannel("A"))
    return white


def _read(picture: Any, until: float) -> Recognised:
    """The text of a picture, as far as time allows; `until` is a value of `time.process_time`."""
    import numpy as np
    from rapidocr.main import RapidOCRError
    from rapidocr.utils.process_img import map_boxes_to_original

    darkest, brightest = picture.convert("L").getextrema()
    if brightest - darkest <= _BLANK_SPREAD:
        return Recognised()
    model = _model()
    width, height = picture.size
    # The model expects colours in OpenCV's order (BGR). It records in `changes` how it resizes the picture.
    pixels, changes = model.preprocess_img(np.ascontiguousarray(np.asarray(picture)[:, :, ::-1]))
    pieces: list[_Piece] = []
    is_whole = True
    try:
        crops, found = model.detect_and_crop(pixels, changes)
        for crop, corners in zip(crops, map_boxes_to_original(found.boxes, changes, height, width), strict=True):
            if time.process_time() > until:
                is_whole = False
                break
            recognised = model.recognize_txt([crop])
            words = spaced(" ".join(recognised.txts[0].split()))
            if recognised.scores[0] >= _LEAST_SCORE and any(map(str.isalnum, words)):
                pieces.append(_Piece(words, *_box(corners, width, height)))
    except RapidOCRError:  # No lines were found.
        return Recognised()
    return _arranged(_rows(pieces), is_whole=is_whole)


def spaced(words: str) -> str:
    """A line with the spaces added that the model leaves out between a word and a number, and between two sentences."""
    return _GLUED.sub(r"\g<0> ", words)


def _box(corners: Any, width: int, height: int) -> tuple[float, float, float, float]:
    across, down = [float(one[0]) / width for one in corners], [float(one[1]) / height for one in corners]
    left, top, right, bottom = (
        round(min(max(one, 0.0), 1.0), 4) for one in (min(across), min(down), max(across), max(down))
    )
    return left, top, right, bottom


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words that stand together on a line, with their bounding box. Coordinates run from 0 to 1."""

    words: str
    left: float
    top: float
    right: float
    bottom: float


def _rows(pieces: Sequence[_Piece]) -> Iterator[list[_Piece]]:
    """The pieces grouped into rows, each row sorted from left to right."""
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


def _arranged(rows: Iterator[list[_Piece]], *, is_whole: bool) -> Recognised:
    text, lines = "", list[Line]()
    for row in rows:
        for number, piece in enumerate(row):
            text += "  " if number else ""
            lines.append(
                Line(len(text), len(text) + len(piece.words), piece.left, piece.top, piece.right, piece.bottom)
            )
            text += piece.words
        text += "\n"
    return Recognised(text, tuple(lines), is_whole)


@cache
def _model() -> Any:
    """The model, limited to one CPU core. Its files are part of the package, so nothing is downloaded."""
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
        }
    )
