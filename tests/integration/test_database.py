"""The promises of `transaction`."""

# ruff: noqa: PT012 - a transaction's block is what is tried, and it has more than one line

import asyncio
import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event, exc, func, select, text

from leaf import config, errors
from leaf.db import Actor, models, session, transaction
from leaf.db.models import Document, IntegrationProvider
from tests.conftest import MakeUser


def _document(actor: Actor, file_id: str = "file") -> Document:
    return Document(
        user_id=actor.user_id, provider=IntegrationProvider.GOOGLE_DRIVE, file_id=file_id, revision="1", name="Plan",
        mime_type="text/plain", kind="text", body={"segments": [], "notes": []},
    )  # fmt: skip


async def _file_ids(actor: Actor) -> list[str]:
    async with transaction(actor) as tx:
        return list(await tx.session.scalars(select(Document.file_id).order_by(Document.file_id)))


async def _connection_state() -> tuple[str, str | None, int, int]:
    """User, person, process id and number of connections in use, as the pool's next borrower finds them."""
    engine = await session._engine()
    async with engine.connect() as connection:
        row = await connection.execute(
            text("SELECT current_user, current_setting('app.user_id', true), pg_backend_pid()")
        )
        user, person, pid = row.one()
    return user, person, pid, engine.pool.checkedout()


async def test_a_transaction_runs_as_the_app_role_for_the_actor(make_user: MakeUser) -> None:
    """# 000-40"""
    ada = await make_user("Ada")
    async with transaction(ada) as tx:
        row = (await tx.session.execute(text("SELECT current_user, session_user, leaf_user_id()"))).one()
    assert tuple(row) == ("leaf_app", "postgres", ada.user_id)


async def test_a_transaction_commits_where_its_block_ends(make_user: MakeUser) -> None:
    ada = await make_user("Ada")
    async with transaction(ada) as tx:
        tx.session.add(_document(ada))
    assert await _file_ids(ada) == ["file"]


async def test_a_frozen_process_keeps_its_locks_for_a_time_only(
    make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL ends its transaction, and whoever waits for the locks goes on."""
    monkeypatch.setattr(session, "_IDLE_SECONDS", 1)
    ada = await make_user("Ada")
    lock = text("SELECT pg_advisory_xact_lock(7)")

    async def wait() -> None:
        async with transaction(ada) as tx:
            await tx.session.execute(lock)

    with pytest.raises(errors.DatabaseUnavailable):
        async with transaction(ada) as frozen:
            await frozen.session.execute(lock)
            await asyncio.create_task(wait())
            await frozen.session.execute(lock)


async def test_an_exception_rolls_back_and_drops_the_callbacks(make_user: MakeUser) -> None:
    ada = await make_user("Ada")
    ran: list[str] = []

    async def callback() -> None:
        ran.append("callback")

    with pytest.raises(LookupError):
        async with transaction(ada) as tx:
            tx.session.add(_document(ada))
            await tx.session.flush()
            tx.after_commit(callback)
            raise LookupError
    assert await _file_ids(ada) == []
    assert ran == []


async def test_callbacks_run_in_order_after_the_commit_and_may_use_the_database(make_user: MakeUser) -> None:
    ada = await make_user("Ada")
    seen: list[object] = []

    async def first() -> None:
        seen.append(await _file_ids(ada))

    async def second() -> None:
        seen.append((await _connection_state())[3])

    async with transaction(ada) as tx:
        tx.session.add(_document(ada))
        tx.after_commit(first)
        tx.after_commit(second)
    assert seen == [["file"], 0]


async def test_a_failing_callback_is_raised_after_the_others_ran(make_user: MakeUser) -> None:
    ada = await make_user("Ada")
    ran: list[str] = []

    async def failing() -> None:
        ran.append("failing")
        raise errors.RedisUnavailable

    async def later() -> None:
        ran.append("later")

    with pytest.raises(errors.RedisUnavailable):
        async with transaction(ada) as tx:
            tx.session.add(_document(ada))
            tx.after_commit(failing)
            tx.after_commit(later)
    assert ran == ["failing", "later"]
    assert await _file_ids(ada) == ["file"]


async def test_a_transaction_inside_another_is_refused(make_user: MakeUser) -> None:
    ada = await make_user("Ada")
    async with transaction(ada):
        with pytest.raises(RuntimeError, match="inside a transaction already"):
            async with transaction(ada):
                pass
        # A task of its own is somebody else, though it inherits the context.
        assert await asyncio.create_task(_file_ids(ada)) == []
    assert await _file_ids(ada) == []


async def test_only_the_block_commits_or_rolls_back(make_user: MakeUser) -> None:
    ada = await make_user("Ada")
    async with transaction(ada) as tx:
        with pytest.raises(RuntimeError, match="Only transaction"):
            await tx.session.commit()
        with pytest.raises(RuntimeError, match="Only transaction"):
            await tx.session.rollback()


async def test_a_session_that_begins_anew_still_runs_as_the_app_role(make_user: MakeUser) -> None:
    """However a session comes to begin a second transaction, it never goes on as the owner. # 000-40"""
    ada = await make_user("Ada")
    async with transaction(ada) as tx:
        await tx.session.close()
        assert await tx.session.scalar(text("SELECT current_user")) == "leaf_app"
        assert await tx.session.scalar(text("SELECT leaf_user_id()")) == ada.user_id


async def test_a_savepoint_keeps_role_and_person(make_user: MakeUser) -> None:
    ada = await make_user("Ada")
    async with transaction(ada) as tx:
        with pytest.raises(exc.IntegrityError):
            async with tx.session.begin_nested():
                tx.session.add_all([_document(ada), _document(ada)])
                await tx.session.flush()
        assert await tx.session.scalar(text("SELECT current_user || leaf_user_id()")) == f"leaf_app{ada.user_id}"
        tx.session.add(_document(ada, "kept"))
    assert await _file_ids(ada) == ["kept"]


async def test_a_read_only_transaction_refuses_changes(make_user: MakeUser) -> None:
    ada = await make_user("Ada")
    with pytest.raises(exc.InternalError, match="read-only transaction"):
        async with transaction(ada, read_only=True) as tx:
            tx.session.add(_document(ada))
    async with transaction(ada) as tx:
        tx.session.add(_document(ada))


async def test_a_pooled_connection_carries_neither_role_nor_person_on(make_user: MakeUser) -> None:
    """# 000-40"""
    ada, ben = await make_user("Ada"), await make_user("Ben")
    *_, pid, _ = await _connection_state()

    async with transaction(ada) as tx:
        assert await tx.session.scalar(text("SELECT pg_backend_pid()")) == pid
        tx.session.add(_document(ada))
    assert await _connection_state() == ("postgres", "", pid, 0)

    with pytest.raises(LookupError):
        async with transaction(ada) as tx:
            assert await tx.session.scalar(text("SELECT pg_backend_pid()")) == pid
            raise LookupError
    assert await _connection_state() == ("postgres", "", pid, 0)

    async with transaction(ben) as tx:
        assert await tx.session.scalar(text("SELECT pg_backend_pid()")) == pid
        assert list(await tx.session.scalars(select(Document))) == []


async def test_a_cancelled_statement_gives_a_clean_connection_back(make_user: MakeUser) -> None:
    ada = await make_user("Ada")

    async def sleep_in_the_database() -> None:
        async with transaction(ada) as tx:
            tx.session.add(_document(ada))
            await tx.session.flush()
            await tx.session.execute(text("SELECT pg_sleep(120)"))

    async def asleep() -> int:
        engine = await session._engine()
        async with engine.connect() as connection:
            return await connection.scalar(
                text("SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(120)' AND state = 'active'")
            )

    task = asyncio.create_task(sleep_in_the_database())
    while not await asleep():
        assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asleep() == 0
    assert await _file_ids(ada) == []
    user, person, _, in_use = await _connection_state()
    assert (user, person or "", in_use) == ("postgres", "", 0)


async def test_a_cancel_during_the_commit_waits_for_it_and_its_callbacks(make_user: MakeUser) -> None:
    ada = await make_user("Ada")
    ran: list[str] = []

    async def callback() -> None:
        await asyncio.sleep(0)
        ran.append("callback")

    async def work() -> None:
        task = asyncio.current_task()
        engine = await session._engine()
        event.listen(engine.sync_engine, "commit", lambda _connection: task.cancel(), once=True)
        async with transaction(ada) as tx:
            tx.session.add(_document(ada))
            tx.after_commit(callback)

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(work())
    assert ran == ["callback"]
    assert await _file_ids(ada) == ["file"]
    assert (await _connection_state())[3] == 0


async def test_times_are_utc_whatever_the_server_thinks(make_user: MakeUser, settings: config.Settings) -> None:
    ada = await make_user("Ada")
    async with transaction(ada) as tx:
        created = await tx.session.scalar(select(models.User.created_at))
    assert created is not None
    assert created.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - created) < timedelta(minutes=5)


async def test_what_postgresql_cannot_store_is_replaced(make_user: MakeUser) -> None:
    """A NUL out of a PDF must not make the last write of an answer fail. # 000-42"""
    ada = await make_user("Ada")
    document = _document(ada, "nul\0 and half a pair \ud83d, a whole one \U0001f343")
    document.body = {"nul\0": ["\0", "\udc00", float("nan"), 1.5, None, True, {"backslash": "\\u0000"}]}
    async with transaction(ada) as tx:
        tx.session.add(document)
    async with transaction(ada) as tx:
        stored = (await tx.session.scalars(select(Document))).one()
    assert stored.file_id == "nul\ufffd and half a pair \ufffd, a whole one \U0001f343"
    assert stored.body == {"nul\ufffd": ["\ufffd", "\ufffd", None, 1.5, None, True, {"backslash": "\\u0000"}]}


async def test_each_event_loop_has_its_own_connections(make_user: MakeUser) -> None:
    ada = await make_user("Ada")
    async with transaction(ada) as tx:
        tx.session.add(_document(ada))
    found: list[list[str]] = []

    async def elsewhere() -> None:
        found.append(await _file_ids(ada))
        await session.dispose()

    thread = threading.Thread(target=lambda: asyncio.run(elsewhere()))
    thread.start()
    await asyncio.to_thread(thread.join)
    assert found == [["file"]]
    assert await _file_ids(ada) == ["file"]


async def test_without_a_database_url_the_settings_are_at_fault(
    settings: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "_current", settings.model_copy(update={"database_url": None}))
    with pytest.raises(errors.ConfigurationError, match="DATABASE_URL"):
        async with transaction(Actor.system()):
            pass


async def test_many_transactions_at_once_share_the_pool(make_user: MakeUser, monkeypatch: pytest.MonkeyPatch) -> None:
    # Sixty take their turns for longer on a machine that has much else to do.
    monkeypatch.setattr(session, "_OPEN_SECONDS", 20)
    ada = await make_user("Ada")

    async def add(number: int) -> None:
        async with transaction(ada) as tx:
            tx.session.add(_document(ada, f"{number:03}"))

    await asyncio.gather(*map(add, range(60)))
    async with transaction(ada) as tx:
        assert await tx.session.scalar(select(func.count()).select_from(Document)) == 60
    assert (await _connection_state())[3] == 0


def test_an_actor_is_somebody_or_the_system() -> None:
    with pytest.raises(ValueError, match="user actor needs a user_id"):
        Actor("user", None)
    assert Actor.system().user_id is None


async def test_settings_of_actors_are_not_prepared(make_user: MakeUser) -> None:
    """Each actor's are a text of their own: prepared, they would push the statements of all out of a connection."""
    ada = await make_user("Ada")
    for _ in range(session._PREPARE_AFTER + 3):
        async with transaction(Actor.system()) as tx:
            await tx.go_on_as(ada)
            assert (await tx.execute("SELECT leaf_user_id()")).scalar_one() == ada.user_id
    async with transaction(ada) as tx:
        prepared = (await tx.execute("SELECT statement FROM pg_prepared_statements")).scalars().all()
    assert prepared
    assert not [statement for statement in prepared if "set_config" in statement]
