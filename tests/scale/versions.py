"""The version before this one, as files in a folder, and the database as that version left it."""

import subprocess
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from leaf.db import migrate
from tests.acceptance.stack import REPOSITORY


def previous() -> str:
    """The commit before the newest migration came: the last one whose database has to be migrated."""
    return _git("log", "-1", "--diff-filter=A", "--format=%H^", "--", "alembic/versions").decode().strip()


class Version:
    """The files of a commit.

    Args:
        commit: The commit, as Git understands it.
        folder: Where the files are put; it must not exist.
    """

    def __init__(self, commit: str, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        subprocess.run(["tar", "-x", "-C", str(folder)], input=_git("archive", commit), check=True)
        settings = Config()
        settings.set_main_option("script_location", str(folder / "alembic").replace("%", "%%"))
        self.revision = str(ScriptDirectory.from_config(settings).get_current_head())

    def undo_migrations(self, database_url: str) -> None:
        """Brings a database of today back to the revision that this version knows.

        Args:
            database_url: A database that no process of Leaf uses.
        """
        settings = Config()
        settings.set_main_option("script_location", str(REPOSITORY / "alembic").replace("%", "%%"))
        with migrate.connect(database_url) as connection:
            settings.attributes["connection"] = connection
            command.downgrade(settings, self.revision)
            connection.commit()


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, check=True).stdout
