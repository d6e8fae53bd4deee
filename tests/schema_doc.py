"""`python -m tests.schema_doc`: writes alembic/schema.sql, the schema of a new database, from PostgreSQL's own dump."""

import re
import subprocess
from collections import defaultdict
from pathlib import Path

from leaf.db import migrate
from tests.postgres import BINARIES, running_postgres

DOCUMENT = Path(__file__).parents[1] / "alembic" / "schema.sql"

_HEAD = """\
-- The database of this version, as PostgreSQL describes it. Written by `make docs` from a migrated database
-- (tests/schema_doc.py); do not edit it. The reasons for tables, functions and policies are in alembic/sql.
--
-- First the types, then each table with its constraints, indexes, triggers, policies and rights, then the functions.
-- Left out: comments within functions, the names of owners and of the schema, and the table of Alembic.
"""
_ENTRY = re.compile(r"^-- Name: (?P<name>.*); Type: (?P<type>[A-Z ]+); Schema: .*\n--\n\n", re.MULTILINE)
_SESSION = re.compile(r"^(SET |\\(un)?restrict ).*\n", re.MULTILINE)
_COMMENT = re.compile(r"^ *--.*\n", re.MULTILINE)
_TABLE = re.compile(r"CREATE TABLE (\w+)|ALTER TABLE (?:ONLY )?(\w+)|\bON (?:TABLE )?(\w+)")
_COLUMN_RIGHTS = re.compile(r"GRANT (?P<rights>[A-Z]+\(.*\)) ON TABLE (?P<rest>.*;)")
_OF_TABLE = ("TABLE", "SEQUENCE", "CONSTRAINT", "INDEX", "FK CONSTRAINT", "TRIGGER", "ROW SECURITY", "POLICY", "ACL")
"""In the order in which they stand under a table."""


def text(database_url: str) -> str:
    """The schema of a database. Two databases with the same text behave in the same way.

    Args:
        database_url: The address of a migrated database, as its owner.
    """
    command = [BINARIES / "pg_dump", "--schema-only", "--no-owner", "--exclude-table=alembic_version", database_url]
    dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    dump = _SESSION.sub("", dump).replace("public.", "")
    pieces = _ENTRY.split(dump.partition("-- PostgreSQL database dump complete")[0])[1:]
    other: list[str] = []
    tables: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    functions: dict[str, list[str]] = defaultdict(list)
    for name, kind, statements in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        statement = _COMMENT.sub("", statements).strip()
        if kind == "FUNCTION" or name.startswith("FUNCTION "):
            functions[name.removeprefix("FUNCTION ").partition("(")[0]].append(statement)
        elif kind in _OF_TABLE and not name.startswith("SCHEMA "):
            tables[_table(statement)][kind].append(statement)
        else:
            other.append(statement)
    sections = [*other, *(_of_table(tables[name]) for name in sorted(tables)), *map("\n".join, functions.values())]
    return "\n\n".join([_HEAD.rstrip(), *sections]) + "\n"


def _table(statement: str) -> str:
    """The name of the table that a statement is about."""
    found = _TABLE.search(statement)
    assert found is not None, statement
    return next(filter(None, found.groups()))


def _of_table(statements: dict[str, list[str]]) -> str:
    lines: list[str] = []
    columns: dict[tuple[str, str], list[str]] = defaultdict(list)
    for kind in _OF_TABLE:
        for statement in statements.get(kind, []):
            if granted := _COLUMN_RIGHTS.fullmatch(statement):
                for right, column in re.findall(r"([A-Z]+)\((\w+)\)", granted["rights"]):
                    columns[right, granted["rest"]].append(column)
            else:
                lines.append(re.sub(r"^(ALTER TABLE .*)\n +", r"\1 ", statement))
    lines += [f"GRANT {right} ({', '.join(names)}) ON TABLE {rest}" for (right, rest), names in columns.items()]
    return "\n".join(lines)


def main() -> None:
    with running_postgres() as server:
        url = server.url(server.create_database())
        migrate.upgrade(url)
        DOCUMENT.write_text(text(url), encoding="utf-8")


if __name__ == "__main__":
    main()
