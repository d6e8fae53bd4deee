"""Upgrades a database to the newest revision, like `alembic upgrade head`."""

import logging
import re
from pathlib import Path

from alembic import command, op
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, NullPool, create_engine
from sqlalchemy.exc import DBAPIError

from leaf import errors
from leaf.db import address

log = logging.getLogger(__name__)

BASELINE = "0030"
"""The oldest revision that can be upgraded."""
OLDEST_POSTGRES = 16
"""The oldest major version of PostgreSQL that supports all of Leaf's statements."""
_TIMEOUT_SECONDS = 10
_RIGHTS = """
    SELECT current_user AS role, current_database() AS database,
        has_schema_privilege('public', 'CREATE') AS may_create_tables,
        app.oid IS NOT NULL AS is_made,
        CASE WHEN app.oid IS NULL THEN own.rolsuper OR own.rolcreaterole
            ELSE pg_has_role(app.oid, 'SET') OR pg_has_role(app.oid, 'USAGE WITH ADMIN OPTION') END AS may_become
    FROM pg_roles own LEFT JOIN pg_roles app ON app.rolname = 'leaf_app'
    WHERE own.rolname = current_user
"""
_VECTORS = """
    SELECT to_regclass('public.drive_vectors') IS NOT NULL AS is_made,
        EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('public.drive_vectors') AND attname = 'bits')
            AS has_bits,
        (SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
            WHERE e.extname = 'vector') AS installed,
        EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') AS available
"""
_VECTORS_LOCK = 0x1EAF_EC
"""The key of the advisory lock of `make_vectors`. The number is arbitrary but must not change."""
_ALEMBIC = Path(__file__).parents[2] / "alembic"


def upgrade(database_url: str) -> None:
    """Runs the missing migrations. If several processes call this at once, one of them does the work.

    A database that a newer Leaf has migrated is not changed. Migrations keep everything that the previous version uses,
    so two versions can run side by side, and the older one can be started again (docs/operations.md).

    Several threads of a process must not call this, because Alembic keeps its context in a module.

    Args:
        database_url: An address `postgresql://…` with a role that owns the database, or may create tables and roles in
            it.

    Raises:
        errors.ConfigurationError: The database cannot be reached, refuses the role, lacks its rights, or is older than
            `BASELINE`.
    """
    with connect(database_url) as connection:
        revisions, scripts = _require(connection)
        if revisions == set(scripts.get_heads()):
            if make_vectors(connection):
                connection.commit()
            return
        known = {script.revision for script in scripts.walk_revisions()}
        if unknown := revisions - known:
            log.warning("the database is newer than this Leaf (revision %s); it is not changed", ", ".join(unknown))
            return
        connection.rollback()
        settings = _configuration()
        settings.attributes["connection"] = connection
        command.upgrade(settings, "head")
        connection.commit()


def require(database_url: str) -> None:
    """Raises an error for a database that `upgrade` would refuse. Changes nothing.

    Raises:
        errors.ConfigurationError: As by `upgrade`.
    """
    with connect(database_url) as connection:
        _require(connection)


def _require(connection: Connection) -> tuple[set[str], ScriptDirectory]:
    """Checks that a database can be used or upgraded. Returns its revisions, and all known migrations."""
    require_version(connection)
    revisions = set(MigrationContext.configure(connection).get_current_heads())
    scripts = ScriptDirectory.from_config(_configuration())
    require_rights(connection, migrates=revisions != set(scripts.get_heads()))
    if refusal := too_old(revisions):
        raise errors.ConfigurationError([f"DATABASE_URL: {refusal}"])
    return revisions, scripts


def _configuration() -> Config:
    settings = Config()
    settings.set_main_option("script_location", str(_ALEMBIC).replace("%", "%%"))
    return settings


def connect(database_url: str) -> Connection:
    """A connection for migrations.

    Raises:
        errors.ConfigurationError: The database cannot be reached, or refuses the role.
    """
    # A pooler may use a different PostgreSQL connection for each transaction, on which statements are not prepared.
    options = {**address.arguments(database_url), "connect_timeout": _TIMEOUT_SECONDS, "prepare_threshold": None}
    try:
        return create_engine(address.DRIVER, poolclass=NullPool, connect_args=options).connect()
    except DBAPIError as error:
        # The driver's message names host, port and role, and never the password.
        reason = " ".join(str(error.orig).split())
        raise errors.ConfigurationError([f"DATABASE_URL: the database cannot be reached: {reason}"]) from None


def require_version(connection: Connection) -> None:
    """Raises an error if PostgreSQL is too old for Leaf's statements.

    Raises:
        errors.ConfigurationError: PostgreSQL is older than `OLDEST_POSTGRES`.
    """
    version: int = connection.exec_driver_sql("SELECT current_setting('server_version_num')::int").scalar_one()
    if refusal := refused_version(version):
        raise errors.ConfigurationError([f"DATABASE_URL: {refusal}"])


def require_rights(connection: Connection, *, migrates: bool = True) -> None:
    """Raises an error if the role cannot migrate the database or cannot act as `leaf_app` in it.

    Args:
        connection: A connection of the role.
        migrates: Whether migrations are missing. A current database can be used without the right to create tables.

    Raises:
        errors.ConfigurationError: A right is missing. The message has the statement that grants it.
    """
    row = connection.exec_driver_sql(_RIGHTS).one()
    role, database = (f'"{name}"' for name in (row.role, row.database))
    problems: list[str] = []
    if migrates and not row.may_create_tables:
        problems.append(
            f"DATABASE_URL: the role {role} may not create tables in this database. "
            f"As a superuser: ALTER DATABASE {database} OWNER TO {role}"
        )
    if not row.may_become:
        made = "" if row.is_made else "CREATE ROLE leaf_app NOLOGIN; "
        problems.append(
            f"DATABASE_URL: the role {role} is not a member of leaf_app and may not make itself one. "
            f"As a superuser: {made}GRANT leaf_app TO {role}"
        )
    if problems:
        raise errors.ConfigurationError(problems)


def refused_version(version: int) -> str:
    """The reason why a version of PostgreSQL cannot be used; empty if it can.

    Args:
        version: Its `server_version_num`, such as 150012.
    """
    major = version // 10_000
    if major >= OLDEST_POSTGRES:
        return ""
    return (
        f"PostgreSQL {major} is too old; Leaf needs PostgreSQL {OLDEST_POSTGRES} or later. "
        f"Name another server, or leave DATABASE_URL unset in development: Leaf then starts its own"
    )


def too_old(revisions: set[str]) -> str:
    """The reason why a database at these revisions cannot be upgraded; empty if it can."""
    older = sorted(revision for revision in revisions if revision < BASELINE)
    if not older:
        return ""
    return (
        f"the database is at revision {older[0]}, and this Leaf upgrades from revision {BASELINE}. "
        f"Start Leaf 0.1.0 with it once, then this version (docs/operations.md)"
    )


def make_vectors(connection: Connection) -> bool:
    """Creates the table of vectors, or its missing columns, if the extension `vector` is installed or can be created.

    Each start tries this again, because an administrator may install the extension later.

    Returns:
        Whether something was created.
    """
    state = connection.exec_driver_sql(_VECTORS).one()
    if state.has_bits or not (state.installed or state.available):
        return False
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (_VECTORS_LOCK,))
    state = connection.exec_driver_sql(_VECTORS).one()
    if state.has_bits:
        return False
    if state.installed is None:
        try:
            with connection.begin_nested():
                # The extension has a schema of its own, because every role may call its functions.
                connection.exec_driver_sql("CREATE SCHEMA leaf_vectors")
                connection.exec_driver_sql("CREATE EXTENSION vector SCHEMA leaf_vectors")
        except DBAPIError as error:
            reason = str(error.orig).partition("\n")[0]
            log.warning("the extension vector cannot be created, searches use words only: %s", reason)
            return False
    schema: str = connection.exec_driver_sql(_VECTORS).one().installed
    with connection.begin_nested():
        if schema != "public":
            connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA {schema} TO leaf_app")
        for name in ("0064_vector_bits.sql",) if state.is_made else ("0048_vectors.sql", "0064_vector_bits.sql"):
            statements = (_ALEMBIC / "sql" / name).read_text(encoding="utf-8").replace("{vectors}", schema)
            connection.exec_driver_sql(statements, execution_options={"no_parameters": True})
    return True


def execute(name: str) -> None:
    """Executes a file of alembic/sql, in a migration.

    Args:
        name: The path of the file within alembic/sql.
    """
    statements = (_ALEMBIC / "sql" / name).read_text(encoding="utf-8")
    # Without parameters, the driver sends the text unchanged. It may have several statements, and no placeholders.
    op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})


def restore(name: str, function: str) -> None:
    """Restores a database function from an earlier file of alembic/sql, in a downgrade."""
    written = (_ALEMBIC / "sql" / name).read_text(encoding="utf-8")
    found = re.search(rf"^CREATE (?:OR REPLACE )?(FUNCTION {function}\(.*?^\$\$;)", written, re.DOTALL | re.MULTILINE)
    if found is None:
        raise LookupError(f"{name} has no function {function}")
    statement = f"CREATE OR REPLACE {found[1]}"
    if "{vectors}" in statement:
        statement = statement.replace("{vectors}", op.get_bind().exec_driver_sql(_VECTORS).one().installed)
    op.get_bind().exec_driver_sql(statement, execution_options={"no_parameters": True})
