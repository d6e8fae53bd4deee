"""The wire format between Leaf and its parsers: blocks of bytes, each after an 8-byte length prefix."""

import struct
from typing import IO

_LENGTH = struct.Struct(">Q")


def send(pipe: IO[bytes], *blocks: bytes) -> None:
    """Writes blocks to a pipe.

    Raises:
        OSError: The other side has closed the pipe.
    """
    for block in blocks:
        pipe.write(_LENGTH.pack(len(block)))
        pipe.write(block)
    pipe.flush()


def receive(pipe: IO[bytes], count: int) -> list[bytes]:
    """Reads `count` blocks from a pipe.

    Raises:
        EOFError: The pipe ended before all blocks arrived.
    """
    blocks: list[bytes] = []
    for _ in range(count):
        head = pipe.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            raise EOFError
        (length,) = _LENGTH.unpack(head)
        block = pipe.read(length)
        if len(block) < length:
            raise EOFError
        blocks.append(block)
    return blocks
