"""Writes messages as Outlook saves them (msg): a compound file (MS-CFB) with the properties of MS-OXMSG."""

import itertools
import struct
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

_FREE, _END, _FAT, _NONE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
_SECTOR, _SMALL, _CUTOFF = 512, 64, 4096
_FILETIME_OF_1970: Final = 116_444_736_000_000_000
Tree: TypeAlias = Mapping[str, "bytes | Tree"]


def message(
    subject: str, body: str, sender: tuple[str, str], recipients: Sequence[tuple[str, str]], attached: Sequence[str],
    *, html: str = "", sent_at: int = 0,
) -> bytes:  # fmt: skip
    """A message.

    Args:
        subject: Its subject.
        body: Its plain text; empty for none.
        sender: The name and the address of the sender.
        recipients: Names and addresses.
        attached: The names of the attachments, whose contents are a single byte.
        html: Its HTML; empty for none.
        sent_at: The Unix time at which it was sent; 0 for a draft.
    """
    texts = {0x0037: subject, 0x0C1A: sender[0], 0x0C1F: sender[1], 0x1000: body, 0x001A: "IPM.Note"}
    counts = (len(recipients), len(attached))
    head = struct.pack("<8x4I8x", *counts, *counts)
    root = _properties(head, texts, {0x1013: html.encode()} if html else {}, {0x0039: sent_at} if sent_at else {})
    for number, (name, address) in enumerate(recipients):
        root[f"__recip_version1.0_#{number:08X}"] = _properties(bytes(8), {0x3001: name, 0x39FE: address}, {}, {})
    for number, name in enumerate(attached):
        root[f"__attach_version1.0_#{number:08X}"] = _properties(bytes(8), {0x3707: name}, {0x3701: b"x"}, {})
    return compound(root)


def _properties(
    head: bytes, texts: Mapping[int, str], data: Mapping[int, bytes], times: Mapping[int, int]
) -> dict[str, "bytes | Tree"]:
    found: dict[str, bytes | Tree] = {}
    entries = [head]
    values = [(number, 0x1F, text.encode("utf-16-le")) for number, text in texts.items() if text]
    for number, kind, value in [*values, (0x3FDE, 3, b""), *((one, 0x102, held) for one, held in data.items())]:
        if kind == 3:
            entries.append(struct.pack("<HHIII", kind, number, 6, 65001, 0))
            continue
        found[f"__substg1.0_{number:04X}{kind:04X}"] = value
        entries.append(struct.pack("<HHIII", kind, number, 6, len(value) + (2 if kind == 0x1F else 0), 0))
    entries += [
        struct.pack("<HHIQ", 0x40, number, 6, seconds * 10_000_000 + _FILETIME_OF_1970)
        for number, seconds in times.items()
    ]
    return {"__properties_version1.0": b"".join(entries), **found}


def compound(tree: Tree) -> bytes:
    """A compound file of version 3 with one sector of the allocation table, so of at most 64 kB."""
    sectors: list[bytes] = []
    chains: list[int] = []
    small = bytearray()
    small_chains: list[int] = []
    directory: list[list[int | str | bytes]] = []

    def store(data: bytes) -> int:
        pieces = [data[at : at + _SECTOR].ljust(_SECTOR, b"\0") for at in range(0, len(data), _SECTOR)]
        first = len(sectors)
        sectors.extend(pieces)
        chains.extend([*range(first + 1, first + len(pieces)), _END] if pieces else [])
        return first if pieces else _END

    def store_small(data: bytes) -> int:
        count = -(-len(data) // _SMALL)
        first = len(small_chains)
        small.extend(data.ljust(count * _SMALL, b"\0"))
        small_chains.extend([*range(first + 1, first + count), _END] if count else [])
        return first if count else _END

    def add(name: str, given: "bytes | Tree") -> int:
        place = len(directory)
        directory.append([])
        if isinstance(given, bytes):
            start = store_small(given) if len(given) < _CUTOFF else store(given)
            directory[place] = [name, 2, _NONE, _NONE, start, len(given)]
            return place
        kids = [add(one, held) for one, held in given.items()]
        for kid, following in itertools.pairwise(kids):
            directory[kid][2] = following
        directory[place] = [name, 5 if not place else 1, _NONE, kids[0] if kids else _NONE, 0, 0]
        return place

    add("Root Entry", tree)
    directory[0][4], directory[0][5] = store(bytes(small)), len(small)
    tables = b"".join(struct.pack("<I", one) for one in small_chains)
    first_small = store(tables.ljust(-(-len(tables) // _SECTOR) * _SECTOR, b"\xff"))
    written = b"".join(_entry(*one) for one in directory)  # pyright: ignore[reportArgumentType]
    first_directory = store(written.ljust(-(-len(written) // _SECTOR) * _SECTOR, b"\0"))
    allocation = [*chains, _FAT]
    assert len(allocation) <= _SECTOR // 4
    table = struct.pack(f"<{_SECTOR // 4}I", *allocation, *[_FREE] * (_SECTOR // 4 - len(allocation)))
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, first_directory, 0, _CUTOFF,
        first_small, -(-len(tables) // _SECTOR), _END, 0, len(sectors),
    )  # fmt: skip
    return header.ljust(_SECTOR, b"\xff") + b"".join(sectors) + table


def _entry(name: str, kind: int, right: int, child: int, start: int, size: int) -> bytes:
    encoded = name.encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16xI8x8xIQ",
        encoded, len(encoded) + 2, kind, 1, _NONE, right, child, 0, start, size,
    )  # fmt: skip
