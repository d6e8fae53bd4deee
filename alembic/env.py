"""Alembic's environment: the connection comes from `leaf.db.migrate`, or from DATABASE_URL on the command line."""

import sys
from logging.config import fileConfig

from alembic import context
from sqlalchemy import Connection, text

from leaf import config, errors
from leaf.db import migrate
from leaf.db.models import Base

_LOCK = 0x1EAF_DB
"""The advisory lock of migrations; any number does, as long as it stays the same."""


def _run(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=Base.metadata, compare_type=True)
    with context.begin_transaction():
        # Held until the migration is committed; a process that has waited here finds nothing left to do.
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        if refusal := migrate.too_old(set(context.get_context().get_current_heads())):
            raise errors.ConfigurationError([f"DATABASE_URL: {refusal}"])
        context.run_migrations()


def _run_from_command_line() -> None:
    if context.config.config_file_name:
        fileConfig(context.config.config_file_name, disable_existing_loggers=False)
    url = config.current().database_url
    if url is None:
        raise errors.ConfigurationError(["DATABASE_URL: is missing; the migrations need it"])
    with migrate.connect(url) as connection:
        migrate.require_version(connection)
        migrate.require_rights(connection)
        connection.rollback()
        _run(connection)


def main() -> None:
    if connection := context.config.attributes.get("connection"):
        _run(connection)
        return
    try:
        _run_from_command_line()
    except errors.ConfigurationError as error:
        sys.exit("\n".join(error.problems))


main()
