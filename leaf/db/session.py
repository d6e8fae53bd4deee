"""The only way into the database: `async with transaction(actor) as tx`.

Every transaction begins with the role `leaf_app`, to which row-level security applies, and with the id of the person on
whose behalf it runs. Both settings are local to the transaction, so a pooled connection never carries them over to the
next one.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, NoReturn, ParamSpec
from weakref import WeakKeyDictionary

import orjson
import sqlmodel
from psycopg.adapt import Buffer
from psycopg.errors import ReadOnlySqlTransaction
from psycopg.types.array import ListDumper
from sqlalchemy import Connection, CursorResult, ExceptionContext, Executable, event, exc, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.orm import Session as SyncSession
from sqlalchemy.orm import SessionTransaction
from sqlmodel.ext.asyncio import session as sqlmodel_asyncio

from leaf import config, errors, unattended
from leaf.db import address, pooler
from leaf.db.actor import Actor
from leaf.db.storable import json_text

P = ParamSpec("P")

_OPEN_SECONDS = 5
"""The time limit for opening a transaction. It includes waiting for a free connection, connecting, and the first
statement.
"""
_COMMIT_SECONDS = 30
_SHORTEST_SECONDS = 2
"""The shortest time limit that libpq uses for connecting to a server."""
_READ_ONLY = "leaf_read_only"
"""The key under which a connection records whether its transaction is read-only."""
_PREPARE_AFTER = 2
"""A connection prepares a statement after it has executed the statement this many times."""
_IDLE_SECONDS = 60
"""The time after which PostgreSQL ends an idle transaction. A frozen process would otherwise keep its locks."""
_PREPARED = 500
"""The number of prepared statements that a connection keeps. It is more than Leaf has; with psycopg's default of 100,
statements would evict each other.
"""

_log = logging.getLogger(__name__)
_engines: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[str, AsyncEngine]] = WeakKeyDictionary()
"""For each event loop, the address of its database and its engine."""
_task_in_transaction: ContextVar[asyncio.Task[Any] | None] = ContextVar("leaf_transaction", default=None)


class _SyncSession(sqlmodel.Session):
    execute = SyncSession.execute


class Session(sqlmodel_asyncio.AsyncSession):
    """A session that only `transaction` can end, so that no statement runs after the commit.

    Use `exec` for selects. `execute`, which SQLModel deprecates, is needed for `text()`.
    """

    sync_session_class = _SyncSession
    execute = AsyncSession.execute

    async def commit(self) -> NoReturn:
        raise RuntimeError("Only transaction() commits: leave its block instead.")

    async def rollback(self) -> NoReturn:
        raise RuntimeError("Only transaction() rolls back: raise inside its block, or use session.begin_nested().")


class Transaction:
    """An open transaction.

    Args:
        session: The session for statements. It can be used until the block ends.
    """

    def __init__(self, session: Session, actor: Actor) -> None:
        self.session = session
        self._actor = actor
        self._callbacks: list[Callable[[], Awaitable[object]]] = []

    @property
    def actor(self) -> Actor:
        """The party on whose behalf the transaction runs."""
        return self._actor

    async def go_on_as(self, actor: Actor) -> None:
        """Continues the transaction with the rights of another actor, after flushing earlier changes.

        The system may do so when it knows the person. A worker may do so when it ends one person's answer and begins
        another's.

        Raises:
            RuntimeError: The transaction acts for a person, unless both actors are workers.
        """
        if self._actor.user_id is not None and not self._actor.kind == actor.kind == "worker":
            raise RuntimeError("Only a transaction of the system or of a worker can go on as another actor.")
        await self.session.flush()
        self._actor = actor
        connection = await self.session.connection()
        await connection.exec_driver_sql(_settings(actor), None, _UNPREPARED)

    async def execute(self, statement: str | Executable, values: Any = None) -> CursorResult[Any]:
        """Executes a statement that is not a select of models, such as SQL text or an insert without RETURNING."""
        connection = await self.session.connection()
        return await connection.execute(text(statement) if isinstance(statement, str) else statement, values)

    async def call(self, function: str, *arguments: Any) -> CursorResult[Any]:
        """Calls a database function (`alembic/sql`) and returns its rows."""
        values = {f"argument_{place}": argument for place, argument in enumerate(arguments)}
        names = ", ".join(f":{name}" for name in values)
        return await self.execute(f"SELECT * FROM {function}({names})", values)  # noqa: S608 - names of Leaf's own

    async def lock(self, key: str) -> None:
        """Waits for the advisory lock of a key. The lock is held until the transaction ends."""
        await self.execute("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))", {"key": f"leaf:{key}"})

    def after_commit(self, callback: Callable[P, Awaitable[object]], *args: P.args, **kwargs: P.kwargs) -> None:
        """Adds a callback that runs after the commit, for example to enqueue a job. It does not run after a rollback.

        Callbacks run in the order in which they were added, after the connection was returned to the pool. All
        callbacks run, even if some fail. Then `transaction` raises the last exception, with the earlier ones as its
        context.
        """
        self._callbacks.append(partial(callback, *args, **kwargs))

    async def _commit(self) -> None:
        try:
            with _lost_connection_is_unavailable():
                async with asyncio.timeout(_COMMIT_SECONDS):
                    await AsyncSession.commit(self.session)
        except TimeoutError as error:
            raise errors.DatabaseUnavailable from error
        await self.session.close()
        async with AsyncExitStack() as stack:
            for callback in reversed(self._callbacks):
                stack.push_async_callback(callback)


@asynccontextmanager
async def transaction(actor: Actor, *, read_only: bool = False) -> AsyncGenerator[Transaction]:
    """Opens a transaction with the rights of the actor, and commits it if the block ends without an exception.

    A cancellation during the commit takes effect after the commit and its callbacks are finished.

    Raises:
        errors.DatabaseUnavailable: PostgreSQL does not answer within about 5 s, no connection is free for that time, or
            the connection was lost. If it was lost during the commit, the changes may or may not be stored.
        errors.Unauthenticated: The actor is a guest. The database stores nothing of guests.
        RuntimeError: This task is already inside another transaction.
    """
    if actor.kind == "guest":
        raise errors.Unauthenticated
    task = asyncio.current_task()
    if _task_in_transaction.get() is task:
        raise RuntimeError("This task is inside a transaction already: pass that one on, or end it first.")
    _task_in_transaction.set(task)
    try:
        session = Session(await _engine(), expire_on_commit=False)
        event.listen(session.sync_session, "after_begin", _begin(actor, read_only=read_only))
        await _open(session)
        async with session:
            tx = Transaction(session, actor)
            with _lost_connection_is_unavailable():
                yield tx
            await _uninterrupted(tx._commit())  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    finally:
        _task_in_transaction.set(None)


async def dispose() -> None:
    """Closes the connections of the running event loop. The next transaction opens new ones."""
    if kept := _engines.pop(asyncio.get_running_loop(), None):
        await kept[1].dispose()


def connections() -> tuple[int, int]:
    """Returns the numbers of used and of idle connections of the running event loop."""
    kept = _engines.get(asyncio.get_running_loop())
    pool: Any = kept[1].pool if kept is not None else None
    return (pool.checkedout(), pool.checkedin()) if pool is not None else (0, 0)


async def _engine() -> AsyncEngine:
    database_url = config.current().database_url
    if database_url is None:
        raise errors.ConfigurationError(["DATABASE_URL: is missing"])
    kept = _engines.get(asyncio.get_running_loop())
    if kept is not None and kept[0] == database_url:
        return kept[1]
    await dispose()
    engine = create_async_engine(
        address.DRIVER,
        pool_size=10,
        max_overflow=10,
        pool_timeout=_OPEN_SECONDS,
        # The connection that was used last has the most prepared statements. `_connect` replaces lost connections.
        pool_use_lifo=True,
        pool_recycle=1800,
        hide_parameters=True,
        json_serializer=json_text,
        json_deserializer=orjson.loads,
        # With `tcp_user_timeout`, a connection to a machine that has disappeared fails in seconds instead of many
        # minutes.
        connect_args={
            **address.arguments(database_url),
            # This limit applies to each server, and all servers must be tried within the total time.
            "connect_timeout": max(_SHORTEST_SECONDS, _OPEN_SECONDS // address.servers(database_url)),
            "tcp_user_timeout": _OPEN_SECONDS * 1000,
            "prepare_threshold": _PREPARE_AFTER,
            # psycopg must not send a BEGIN of its own, which would be a round trip. `_begin` sends it with the
            # settings.
            "autocommit": True,
        },
    )
    event.listen(engine.sync_engine, "connect", _on_connect)
    event.listen(engine.sync_engine, "handle_error", _on_error)
    _engines[asyncio.get_running_loop()] = (database_url, engine)
    return engine


class _QuotedListDumper(ListDumper):
    """Writes each element of a list in quotation marks, which PostgreSQL accepts for every type.

    psycopg checks with a regular expression whether an element needs quotation marks. The check takes three times as
    long as the rest of the work. For a text of 900,000 characters, it blocks the event loop for 35 ms.
    """

    def dump(self, obj: list[Any]) -> Buffer:
        """The literal of an array."""
        tokens: list[Buffer] = []
        self._dump_list(obj, tokens, lambda _: True)
        return b"".join(tokens)


def _on_connect(connection: Any, _record: Any) -> None:
    connection.driver_connection.adapters.register_dumper(list, _QuotedListDumper)
    connection.driver_connection.prepared_max = _PREPARED
    connection.run_async(pooler.adapt)


def _on_error(context: ExceptionContext) -> None:
    """Treats a connection as lost if its server has become read-only, as after a failover. The pool then replaces all
    of its connections.
    """
    if not isinstance(context.original_exception, ReadOnlySqlTransaction) or context.connection is None:
        return
    if not context.connection.info.get(_READ_ONLY):
        context.is_disconnect = True


def _begin(actor: Actor, *, read_only: bool) -> Callable[[SyncSession, SessionTransaction, Connection], None]:
    statements = f"BEGIN{' READ ONLY' if read_only else ''}; {_settings(actor)}"

    # Each BEGIN sends the settings, so that a session never begins another transaction with the login role.
    def after_begin(_session: SyncSession, begun: SessionTransaction, connection: Connection) -> None:
        if not begun.nested:
            connection.info[_READ_ONLY] = read_only
            connection.exec_driver_sql(statements, None, _UNPREPARED)

    return after_begin


_UNPREPARED = {"no_parameters": True}
"""psycopg sends several statements in one round trip only without parameters."""


def _settings(actor: Actor) -> str:
    """The SQL that sets the role, the actor for the policies and functions of the database, and limits, all local to
    the transaction.
    """
    person = actor.user_id.hex if actor.user_id is not None else ""
    administrator = "yes" if actor.kind == "administrator" else ""
    # psycopg does not prepare several statements at once. The statements of each person would evict the plans of all
    # others.
    return (
        f"SET LOCAL ROLE leaf_app; SELECT set_config('app.user_id', '{person}', true), "
        f"set_config('app.administrator', '{administrator}', true), set_config('timezone', 'UTC', true), "
        f"set_config('idle_in_transaction_session_timeout', '{_IDLE_SECONDS}s', true)"
    )


async def _open(session: Session) -> None:
    # This is a separate task, because psycopg first sends a cancellation request when an attempt is ended. If the
    # server is silent, that takes up to 10 s, for which nothing should wait.
    opening = asyncio.create_task(_connect(session))
    unattended.keep(opening)
    try:
        done, _ = await asyncio.wait({opening}, timeout=_OPEN_SECONDS)
    except asyncio.CancelledError:
        if not opening.done():
            opening.cancel()
        elif opening.exception() is None:
            await session.close()
        raise
    if not done:
        opening.cancel()
        _log.warning("The database does not answer within %s s", _OPEN_SECONDS)
        raise errors.DatabaseUnavailable
    try:
        opening.result()
    except (exc.OperationalError, exc.InterfaceError, exc.TimeoutError) as error:
        _log.warning("The database does not answer: %s", _reason(error))
        raise errors.DatabaseUnavailable from error


def _reason(error: exc.SQLAlchemyError) -> str:
    """The first line of the driver's message. The other lines, and the message of SQLAlchemy, contain statements."""
    return str(getattr(error, "orig", None) or type(error).__name__).strip().partition("\n")[0]


async def _connect(session: Session) -> None:
    try:
        try:
            await session.connection()
        except exc.DBAPIError as error:
            if not error.connection_invalidated:
                raise
            # The connection was lost while it was idle. The pool replaces this connection and all other idle ones.
            await AsyncSession.rollback(session)
            await session.connection()
    except BaseException:
        await session.close()
        raise


@contextmanager
def _lost_connection_is_unavailable() -> Generator[None]:
    try:
        yield
    except exc.DBAPIError as error:
        if error.connection_invalidated:
            _log.warning("The connection to the database was lost: %s", _reason(error))
            raise errors.DatabaseUnavailable from error
        raise


async def _uninterrupted(work: Coroutine[Any, Any, None]) -> None:
    """Waits for the work to end, even if this task is cancelled. The cancellation is raised afterwards."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled
