"""The promises of docs/operations.md: a backup that can be restored, keys that can be changed, two versions at once."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import exc, text

from leaf import config, errors
from leaf.callers import tokens
from leaf.db import Actor, migrate, seal, session, transaction
from leaf.services import chats, security
from tests.conftest import MakeUser
from tests.integration.rls_world import furnish, rows_of
from tests.postgres import BINARIES, PostgresServer, running_postgres

RESTORE_ROLES = """
    CREATE ROLE leaf LOGIN;
    CREATE ROLE leaf_app NOLOGIN;
    GRANT leaf_app TO leaf;
"""
RESTORE_VECTORS = """
    CREATE SCHEMA leaf_vectors AUTHORIZATION leaf;
    CREATE EXTENSION vector SCHEMA leaf_vectors;
"""
LEFT_OUT = "EXTENSION|SCHEMA - leaf_vectors"
"""As in docs/operations.md."""


@pytest.fixture
def other_server() -> Iterator[PostgresServer]:
    """A server on which Leaf has never been."""
    with running_postgres() as server:
        yield server


def _run(program: str, *arguments: str) -> str:
    """Runs a program that has nothing to complain of; returns its output."""
    done = subprocess.run([BINARIES / program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


async def test_a_backup_comes_back_on_another_server_with_its_rights(
    make_user: MakeUser,
    database_url: str,
    other_server: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every row of every table, the policies, and nothing that a person could not do before. # 000-40"""
    ada, ben = await furnish(await make_user("Ada")), await furnish(await make_user("Ben"))
    before = rows_of(database_url)
    assert all(before.values()), "every table has something to lose"
    _run("pg_dump", "--format=custom", f"--file={tmp_path / 'leaf.dump'}", database_url)
    text_docs = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
    for line in filter(None, map(str.strip, RESTORE_ROLES.splitlines())):
        assert line in text_docs
    with psycopg.connect(other_server.url("postgres"), autocommit=True) as connection:
        connection.execute(RESTORE_ROLES)
    name = other_server.create_database(owner="leaf")
    restored = other_server.url(name, user="leaf")
    for line in filter(None, map(str.strip, RESTORE_VECTORS.splitlines())):
        assert line in text_docs
    with psycopg.connect(other_server.url(name), autocommit=True) as connection:
        connection.execute(RESTORE_VECTORS)
    dump, contents = tmp_path / "leaf.dump", tmp_path / "leaf.list"
    listed = _run("pg_restore", "--list", str(dump)).splitlines(keepends=True)
    contents.write_text("".join(line for line in listed if not re.search(LEFT_OUT, line)))
    assert LEFT_OUT in text_docs
    restore = ["--exit-on-error", "--no-owner", f"--use-list={contents}", f"--dbname={restored}"]
    _run("pg_restore", *restore, str(dump))
    assert rows_of(restored) == before
    migrate.upgrade(restored)
    await session.dispose()
    monkeypatch.setattr(config, "_current", config.current().model_copy(update={"database_url": restored}))
    assert (await chats.open(ada.actor, ada.chat_id)).messages
    with pytest.raises(errors.NotFound):
        await chats.open(ada.actor, ben.chat_id)
    assert len(await security.mine(ada.actor)) == 1
    with pytest.raises(exc.ProgrammingError):
        async with transaction(Actor.user(ada.user_id)) as tx:
            await tx.session.execute(text("DELETE FROM security_events"))
    await session.dispose()


async def test_stored_tokens_are_sealed_with_the_new_key_and_the_old_one_can_go(
    make_user: MakeUser, database_url: str
) -> None:
    """Decision 6 of the requirements; a token that cannot be opened is counted, and left."""
    old, new = ("old", tokens.new_seal_key()), ("new", tokens.new_seal_key())
    people = [await furnish(await make_user(name)) for name in ("Ada", "Ben", "Cem")]
    sealed = tokens.Sealer((old,))
    with psycopg.connect(database_url, autocommit=True) as connection:
        for person in people[:2]:
            connection.execute(
                "UPDATE integrations SET access_token = %s, refresh_token = %s WHERE user_id = %s",
                [sealed.seal("access"), sealed.seal("refresh"), person.user_id],
            )
            connection.execute(
                "UPDATE signing_secrets SET sealed = %s WHERE tenant_id IN "
                "(SELECT tenant_id FROM tenant_members WHERE user_id = %s)",
                [sealed.seal("signs"), person.user_id],
            )
    assert seal.reseal(database_url, tokens.Sealer((new, old))) == (4, 2)
    assert seal.reseal(database_url, tokens.Sealer((new, old))) == (0, 2)
    only_new = tokens.Sealer((new,))
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("SELECT user_id, access_token, refresh_token FROM integrations").fetchall()
        signing = connection.execute("SELECT sealed FROM signing_secrets WHERE sealed <> 'k:x'").fetchall()
    stored = {user_id: (access, refresh) for user_id, access, refresh in rows}
    for person in people[:2]:
        assert [only_new.open(one) for one in stored[person.user_id]] == ["access", "refresh"]
    assert stored[people[2].user_id][0] == "k:sealed"
    assert [only_new.open(secret) for (secret,) in signing] == ["signs", "signs"]


def test_a_leaf_that_is_older_than_its_database_starts(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    """While a new version is rolled out, the old one may be started again; it changes nothing."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        migrate.upgrade(database_url)
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]
    assert "newer than this Leaf (revision 9999)" in caplog.text
