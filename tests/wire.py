"""A socket between Leaf and PostgreSQL that counts, for each process, what goes over it.

The numbers are exact: they depend neither on the load of the machine nor on what a library says that it sends.
"""

import asyncio
import socket
import struct
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self


@dataclass
class Traffic:
    """What one process has exchanged with the database."""

    round_trips: int = 0
    transactions: int = 0

    def __sub__(self, earlier: "Traffic") -> "Traffic":
        return Traffic(self.round_trips - earlier.round_trips, self.transactions - earlier.transactions)


class Wire:
    """Passes on the connections that come to a socket in a folder of its own; `async with` opens and closes it.

    Args:
        server: PostgreSQL's own socket.
        folder: The folder in which PostgreSQL's clients look for the socket.
    """

    def __init__(self, server: Path, folder: Path) -> None:
        self._server, self._folder = server, folder
        self._traffic: defaultdict[int, Traffic] = defaultdict(Traffic)
        self._passing: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Server

    async def __aenter__(self) -> Self:
        path = self._folder / ".s.PGSQL.5432"
        self._listener = await asyncio.start_unix_server(self._connected, path)
        path.chmod(0o777)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        for task in self._passing:
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)

    def of(self, pid: int) -> Traffic:
        """The traffic of a process until now."""
        return replace(self._traffic[pid])

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        traffic = self._traffic[struct.unpack("3i", peer)[0]]
        answers, requests = await asyncio.open_unix_connection(self._server)
        for work in (_pass(reader, requests, None), _pass(answers, writer, _Reader(traffic))):
            task = asyncio.create_task(work)
            self._passing.add(task)
            task.add_done_callback(self._passing.discard)


class _Reader:
    """Reads the server's messages: each one has a letter, and its length in four bytes."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic, self._rest, self._begun = traffic, b"", False

    def read(self, data: bytes) -> None:
        """Counts what the data ends: `ReadyForQuery` a round trip, `COMMIT` and `ROLLBACK` a transaction."""
        data, at = self._rest + data, 0
        while len(data) >= at + 5 and len(data) > (end := at + int.from_bytes(data[at + 1 : at + 5])):
            if data[at : at + 1] == b"Z":
                self._traffic.round_trips += self._begun
                self._begun = True
            elif data[at : end + 1] in {b"C\0\0\0\x0bCOMMIT\0", b"C\0\0\0\rROLLBACK\0"}:
                self._traffic.transactions += 1
            at = end + 1
        self._rest = data[at:]


async def _pass(source: asyncio.StreamReader, target: asyncio.StreamWriter, reader: _Reader | None) -> None:
    try:
        while data := await source.read(65536):
            # Counted before it is passed on: whoever has the answer finds it counted.
            if reader is not None:
                reader.read(data)
            target.write(data)
            await target.drain()
    except ConnectionError:
        pass
    finally:
        target.close()
