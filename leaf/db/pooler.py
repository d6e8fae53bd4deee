"""Support for poolers between Leaf and PostgreSQL, such as PgBouncer, which use a server connection per transaction.

Prepared statements are the only state that Leaf keeps on a connection between transactions. PgBouncer 1.21 and later
support them (`max_prepared_statements`) and prepare them on the connection of each transaction. With other poolers,
Leaf does not use prepared statements.
"""

import logging
from typing import Any

import psycopg
from psycopg import sql
from psycopg.errors import DuplicatePreparedStatement

log = logging.getLogger(__name__)

# PgBouncer gives the statements of its clients the names `PGBOUNCER_n` (its src/prepare.c).
_NAMES = """
    SELECT name LIKE 'PGBOUNCER%', name FROM pg_prepared_statements
    WHERE statement LIKE '%PGBOUNCER%'
"""

_warned: set[str] = set()


async def adapt(connection: psycopg.AsyncConnection[Any]) -> None:
    """Turns off prepared statements on a new connection if it leads to a pooler that does not support them.

    The connection must be in autocommit mode.
    """
    cursor = await connection.execute("SELECT pg_backend_pid()", prepare=False)
    # PostgreSQL sends each client the pid of its process, for cancellation. A pooler sends a number of its own.
    if await cursor.fetchone() == (connection.info.backend_pid,) or await _prepares(connection):
        return
    connection.prepare_threshold = None
    if "unprepared" not in _warned:
        _warned.add("unprepared")
        log.warning(
            "DATABASE_URL: the pooler in front of PostgreSQL does not support prepared statements, so each statement "
            "is planned anew; PgBouncer 1.21 and later support them (max_prepared_statements)"
        )


async def _prepares(connection: psycopg.AsyncConnection[Any]) -> bool:
    """Whether the pooler supports prepared statements. If so, it prepares a statement under a name of its own."""
    # A transaction has the server's connection to itself. The statement is removed before another client gets the
    # connection, even if this connection is lost.
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
