"""Reads documents of Word 97 to 2003 (.doc): their text without deleted and hidden characters.

The file is a compound file with the streams of MS-DOC. Its text lies in pieces, which the table stream lists. Headings
are not recognised, and pictures are not read.
"""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from leaf import texts
from leaf.documents import ole
from leaf.documents.model import NoText, Segment, Unreadable
from leaf.documents.office import BROKEN
from leaf.documents.text import segments_by_lines

_IDENT: Final = 0xA5EC
_FLAGS, _PIECES, _RUNS = 0x0A, 0x1A2, 0xFA
"""Offsets in the header (FIB). Each of the last two leads to an offset in the table stream and a length."""
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
_EIGHT_BIT: Final = 1 << 30
"""The bit in the offset of a piece whose characters have one byte (Windows-1252) instead of two (UTF-16)."""
_PAGE: Final = 512
_DELETED, _HIDDEN = 0x0800, 0x083C
"""Properties of characters."""
_OPERAND_BYTES: Final = (1, 1, 2, 4, 2, 2, 0, 3)
"""The size of a property's operand, by the highest three bits of its number; 0 if the operand begins with its size."""
_FIELD: Final = re.compile(r"\x13[^\x13-\x15]*(?:\x14([^\x13-\x15]*))?\x15")
"""A field such as a link: its instruction and its result."""
_DEEPEST: Final = 5
"""The maximum depth of fields in fields."""
_SIGNS: Final = str.maketrans({
    "\r": "\n", "\x0b": "\n", "\x0c": "\n", "\x07": "|", "\x1e": "-", "\x1f": None, "\x01": None, "\x02": None,
    "\x05": None, "\x08": None, "\x13": None, "\x14": None, "\x15": None,
})  # fmt: skip


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """The text by lines, with footnotes, headers and comments after it. Cells of tables are separated by `|`.

    Raises:
        Unreadable: It is damaged, encrypted, older than Word 97, or without text.
    """
    try:
        text = _text(data)
    except BROKEN:
        raise Unreadable(texts.english("refusals.damaged_word")) from None
    for _ in range(_DEEPEST):
        text = _FIELD.sub(lambda field: field[1] or "", text)
    text = text.replace("\x07\x07", "|\n").translate(_SIGNS).strip()
    if not text:
        raise NoText(texts.english("refusals.no_text_word"))
    return segments_by_lines(text + "\n"), []


def _text(data: bytes) -> str:
    with ole.opened(data) as file:
        header: bytes = file.openstream(ole.WORD).read()
        ident, flags = struct.unpack_from("<H", header)[0], struct.unpack_from("<H", header, _FLAGS)[0]
        if ident != _IDENT:
            raise Unreadable(texts.english("refusals.old_format", format=".doc"))
        if flags & _ENCRYPTED:
            raise Unreadable(texts.english("refusals.encrypted_office"))
        table: bytes = file.openstream("1Table" if flags & _SECOND_TABLE else "0Table").read()
    pieces = [*_pieces(_listed(header, table, _PIECES))]
    if sum(end - begin for begin, end, _ in pieces) > len(header):
        # Pieces do not overlap. If they did, a small file could have a text of any length.
        raise ValueError("overlapping pieces")
    left_out = _merged(sorted(_left_out(header, table)))
    return "".join(
        header[begin:end].decode("cp1252" if is_narrow else "utf-16-le", "replace")
        for first, last, is_narrow in pieces
        for begin, end in _without(first, last, left_out)
    )


def _listed(header: bytes, table: bytes, at: int) -> bytes:
    begin, length = struct.unpack_from("<II", header, at)
    return table[begin : begin + length]


def _pieces(listed: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yields the beginning and the end of each piece in the document's stream, and whether a character has one byte."""
    at = 0
    while listed[at] == 1:
        at += 3 + struct.unpack_from("<H", listed, at + 1)[0]
    length = struct.unpack_from("<I", listed, at + 1)[0]
    count = (length - 4) // 12
    positions = struct.unpack_from(f"<{count + 1}I", listed, at + 5)
    for number in range(count):
        place = struct.unpack_from("<I", listed, at + 5 + 4 * (count + 1) + 8 * number + 2)[0]
        is_narrow = bool(place & _EIGHT_BIT)
        characters = max(0, positions[number + 1] - positions[number])
        begin = (place & ~_EIGHT_BIT) // (2 if is_narrow else 1)
        yield begin, begin + characters * (1 if is_narrow else 2), is_narrow


def _left_out(header: bytes, table: bytes) -> Iterator[tuple[int, int]]:
    """Yields the beginning and the end of each run of deleted or hidden characters."""
    listed = _listed(header, table, _RUNS)
    count = (len(listed) - 4) // 8
    for number in struct.unpack_from(f"<{max(0, count)}I", listed, 4 * (count + 1)):
        page = header[number * _PAGE : (number + 1) * _PAGE]
        runs = page[-1] if len(page) == _PAGE else 0
        places = struct.unpack_from(f"<{runs + 1}I", page) if runs else ()
        for run in range(runs):
            at = 2 * page[4 * (runs + 1) + run]
            if at and _is_left_out(page[at + 1 : at + 1 + page[at]]):
                yield places[run], places[run + 1]


def _is_left_out(properties: bytes) -> bool:
    at = 0
    while at + 2 < len(properties):
        number = struct.unpack_from("<H", properties, at)[0]
        if number in {_DELETED, _HIDDEN} and properties[at + 2]:
            return True
        at += 2 + (_OPERAND_BYTES[number >> 13] or 1 + properties[at + 2])
    return False


def _merged(runs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted runs, with overlapping ones joined."""
    found: list[tuple[int, int]] = []
    for begin, end in runs:
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        elif begin < end:
            found.append((begin, end))
    return found


def _without(begin: int, end: int, left_out: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yields the stretches of a piece that are not left out."""
    at = bisect_right(left_out, begin, key=lambda run: run[1])
    while at < len(left_out) and left_out[at][0] < end:
        first, last = left_out[at]
        if first > begin:
            yield begin, first
        begin = last
        at += 1
    if begin < end:
        yield begin, end
