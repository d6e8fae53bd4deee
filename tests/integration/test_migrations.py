"""The migrations, from an empty database to the newest revision."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg.types.json import Jsonb
from sqlalchemy import create_engine, make_url
from sqlalchemy.dialects.postgresql.base import PGDialect

from leaf import errors
from leaf.db import migrate
from leaf.db.models import Base
from leaf.db.models.base import HalfVector
from tests import schema_doc
from tests.postgres import PostgresServer, running_postgres

_ROOT = Path(__file__).parents[2]


@pytest.fixture
def empty_database(postgres: PostgresServer) -> Iterator[str]:
    name = postgres.create_database()
    yield postgres.url(name)
    postgres.drop_database(name)


def _run(database_url: str | None, *command: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    if database_url is not None:
        environment["DATABASE_URL"] = database_url
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, *command], cwd=_ROOT, env=environment, stderr=pipe, text=True)


def _migrate_at_once(database_urls: list[str]) -> None:
    """In processes of their own, as web and worker are; Alembic's context is one for each process."""
    script = "import os; from leaf.db import migrate; migrate.upgrade(os.environ['DATABASE_URL'])"
    running = [_run(database_url, "-W", "error", "-c", script) for database_url in database_urls]
    # All are waited for before any is judged.
    outcomes = [(process.communicate()[1], process.returncode) for process in running]
    assert [(stderr, code) for stderr, code in outcomes if code] == []


def _revisions() -> list[str]:
    """The newest first."""
    return [script.revision for script in ScriptDirectory(str(_ROOT / "alembic")).walk_revisions()]


def test_migrations_after_the_baseline_can_be_undone_and_run_again(empty_database: str) -> None:
    migrate.upgrade(empty_database)
    newest = schema_doc.text(empty_database)
    for _ in range(2):
        process = _run(empty_database, "-m", "alembic", "downgrade", migrate.BASELINE)
        assert (process.communicate()[1].count("Running downgrade"), process.returncode) == (len(_revisions()) - 1, 0)
        migrate.upgrade(empty_database)
        assert schema_doc.text(empty_database) == newest


def test_the_baseline_is_never_undone(empty_database: str) -> None:
    """It would delete everything that people have stored."""
    migrate.upgrade(empty_database)
    process = _run(empty_database, "-m", "alembic", "downgrade", "base")
    assert "Drop the database instead" in process.communicate()[1]
    assert process.returncode == 1
    assert schema_doc.text(empty_database) == schema_doc.DOCUMENT.read_text(encoding="utf-8")


def test_a_database_of_an_older_release_is_refused_with_the_way_to_go(database_url: str) -> None:
    """The web process and the command line refuse it; nothing is changed."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0029'")
        with pytest.raises(errors.ConfigurationError, match=r"at revision 0029.*Start Leaf 0\.1\.0"):
            migrate.upgrade(database_url)
        process = _run(database_url, "-m", "alembic", "upgrade", "head")
        assert "Start Leaf 0.1.0 with it once" in process.communicate()[1]
        assert process.returncode != 0
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("0029",)]


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (None, "DATABASE_URL: is missing; the migrations need it"),
        ("postgresql://leaf:secret-word@127.0.0.1:1/leaf", "DATABASE_URL: the database cannot be reached: "),
        ("mysql://leaf:secret-word@127.0.0.1/leaf", "DATABASE_URL: must start with postgresql://"),
    ],
)
def test_migrations_that_cannot_begin_end_with_one_sentence(url: str | None, sentence: str) -> None:
    process = _run(url, "-m", "alembic", "upgrade", "head")
    _assert_one_sentence(process, sentence)


def test_a_wrong_password_ends_the_migrations_with_one_sentence() -> None:
    with running_postgres() as server:
        server.execute("CREATE ROLE locked LOGIN PASSWORD 'right-word'")
        hosts = server.socket_folder / "pg_hba.conf"
        hosts.write_text(f"local all locked scram-sha-256\n{hosts.read_text()}")
        server.execute("SELECT pg_reload_conf()")
        process = _run(server.url("postgres", user="locked:secret-word"), "-m", "alembic", "upgrade", "head")
        _assert_one_sentence(process, 'password authentication failed for user "locked"')


def _assert_one_sentence(process: subprocess.Popen[str], sentence: str) -> None:
    error = process.communicate()[1]
    assert (sentence in error, "secret-word" in error) == (True, False), error
    assert (error.count("\n"), process.returncode) == (1, 1), error


def test_the_written_schema_is_that_of_a_new_database(database_url: str) -> None:
    assert schema_doc.text(database_url) == schema_doc.DOCUMENT.read_text(encoding="utf-8"), (
        "alembic/schema.sql: run `make docs`"
    )


def test_the_models_and_the_migrations_describe_the_same_tables(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Types, columns, keys, constraints and indexes; CHECKs and server defaults are beyond the comparison."""
    monkeypatch.setitem(PGDialect.ischema_names, "leaf_vectors.halfvec", HalfVector)
    engine = create_engine(make_url(database_url).set(drivername="postgresql+psycopg"))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    engine.dispose()


def test_every_default_of_the_models_is_also_the_databases(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' "
            "AND table_name <> 'alembic_version' AND (column_default IS NOT NULL OR is_identity = 'YES')"
        ).fetchall()
    declared = {
        (table.name, column.name)
        for table in Base.metadata.tables.values()
        for column in table.columns
        if column.server_default is not None and column.computed is None
    }
    assert set(rows) == declared


def test_several_processes_may_migrate_at_once(empty_database: str) -> None:
    _migrate_at_once([empty_database] * 3)
    with psycopg.connect(empty_database) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(_revisions()[0],)]


def test_a_new_provider_is_one_more_value_of_the_enum(database_url: str) -> None:
    """# 000-17"""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("ALTER TYPE integration_provider ADD VALUE 'notion'")
        connection.execute("SELECT leaf_sign_in('google', '1', 'ada@example.org', 'Ada', 'Ada', NULL)")
        connection.execute("SELECT set_config('app.user_id', id::text, false) FROM users")
        connection.execute("SET ROLE leaf_app")
        connection.execute(
            "INSERT INTO integrations (user_id, workspace_id, provider, access_token) "
            "SELECT user_id, workspace_id, 'notion', 'k:sealed' FROM workspace_members"
        )


def test_on_a_new_cluster_two_databases_may_be_migrated_at_once_without_a_superuser() -> None:
    """The role belongs to the cluster: both try to create it, and each owner must be able to take it on."""
    with running_postgres() as server:
        server.execute("CREATE ROLE owner LOGIN CREATEROLE")
        urls = [server.url(server.create_database(owner="owner"), user="owner") for _ in range(3)]
        _migrate_at_once(urls)
        for url in urls:
            with psycopg.connect(url) as connection:
                connection.execute("SELECT leaf_sign_in('google', '1', 'ada@example.org', 'Ada', 'Ada', NULL)")
                assert connection.execute("SELECT count(*) FROM users").fetchone() == (1,)
                connection.execute("SET LOCAL ROLE leaf_app")
                assert connection.execute("SELECT count(*) FROM users").fetchone() == (0,)


_CALL = {"toolCallId": "1", "state": "output-available", "input": {}, "output": {}}


def test_summaries_of_before_learn_the_tools_of_their_turns(empty_database: str) -> None:
    """Each begins with those of the summary before it; a file that came with a question counts as read."""
    migrate.upgrade(empty_database)
    process = _run(empty_database, "-m", "alembic", "downgrade", "0079")
    assert (process.communicate()[0], process.returncode) == (None, 0)
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute("SELECT leaf_sign_in('google', '1', 'ada@example.org', 'Ada', 'Ada', NULL)")
        chat, asked, answered, again, last = [uuid4() for _ in range(5)]
        connection.execute(
            "INSERT INTO chat_sessions (id, workspace_id, created_by) SELECT %s, workspace_id, user_id "
            "FROM workspace_members",
            (chat,),
        )
        for message, parent, role, part in (
            (asked, None, "user", {"type": "data-attachment", "data": {}}),
            (answered, asked, "assistant", _CALL | {"type": "tool-search_files"}),
            (again, answered, "user", {"type": "text", "text": "And the weather?"}),
            (last, again, "assistant", _CALL | {"type": "dynamic-tool", "toolName": "weather"}),
        ):
            connection.execute(
                "INSERT INTO messages (id, chat_session_id, parent_id, role, workflow_run_id, parts, user_id) "
                "SELECT %s, %s, %s, %s, %s, %s, user_id FROM workspace_members",
                (message, chat, parent, role, uuid4() if role == "assistant" else None, Jsonb([part])),
            )
        for message in (last, answered):
            connection.execute(
                "INSERT INTO chat_summaries (chat_session_id, message_id, text) VALUES (%s, %s, 'Short.')",
                (chat, message),
            )
        migrate.upgrade(empty_database)
        found = connection.execute("SELECT message_id, tools FROM chat_summaries").fetchall()
    assert dict(found) == {answered: ["read_file", "search_files"], last: ["read_file", "search_files", "weather"]}


def test_incomplete_parts_of_before_stay_and_new_ones_are_refused(empty_database: str) -> None:
    """# 002-34"""
    migrate.upgrade(empty_database)
    process = _run(empty_database, "-m", "alembic", "downgrade", "0080")
    assert (process.communicate()[0], process.returncode) == (None, 0)
    kept = (
        "INSERT INTO messages (chat_session_id, role, parts, user_id) "
        "SELECT id, 'user', %s, created_by FROM chat_sessions"
    )
    file = Jsonb([{"type": "file", "mediaType": "image/png"}])
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute("SELECT leaf_sign_in('google', '1', 'ada@example.org', 'Ada', 'Ada', NULL)")
        connection.execute(
            "INSERT INTO chat_sessions (workspace_id, created_by) SELECT workspace_id, user_id FROM workspace_members"
        )
        connection.execute(kept, (file,))
        migrate.upgrade(empty_database)
        assert connection.execute("SELECT count(*) FROM messages").fetchall() == [(1,)]
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute(kept, (file,))


@pytest.mark.parametrize(("version", "is_refused"), [(150012, True), (90624, True), (160000, False), (180001, False)])
def test_a_postgresql_that_is_too_old_is_named(version: int, is_refused: bool) -> None:
    """One sentence in place of an error of SQL, with the version that is needed. # 000-40"""
    refusal = migrate.refused_version(version)
    assert bool(refusal) == is_refused
    assert not is_refused or f"PostgreSQL {version // 10_000} is too old; Leaf needs PostgreSQL 16" in refusal


@pytest.mark.parametrize(
    ("created", "owns", "message"),
    [
        ("CREATE ROLE poor LOGIN CREATEROLE", False, 'ALTER DATABASE "{name}" OWNER TO "poor"'),
        ("CREATE ROLE poor LOGIN", True, 'CREATE ROLE leaf_app NOLOGIN; GRANT leaf_app TO "poor"'),
        ("CREATE ROLE leaf_app; CREATE ROLE poor LOGIN", True, 'As a superuser: GRANT leaf_app TO "poor"'),
    ],
)
def test_a_role_that_lacks_a_right_is_refused_with_the_statement_that_grants_it(
    created: str, owns: bool, message: str
) -> None:
    """The web process and the command line refuse it before anything is changed, `make run` before that. # 000-40"""
    with running_postgres() as server:
        for statement in created.split("; "):
            server.execute(statement)
        name = server.create_database(owner="poor" if owns else "postgres")
        url = server.url(name, user="poor")
        for start in (migrate.require, migrate.upgrade):
            with pytest.raises(errors.ConfigurationError, match=re.escape(message.format(name=name))):
                start(url)
        process = _run(url, "-m", "alembic", "upgrade", "head")
        assert message.format(name=name) in process.communicate()[1]
        assert process.returncode != 0


def _has_vectors(url: str) -> bool:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT to_regclass('drive_vectors') IS NOT NULL").fetchone() == (True,)


def test_a_role_that_may_not_create_the_extension_gets_a_database_without_vectors() -> None:
    """They are made at the first start after a superuser has created it, in whichever schema."""
    with running_postgres() as server:
        server.execute("CREATE ROLE owner LOGIN CREATEROLE")
        name = server.create_database(owner="owner")
        url = server.url(name, user="owner")
        migrate.upgrade(url)
        assert not _has_vectors(url)
        migrate.upgrade(url)
        assert not _has_vectors(url)
        with psycopg.connect(server.url(name), autocommit=True) as superuser:
            superuser.execute("CREATE SCHEMA elsewhere")
            superuser.execute("GRANT USAGE ON SCHEMA elsewhere TO owner WITH GRANT OPTION")
            superuser.execute("CREATE EXTENSION vector SCHEMA elsewhere")
        migrate.upgrade(url)
        assert _has_vectors(url)
        with psycopg.connect(url) as connection:
            connection.execute("SET LOCAL ROLE leaf_app")
            found = connection.execute("SELECT * FROM leaf_vector_hits(%s, 'local', NULL, 5)", ([_VECTOR],))
            assert found.fetchall() == []


_VECTOR = f"[{','.join(['0.1'] * 512)}]"
