"""Brings a database to the newest revision, as `alembic upgrade head` does."""

import logging
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, NullPool, create_engine, make_url
from sqlalchemy.exc import DBAPIError

from leaf import errors

log = logging.getLogger(__name__)

_ALEMBIC = Path(__file__).parents[2] / "alembic"


def upgrade(database_url: str) -> None:
    """Runs the migrations that are missing; several processes may call it at once, and one of them does the work.

    A database that a newer Leaf has migrated is left as it is: migrations keep what the version before them uses, so
    that two versions can run side by side, and the older one can be started again (docs/operations.md).

    Not for several threads of a process: Alembic keeps its context in a module.

    Args:
        database_url: `postgresql://…` of a role that owns the database, or may create tables and roles in it.

    Raises:
        errors.ConfigurationError: The database cannot be reached, or does not let this role in.
    """
    settings = Config()
    settings.set_main_option("script_location", str(_ALEMBIC).replace("%", "%%"))
    engine = create_engine(make_url(database_url).set(drivername="postgresql+psycopg"), poolclass=NullPool)
    with _connected(engine) as connection:
        done = MigrationContext.configure(connection).get_current_heads()
        scripts = ScriptDirectory.from_config(settings)
        if set(done) == set(scripts.get_heads()):
            return
        known = {script.revision for script in scripts.walk_revisions()}
        if unknown := set(done) - known:
            log.warning("the database is newer than this Leaf (revision %s); it is left as it is", ", ".join(unknown))
            return
        connection.rollback()
        settings.attributes["connection"] = connection
        command.upgrade(settings, "head")
        connection.commit()


def _connected(engine: Engine) -> Connection:
    try:
        return engine.connect()
    except DBAPIError as error:
        # The driver's message names host, port and role, and never the password.
        reason = " ".join(str(error.orig).split())
        raise errors.ConfigurationError([f"DATABASE_URL: the database cannot be reached: {reason}"]) from None
