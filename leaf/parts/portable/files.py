"""Splits an import file into the JSON of its chats, one at a time. Pure; may use a CPU core for a while.

A file is a zip archive (an account export of Leaf or ChatGPT), a list of chats, or a single chat. Length and depth are
checked before anything is parsed, so no file takes more memory than its largest permitted chat.
"""

import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

from leaf.parts.plain import plain_json

FILE_BYTES: Final = 50_000_000
UNPACKED_BYTES: Final = 1024 * 1024 * 1024
CHAT_BYTES: Final = 20 * 1024 * 1024
MOST_CHATS: Final = 10_000
DEPTH: Final = 100
_MOST_FILES: Final = 300_000
_PIECE: Final = 1 << 16
_WANTED: Final = re.compile(r"(?:.*/)?(?:conversations(?:-\d{1,5})?|conversation)\.json", re.DOTALL)
_OUTSIDE: Final = re.compile(rb'["{}\[\]]')
_INSIDE: Final = re.compile(rb'["\\]')
_BLANKS: Final = b" \t\r\n"


class Refused(Exception):
    """A file, or a chat in it, is not accepted; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def entries(data: bytes) -> Iterator[Any]:
    """Yields the chats of a file as JSON values, and a `Refused` in place of a chat that is too large or broken.

    Raises:
        Refused: The file is not supported, or it is found to be damaged or incomplete at this point.
    """
    for text in _texts(data):
        yield text if isinstance(text, Refused) else _value(text)


def count(data: bytes) -> int:
    """The number of chats in a file, including unreadable ones.

    Raises:
        Refused: As in `entries`; or the file has no chat, or too many.
    """
    found = 0
    for _ in _texts(data):
        found += 1
        if found > MOST_CHATS:
            raise Refused("too_many")
    if not found:
        raise Refused("empty")
    return found


def _texts(data: bytes) -> Iterator[bytes | Refused]:
    if data[:2] == b"PK":
        yield from _unzipped(data)
    else:
        yield from _cut(data[start : start + _PIECE] for start in range(0, len(data), _PIECE))


def _unzipped(data: bytes) -> Iterator[bytes | Refused]:
    budget = UNPACKED_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            if len(infos) > _MOST_FILES:
                raise Refused("file_too_large")
            wanted = sorted((one for one in infos if _WANTED.fullmatch(one.filename)), key=lambda one: one.filename)
            for info in wanted:
                budget -= info.file_size
                if budget < 0:
                    raise Refused("file_too_large")
                with archive.open(info) as file:
                    yield from _cut(_limited(file, info.file_size))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        # This includes archives with a password and rare compression methods.
        raise Refused("damaged_zip") from error


def _limited(file: Any, size: int) -> Iterator[bytes]:
    """The content of a file in an archive, up to its stated size.

    Raises:
        Refused: The file is larger than it states.
    """
    while piece := file.read(_PIECE):
        size -= len(piece)
        if size < 0:
            raise Refused("file_too_large")
        yield piece


def _cut(pieces: Iterable[bytes]) -> Iterator[bytes | Refused]:
    """Yields the objects in a JSON text: the items of its list, or the only object."""
    cutter = _Cutter()
    for piece in pieces:
        yield from cutter.take(piece)
    cutter.end()


class _Cutter:
    """Finds where JSON objects begin and end. It looks only at brackets and strings."""

    def __init__(self) -> None:
        self._depth = 0
        """The number of open brackets, including that of the list."""
        self._object_depth: int | None = None
        """The depth at which objects begin: 1 in a list, 0 for a single object."""
        self._in_string = False
        self._in_escape = False
        """Whether the last piece ended with a backslash within a string, so that the next character is skipped."""
        self._is_complete = False
        """Whether the last bracket was closed."""
        self._in_object = False
        self._object = bytearray()
        """The text of the current object so far; empty if it has a problem."""
        self._problem = ""

    def take(self, piece: bytes) -> Iterator[bytes | Refused]:
        """Yields the objects that end within this piece."""
        if self._object_depth is None:
            piece = self._begin(piece)
        at, start = int(self._in_escape), 0
        self._in_escape = self._in_escape and not piece
        while True:
            found = (_INSIDE if self._in_string else _OUTSIDE).search(piece, at)
            if found is None:
                break
            sign, at = found.group(), found.end()
            if sign == b"\\":
                self._in_escape = at >= len(piece)
                at += not self._in_escape
            elif self._in_string:
                self._in_string = False
            elif sign == b'"':
                self._in_string = True
                self._require_object()
            elif sign in b"[{":
                start = self._open(sign, piece, found.start(), start)
            elif self._close(sign):
                self._keep(piece[start:at])
                yield self._finished_object()
                start = at
        self._keep(piece[start:])

    def _begin(self, piece: bytes) -> bytes:
        piece = piece.removeprefix(b"\xef\xbb\xbf").lstrip(_BLANKS)
        if piece[:1] not in {b"", b"[", b"{"}:
            raise Refused("not_json")
        if piece:
            self._object_depth = 1 if piece[:1] == b"[" else 0
        return piece

    def end(self) -> None:
        """Checks that the text is complete.

        Raises:
            Refused: The text is empty or ends too early.
        """
        if self._object_depth is None:
            raise Refused("not_json")
        if not self._is_complete:
            raise Refused("broken_off")

    def _require_object(self) -> None:
        if not self._in_object:
            raise Refused("not_json")

    def _open(self, sign: bytes, piece: bytes, place: int, start: int) -> int:
        if self._is_complete:
            raise Refused("not_json")
        if self._depth == self._object_depth:
            between = piece[start:place].strip(_BLANKS + b",") if self._object_depth else b""
            if sign != b"{" or between:
                raise Refused("not_json")
            self._in_object, start = True, place
        elif not self._in_object and self._depth:
            raise Refused("not_json")
        elif not self._depth:
            start = place + 1  # the list itself
        self._depth += 1
        if self._depth > DEPTH:
            self._problem = self._problem or "too_deep"
        return start

    def _close(self, sign: bytes) -> bool:
        """Closes a bracket, and returns whether an object ends with it."""
        self._depth -= 1
        if self._depth < 0 or self._is_complete:
            raise Refused("not_json")
        self._is_complete = self._depth == 0
        return self._in_object and self._depth == self._object_depth and sign == b"}"

    def _keep(self, piece: bytes) -> None:
        if not self._in_object or self._problem:
            self._object.clear()
        elif len(self._object) + len(piece) > CHAT_BYTES:
            self._problem = "chat_too_large"
            self._object.clear()
        else:
            self._object += piece

    def _finished_object(self) -> bytes | Refused:
        taken: bytes | Refused = Refused(self._problem) if self._problem else bytes(self._object)
        self._object.clear()
        self._problem, self._in_object = "", False
        return taken


def _value(text: bytes) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Refused("damaged")
    # Only an escape sequence can encode characters that the database cannot store.
    return plain_json(value) if b"\\u" in text else value
