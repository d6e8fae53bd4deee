"""Number formats, errors and hidden rows in workbooks of Excel 97 to 2003 (.xls), which calamine does not return.

The file is a compound file (MS-CFB). Its workbook stream consists of records as in MS-XLS, or as in Excel 5.
"""

import struct
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from leaf.documents import ole, sheet_extras
from leaf.documents.sheet_extras import SheetExtras

_BOF, _EOF, _BOUNDSHEET, _FORMAT, _XF, _ROW, _MULRK, _FILEPASS = 0x809, 0x0A, 0x85, 0x41E, 0xE0, 0x208, 0xBD, 0x2F
_FORMULA: Final = 0x06
_BLANK: Final = (3, b"\xff\xff")
"""The first byte and the last two bytes of a formula result that is an empty string."""
_BOOLERR: Final = 0x205
_ERRORS: Final = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!", 0x2A: "#N/A",
}  # fmt: skip
"""The errors of formulas by their codes."""
_ERROR: Final = (2, b"\xff\xff")
"""The same bytes of a formula result that is an error. The third byte is its code."""
_NUMBERS: Final = frozenset({0x203, 0x27E, _FORMULA})
"""Records with a number, a compressed number or a formula. They start with row, column and style, two bytes each."""
_FILLED: Final = frozenset({*_NUMBERS, _MULRK, 0xFD, 0x204, 0xD6, _BOOLERR})
"""Records of cells with a value, texts included."""
_HIDDEN: Final = 0x20
_EXCEL_97: Final = 0x600


def extras(data: bytes, unit_of: Callable[[str], str], percent: frozenset[int]) -> Mapping[str, SheetExtras]:
    """The extras of each sheet, by sheet name; empty if the workbook is encrypted.

    Args:
        data: The file.
        unit_of: Returns the unit that a number format shows, or an empty string.
        percent: The numbers of the built-in formats that show percentages.

    Raises:
        OSError: The compound file is damaged.
        struct.error: A record ends early.
    """
    with ole.opened(data) as file:
        stream = memoryview(file.openstream(next(filter(file.exists, ole.WORKBOOK), ole.WORKBOOK[0])).read())
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
    return sheet_extras.with_uncomputed({name: _sheet(stream, begin, units) for name, begin in sheets})


def _sheet(stream: memoryview, begin: int, units: dict[int, str]) -> SheetExtras:
    found = SheetExtras()
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
                if (record[6], bytes(record[12:14])) == _ERROR:
                    found.errors[row, column] = _ERRORS.get(record[8], "#ERROR!")
                found.has_results = True
        elif kind == _BOOLERR and record[7]:
            found.errors[row, column] = _ERRORS.get(record[6], "#ERROR!")
        for at, place in enumerate(_style_offsets(kind, record), column):
            if unit := units.get(struct.unpack_from("<H", record, place)[0]):
                marked[row].append((at, unit))
    found.units = sheet_extras.units_by_row(marked)
    found.hidden = [row + 1 for row in sorted(hidden & filled)]
    return found


def _style_offsets(kind: int, record: memoryview) -> range:
    """The offsets of the style numbers in a record, one for each of its cells."""
    if kind == _MULRK:
        # The record has several cells of a row, and ends with the number of the last column.
        return range(4, len(record) - 2, 6)
    return range(4, 5) if kind in _NUMBERS else range(0)


def _records(stream: memoryview, begin: int) -> Iterator[tuple[int, memoryview]]:
    """Kind and data of each record of the substream that starts at `begin`, without the records of embedded charts."""
    depth, at = 0, begin
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        record = stream[at + 4 : at + 4 + length]
        at += 4 + length
        # An embedded chart is a substream of its own: it begins deeper than the records of the sheet.
        depth += (kind == _BOF) - (kind == _EOF)
        if depth <= 1:
            yield kind, record
        if depth <= 0:
            return


def _text(record: memoryview, *, wide: bool, is_new: bool) -> str:
    """Decodes a string after its length prefix, which has two bytes if `wide` and one byte otherwise.

    In workbooks of Excel 97 and later, a flag byte after the prefix says whether characters have one or two bytes.
    """
    length = struct.unpack_from("<H" if wide else "<B", record)[0]
    rest = record[2 if wide else 1 :]
    if not is_new:
        return bytes(rest[:length]).decode("cp1252", "replace")
    has_two = bool(rest) and bool(rest[0] & 1)
    size = 2 * length if has_two else length
    return bytes(rest[1 : 1 + size]).decode("utf-16-le" if has_two else "latin-1", "replace")
