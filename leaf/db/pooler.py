"""Poolers between Leaf and PostgreSQL, such as PgBouncer, which lend a server's connection for one transaction each.

Leaf keeps nothing on a connection beyond a transaction but prepared statements. PgBouncer 1.21 and later know these
(`max_prepared_statements`) and prepare them wherever a transaction goes; behind any other pooler they are not used.
"""

import logging
from typing import Any

import psycopg
from psycopg import sql
from psycopg.errors import DuplicatePreparedStatement

log = logging.getLogger(__name__)

# `PGBOUNCER_n` are the names that PgBouncer gives to the statements of its clients (its src/prepare.c).
_NAMES = """
    SELECT name LIKE 'PGBOUNCER%', name FROM pg_prepared_statements
    WHERE statement LIKE '%PGBOUNCER%'
"""

_warned: set[str] = set()


async def adapt(connection: psycopg.AsyncConnection[Any]) -> None:
    """Leaves prepared statements out on a new connection, in autocommit, to a pooler that does not know them."""
    cursor = await connection.execute("SELECT pg_backend_pid()", prepare=False)
    # PostgreSQL tells each client its process, to cancel by; a pooler tells a number of its own.
    if await cursor.fetchone() == (connection.info.backend_pid,) or await _prepares(connection):
        return
    connection.prepare_threshold = None
    if "unprepared" not in _warned:
        _warned.add("unprepared")
        log.warning(
            "DATABASE_URL: a pooler that does not know prepared statements is between Leaf and PostgreSQL, which "
            "plans each statement anew; PgBouncer 1.21 and later know them (max_prepared_statements)"
        )


async def _prepares(connection: psycopg.AsyncConnection[Any]) -> bool:
    """Whether the pooler has prepared a statement under a name of its own, as one does that knows them."""
    # In a transaction, which has the server's connection to itself: the statement is gone before anybody else has it,
    # also where this connection is cut off.
    await connection.execute("BEGIN")
    try:
        found = await (await connection.execute(_NAMES, prepare=True)).fetchone()
        known, name = found or (False, None)
        if name and not known:
            await connection.execute(sql.SQL("DEALLOCATE {}").format(sql.Identifier(name)), prepare=False)
    except DuplicatePreparedStatement:
        known = False
    finally:
        await connection.execute("ROLLBACK")
    return bool(known)
