"""Grants, codes, tokens and changes, in an SQLite file that survives `kill -9`.

A grant belongs to one account and one client, as at Google: consenting again widens it, revoking any of its tokens ends
it. Codes and tokens are stored as hashes.
"""

import secrets
import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from leaf import tokens

_SCHEMA = """
CREATE TABLE IF NOT EXISTS grants (
    id INTEGER PRIMARY KEY, account TEXT NOT NULL, client_id TEXT NOT NULL, scopes TEXT NOT NULL,
    created_at REAL NOT NULL, UNIQUE (account, client_id));
CREATE TABLE IF NOT EXISTS codes (
    hash TEXT PRIMARY KEY, grant_id INTEGER NOT NULL REFERENCES grants ON DELETE CASCADE, scopes TEXT NOT NULL,
    redirect_uri TEXT NOT NULL, challenge TEXT, nonce TEXT, offline INTEGER NOT NULL, expires_at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS tokens (
    hash TEXT PRIMARY KEY, grant_id INTEGER NOT NULL REFERENCES grants ON DELETE CASCADE, kind TEXT NOT NULL,
    scopes TEXT NOT NULL, expires_at REAL);
CREATE INDEX IF NOT EXISTS tokens_grant ON tokens (grant_id);
CREATE TABLE IF NOT EXISTS changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT, file_id TEXT NOT NULL, removed INTEGER NOT NULL,
    changed_at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS snapshot (file_id TEXT PRIMARY KEY, revision TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS edits (
    file_id TEXT PRIMARY KEY, content TEXT, name TEXT, trashed INTEGER, edition INTEGER NOT NULL,
    edited_at REAL NOT NULL);
"""


@dataclass(frozen=True)
class Code:
    """An authorization code's terms. `offline` means: a refresh token is due."""

    account: str
    client_id: str
    scopes: tuple[str, ...]
    redirect_uri: str
    challenge: str | None
    nonce: str | None
    offline: bool
    grant_id: int


@dataclass(frozen=True)
class Access:
    """What a token allows, and to whom."""

    account: str
    client_id: str
    scopes: tuple[str, ...]
    grant_id: int


@dataclass(frozen=True)
class Grant:
    """An app's access to an account."""

    client_id: str
    scopes: tuple[str, ...]
    created_at: float


@dataclass(frozen=True)
class Edit:
    """A change made to a sample file through the sandbox; None means: as authored."""

    content: str | None
    name: str | None
    trashed: bool | None
    edition: int
    edited_at: float


class Store:
    """The sandbox's memory.

    Args:
        path: The SQLite file; it is created where it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._connection() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(_SCHEMA)

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        """A connection of its own for each call: endpoints run in several threads."""
        connection = sqlite3.connect(self._path, timeout=10, isolation_level=None)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        try:
            yield connection
        finally:
            connection.close()

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                # SQLite has rolled back by itself where its disk is full.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def issue_code(self, code: Code, *, seconds: int) -> str:
        """Stores the consent behind `code` and answers the code itself. `code.grant_id` is filled in here."""
        value = "4/0" + secrets.token_urlsafe(48)
        with self._writing() as connection:
            known = connection.execute(
                "SELECT scopes FROM grants WHERE account = ? AND client_id = ?", (code.account, code.client_id)
            ).fetchone()
            merged = dict.fromkeys([*(known["scopes"].split() if known else ()), *code.scopes])
            row = connection.execute(
                "INSERT INTO grants (account, client_id, scopes, created_at) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (account, client_id) DO UPDATE SET scopes = excluded.scopes RETURNING id",
                (code.account, code.client_id, " ".join(merged), time.time()),
            ).fetchone()
            connection.execute("DELETE FROM codes WHERE expires_at < ?", (time.time(),))
            connection.execute(
                "INSERT INTO codes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    tokens.digest(value), row["id"], " ".join(code.scopes), code.redirect_uri, code.challenge,
                    code.nonce, code.offline, time.time() + seconds,
                ),
            )  # fmt: skip
        return value

    def take_code(self, value: str) -> Code | None:
        """The terms of a code, which is used up by this. None: unknown, expired or used before."""
        with self._writing() as connection:
            row = connection.execute(
                "SELECT c.*, g.account, g.client_id FROM codes c JOIN grants g ON g.id = c.grant_id "
                "WHERE c.hash = ? AND c.expires_at > ?",
                (tokens.digest(value), time.time()),
            ).fetchone()
            connection.execute("DELETE FROM codes WHERE hash = ?", (tokens.digest(value),))
        if row is None:
            return None
        return Code(
            row["account"], row["client_id"], tuple(row["scopes"].split()), row["redirect_uri"], row["challenge"],
            row["nonce"], bool(row["offline"]), row["grant_id"],
        )  # fmt: skip

    def issue_token(self, grant_id: int, kind: str, scopes: tuple[str, ...], *, seconds: int | None) -> str:
        """A new token of a grant.

        Args:
            grant_id: Whose.
            kind: `access` or `refresh`.
            scopes: What it allows.
            seconds: Its lifetime; None for one without end.

        Raises:
            sqlite3.IntegrityError: The grant was revoked meanwhile.
        """
        prefix = "ya29." if kind == "access" else "1//0"
        value = prefix + secrets.token_urlsafe(96 if kind == "access" else 64)
        expires_at = None if seconds is None else time.time() + seconds
        with self._writing() as connection:
            # A day's grace keeps the table small and still lets a stale token revoke its grant.
            connection.execute("DELETE FROM tokens WHERE expires_at < ?", (time.time() - 86_400,))
            connection.execute(
                "INSERT INTO tokens VALUES (?, ?, ?, ?, ?)",
                (tokens.digest(value), grant_id, kind, " ".join(scopes), expires_at),
            )
        return value

    def access(self, value: str, kind: str = "access") -> Access | None:
        """What a live token allows. None: unknown, expired or revoked."""
        with self._connection() as connection:
            row = connection.execute(
                "SELECT t.*, g.account, g.client_id FROM tokens t JOIN grants g ON g.id = t.grant_id "
                "WHERE t.hash = ? AND t.kind = ? AND (t.expires_at IS NULL OR t.expires_at > ?)",
                (tokens.digest(value), kind, time.time()),
            ).fetchone()
        if row is None:
            return None
        return Access(row["account"], row["client_id"], tuple(row["scopes"].split()), row["grant_id"])

    def has_refresh_token(self, account: str, client_id: str) -> bool:
        """Whether a refresh token was given out before: Google gives a second one only after new consent."""
        with self._connection() as connection:
            row = connection.execute(
                "SELECT 1 FROM tokens t JOIN grants g ON g.id = t.grant_id "
                "WHERE g.account = ? AND g.client_id = ? AND t.kind = 'refresh'",
                (account, client_id),
            ).fetchone()
        return row is not None

    def revoke(self, value: str) -> bool:
        """Ends the grant that a token belongs to, with all of its tokens and codes. False: unknown token."""
        with self._writing() as connection:
            row = connection.execute("SELECT grant_id FROM tokens WHERE hash = ?", (tokens.digest(value),)).fetchone()
            if row is None:
                return False
            connection.execute("DELETE FROM grants WHERE id = ?", (row["grant_id"],))
        return True

    def remove_grant(self, account: str, client_id: str) -> None:
        """Ends an app's access, as the account page does."""
        with self._writing() as connection:
            connection.execute("DELETE FROM grants WHERE account = ? AND client_id = ?", (account, client_id))

    def grants(self, account: str) -> list[Grant]:
        """The apps with access to an account."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT * FROM grants WHERE account = ? ORDER BY client_id", (account,)
            ).fetchall()
        return [Grant(row["client_id"], tuple(row["scopes"].split()), row["created_at"]) for row in rows]

    def last_change(self) -> int:
        """The number of the latest change; 0 where nothing changed yet."""
        with self._connection() as connection:
            return int(connection.execute("SELECT coalesce(max(number), 0) FROM changes").fetchone()[0])

    def changes_after(self, number: int, limit: int) -> list[tuple[int, str, bool, float]]:
        """Up to `limit` changes after `number`: (number, file id, removed, seconds since 1970)."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT * FROM changes WHERE number > ? ORDER BY number LIMIT ?", (number, limit)
            ).fetchall()
        return [(row["number"], row["file_id"], bool(row["removed"]), row["changed_at"]) for row in rows]

    def record_snapshot(self, revisions: dict[str, str]) -> None:
        """Compares the files' revisions with the last snapshot and records what changed since.

        Args:
            revisions: Every file's revision by id. The first snapshot ever taken records no change.
        """
        with self._writing() as connection:
            before = {row["file_id"]: row["revision"] for row in connection.execute("SELECT * FROM snapshot")}
            changed = [(file_id, 0) for file_id, revision in revisions.items() if before.get(file_id) != revision]
            removed = [(file_id, 1) for file_id in before.keys() - revisions.keys()]
            if before:
                connection.executemany(
                    f"INSERT INTO changes (file_id, removed, changed_at) VALUES (?, ?, {time.time()})",  # noqa: S608
                    changed + removed,
                )
            connection.executemany("DELETE FROM snapshot WHERE file_id = ?", [(file_id,) for file_id, _ in removed])
            connection.executemany(
                "INSERT OR REPLACE INTO snapshot VALUES (?, ?)",
                [(file_id, revisions[file_id]) for file_id, _ in changed],
            )

    def edit(self, file_id: str, *, content: str | None, name: str | None, trashed: bool | None) -> None:
        """Changes a sample file; what is None stays as it is."""
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO edits VALUES (?, ?, ?, ?, 1, ?) ON CONFLICT (file_id) DO UPDATE SET "
                "content = coalesce(excluded.content, content), name = coalesce(excluded.name, name), "
                "trashed = coalesce(excluded.trashed, trashed), edition = edition + 1, edited_at = excluded.edited_at",
                (file_id, content, name, trashed, time.time()),
            )
            connection.execute(
                "INSERT INTO changes (file_id, removed, changed_at) VALUES (?, 0, ?)", (file_id, time.time())
            )

    def edits(self) -> dict[str, Edit]:
        """All edits by file id."""
        with self._connection() as connection:
            rows = connection.execute("SELECT * FROM edits").fetchall()
        return {
            row["file_id"]: Edit(
                row["content"], row["name"], None if row["trashed"] is None else bool(row["trashed"]), row["edition"],
                row["edited_at"],
            )
            for row in rows
        }  # fmt: skip
