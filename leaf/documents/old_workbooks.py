"""Number formats and hidden rows of the sheets in a workbook of Excel 97 to 2003 (.xls), which calamine leaves out.

The container is that of MS-CFB, the stream of records in it that of MS-XLS, or of Excel 5.
"""

import struct
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from leaf.documents import sheet_marks
from leaf.documents.sheet_marks import Marks

_HEADER: Final = 512
_LISTED: Final = 109
"""Sectors of the allocation table that the header names."""
_END: Final = 0xFFFFFFF8
"""The first number that is none of a sector."""
_ENTRY: Final = 128
_BOF, _EOF, _BOUNDSHEET, _FORMAT, _XF, _ROW, _MULRK, _FILEPASS = 0x809, 0x0A, 0x85, 0x41E, 0xE0, 0x208, 0xBD, 0x2F
_FORMULA: Final = 0x06
_BLANK: Final = (3, b"\xff\xff")
"""The first byte, and the last two, of a result that is an empty text."""
_NUMBERS: Final = frozenset({0x203, 0x27E, _FORMULA})
"""Records of a number, a compressed number, and a formula: row, column and style are their first words."""
_FILLED: Final = frozenset({*_NUMBERS, _MULRK, 0xFD, 0x204, 0xD6})
"""Records of cells with a value, texts among them."""
_HIDDEN: Final = 0x20
_EXCEL_97: Final = 0x600


def marks(data: bytes, unit_of: Callable[[str], str], percent: frozenset[int]) -> Mapping[str, Marks]:
    """The marks of each sheet, by its name; none of an encrypted workbook.

    Args:
        data: The file.
        unit_of: Gives the unit that a number format shows; empty for none.
        percent: The numbers of the built-in formats that show percentages.

    Raises:
        struct.error: The file ends early.
    """
    stream = _stream(data)
    sheets: list[tuple[str, int]] = []
    formats: dict[int, str] = dict.fromkeys(percent, "%")
    styles: list[int] = []
    is_new = False
    for kind, record in _records(stream, 0):
        if kind == _FILEPASS:
            return {}
        if kind == _BOF:
            is_new = struct.unpack_from("<H", record)[0] >= _EXCEL_97
        elif kind == _FORMAT:
            formats[struct.unpack_from("<H", record)[0]] = unit_of(_text(record[2:], wide=is_new, is_new=is_new))
        elif kind == _XF:
            styles.append(struct.unpack_from("<H", record, 2)[0])
        elif kind == _BOUNDSHEET:
            begin = struct.unpack_from("<I", record)[0]
            sheets.append((_text(record[6:], wide=False, is_new=is_new), begin))
    units = {number: unit for number, style in enumerate(styles) if (unit := formats.get(style, ""))}
    return sheet_marks.without_results({name: _sheet(stream, begin, units) for name, begin in sheets})


def _sheet(stream: memoryview, begin: int, units: dict[int, str]) -> Marks:
    found = Marks()
    marked: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    filled: set[int] = set()
    hidden: set[int] = set()
    for kind, record in _records(stream, begin):
        if kind == _ROW and struct.unpack_from("<I", record, 12)[0] & _HIDDEN:
            hidden.add(struct.unpack_from("<H", record)[0])
        if kind not in _FILLED:
            continue
        row, column = struct.unpack_from("<HH", record)
        filled.add(row)
        if kind == _FORMULA:
            if (record[6], bytes(record[12:14])) == _BLANK:
                found.zeros[row, column] = "=…"
            else:
                found.has_results = True
        # Several numbers of a row have a style each, and the number of the last column behind them.
        places = range(4, len(record) - 2, 6) if kind == _MULRK else [4] if kind in _NUMBERS else []
        for at, place in enumerate(places, column):
            if unit := units.get(struct.unpack_from("<H", record, place)[0]):
                marked[row].append((at, unit))
    found.units = sheet_marks.of_rows(marked)
    found.hidden = [row + 1 for row in sorted(hidden & filled)]
    return found


def _records(stream: memoryview, begin: int) -> Iterator[tuple[int, memoryview]]:
    """The records of a part of the stream, of which each tells its kind and length; charts within it are left out."""
    depth, at = 0, begin
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        record = stream[at + 4 : at + 4 + length]
        at += 4 + length
        depth += (kind == _BOF) - (kind == _EOF)
        if depth <= 1:
            yield kind, record
        if depth <= 0:
            return


def _text(record: memoryview, *, wide: bool, is_new: bool) -> str:
    """A text behind its length, which has two bytes if it is wide; in new files behind the size of its letters."""
    length = struct.unpack_from("<H" if wide else "<B", record)[0]
    rest = record[2 if wide else 1 :]
    if not is_new:
        return bytes(rest[:length]).decode("cp1252", "replace")
    has_two = bool(rest) and bool(rest[0] & 1)
    size = 2 * length if has_two else length
    return bytes(rest[1 : 1 + size]).decode("utf-16-le" if has_two else "latin-1", "replace")


def _stream(data: bytes) -> memoryview:
    """The stream with the workbook; empty if there is none."""
    size = 1 << struct.unpack_from("<H", data, 0x1E)[0]
    small_size = 1 << struct.unpack_from("<H", data, 0x20)[0]
    first_entry, _, least, first_small, _, further = struct.unpack_from("<6I", data, 0x30)
    listed = [*struct.unpack_from(f"<{_LISTED}I", data, 0x4C)]
    view, whole = memoryview(data), len(data) // size
    while further < _END and len(listed) <= whole + _LISTED:
        more = struct.unpack_from(f"<{size // 4}I", data, _HEADER + further * size)
        listed += more[:-1]
        further = more[-1]
    table: list[int] = []
    for sector in [one for one in listed if one < _END][:whole]:
        table += struct.unpack_from(f"<{size // 4}I", data, _HEADER + sector * size)
    entries = _chain(view[_HEADER:], first_entry, table, size)
    root = b""
    for at in range(0, len(entries) - _ENTRY + 1, _ENTRY):
        entry = entries[at : at + _ENTRY]
        name = entry[: max(0, struct.unpack_from("<H", entry, 64)[0] - 2)].decode("utf-16-le", "replace")
        root = root or entry
        if name in {"Workbook", "Book"}:
            first, length = struct.unpack_from("<II", entry, 116)
            if length >= least:
                return memoryview(_chain(view[_HEADER:], first, table, size))[:length]
            smalls = _chain(view[_HEADER:], first_small, table, size)
            small_table = struct.unpack(f"<{len(smalls) // 4}I", smalls)
            held = _chain(view[_HEADER:], struct.unpack_from("<I", root, 116)[0], table, size)
            return memoryview(_chain(memoryview(held), first, small_table, small_size))[:length]
    return memoryview(b"")


def _chain(held: memoryview, first: int, table: "list[int] | tuple[int, ...]", size: int) -> bytes:
    """The bytes of sectors that follow one another as the table says; none twice."""
    sectors: dict[int, None] = {}
    while first < len(table) and first not in sectors:
        sectors[first] = None
        first = table[first]
    return b"".join(held[one * size : (one + 1) * size] for one in sectors)
