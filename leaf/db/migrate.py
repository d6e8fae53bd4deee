"""Brings a database to the newest revision, as `alembic upgrade head` does."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, NullPool, create_engine, make_url
from sqlalchemy.exc import DBAPIError

from leaf import errors

_ALEMBIC = Path(__file__).parents[2] / "alembic"


def upgrade(database_url: str) -> None:
    """Runs the migrations that are missing; several processes may call it at once, and one of them does the work.

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
        if set(done) == set(ScriptDirectory.from_config(settings).get_heads()):
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
