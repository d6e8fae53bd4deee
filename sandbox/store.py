"""Grants, codes, tokens, edits and feeds of changes in an SQLite file that survives `kill -9`.

As at Google, a grant belongs to one account and one client. Consenting again widens it, and revoking any of its tokens
ends it. Codes and tokens are stored as hashes in one table. The rights of a code are JSON in the column `scopes`.
"""

import hashlib
import json
import secrets
import sqlite3
import threading
import time
import weakref
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Access:
    """The rights of a token or an authorization code. Only a code has the fields after `grant_id`."""

    account: str
    client_id: str
    scopes: tuple[str, ...]
    grant_id: int = 0
    redirect_uri: str = ""
    challenge: str | None = None
    nonce: str | None = None
    offline: bool = False
    """Whether the code gives a refresh token, too."""


@dataclass(frozen=True)
class Content:
    """A content that was written into a sample file."""

    content: str
    account: str | None
    """The key of the account that wrote it; None for the file's owner."""
    edition: int
    """The number of the edit of the file, counted from 1."""
    written_at: float
    """The time in seconds since 1970."""


@dataclass(frozen=True)
class Edit:
    """All changes to a sample file or a Shared Drive through the sandbox."""

    terms: dict[str, Any]
    """The changed fields by name, without the content (`corpus.Changes.terms`)."""
    edition: int
    """The number of edits."""
    edited_at: float
    """The time of the last edit, in seconds since 1970."""
    contents: tuple[Content, ...]
    """The contents that were written into it, in order."""


@dataclass(frozen=True)
class Sighting:
    """A file or Shared Drive as an account has last seen it. A different `mark` means that it has changed."""

    subject: str
    drive_id: str | None
    mark: str


@dataclass(frozen=True)
class Change:
    """An entry of an account's feed. Of several changes to a file, the feed has only the last one."""

    id: int
    subject: str
    drive_id: str | None
    changed_at: float


class Store:
    """The persistent state of the sandbox.

    Args:
        path: The path of the SQLite file, which is created if it does not exist.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # All threads share a connection, one call at a time, because opening the file is a hundred times slower.
        self._opened = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._opened.close)
        self._lock = threading.Lock()
        with self._connection() as connection:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA journal_mode = WAL")
            # A commit must survive a crash of the process, but need not survive a crash of the machine.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(Path(__file__).with_suffix(".sql").read_text("utf-8"))

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            yield self._opened

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                # SQLite has already rolled back if its disk is full.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _all(self, query: str, values: Iterable[object] = ()) -> list[sqlite3.Row]:
        with self._connection() as connection:
            return connection.execute(query, tuple(values)).fetchall()

    def issue_code(self, code: Access, *, seconds: int) -> str:
        """Stores a consent and returns a code for it.

        The grant of the account and client is created, or its scopes are extended.

        Args:
            code: The rights of the code. Its `grant_id` is ignored.
            seconds: The lifetime of the code.
        """
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
            terms = json.dumps(asdict(replace(code, grant_id=row["id"])))
            return _insert(connection, "4/0", row["id"], "code", terms, time.time() + seconds)

    def take_code(self, value: str) -> Access | None:
        """Uses up a code and returns its rights; None if it is unknown, has expired, or was used before."""
        query = "DELETE FROM tokens WHERE hash = ? AND kind = 'code' AND expires_at > ? RETURNING scopes"
        with self._writing() as connection:
            row = connection.execute(query, (_digest(value), time.time())).fetchone()
        if row is None:
            return None
        terms: dict[str, Any] = json.loads(row["scopes"])
        return replace(Access(**terms), scopes=tuple(terms["scopes"]))

    def issue_token(self, access: Access, kind: str, *, seconds: int | None) -> str:
        """Creates a token of a grant.

        Args:
            access: The grant and scopes of the token.
            kind: `access` or `refresh`.
            seconds: The lifetime of the token; None for an unlimited one.

        Raises:
            sqlite3.IntegrityError: The grant was revoked in the meantime.
        """
        expires_at = None if seconds is None else time.time() + seconds
        with self._writing() as connection:
            # Deleting expired tokens keeps the table small. They stay for a day, to let them still revoke a grant.
            connection.execute("DELETE FROM tokens WHERE expires_at < ?", (time.time() - 86_400,))
            prefix = "ya29." if kind == "access" else "1//0"
            return _insert(connection, prefix, access.grant_id, kind, " ".join(access.scopes), expires_at)

    def access(self, value: str, kind: str = "access") -> Access | None:
        """The rights of a valid token; None if it is unknown, expired or revoked."""
        query = (
            "SELECT t.*, g.account, g.client_id FROM tokens t JOIN grants g ON g.id = t.grant_id "
            "WHERE t.hash = ? AND t.kind = ? AND (t.expires_at IS NULL OR t.expires_at > ?)"
        )
        for row in self._all(query, (_digest(value), kind, time.time())):
            return Access(row["account"], row["client_id"], tuple(row["scopes"].split()), row["grant_id"])
        return None

    def has_refresh_token(self, account: str, client_id: str) -> bool:
        """Whether a client already has a refresh token. Google issues another one only after a new consent."""
        query = (
            "SELECT 1 FROM tokens t JOIN grants g ON g.id = t.grant_id "
            "WHERE g.account = ? AND g.client_id = ? AND t.kind = 'refresh'"
        )
        return bool(self._all(query, (account, client_id)))

    def revoke(self, value: str) -> bool:
        """Ends the grant of a token with all its tokens and codes; returns False if the token is unknown."""
        query = "DELETE FROM grants WHERE id IN (SELECT grant_id FROM tokens WHERE hash = ?)"
        with self._writing() as connection:
            return bool(connection.execute(query, (_digest(value),)).rowcount)

    def remove_grants(self, accounts: Iterable[str]) -> None:
        """Ends the access of all clients to these accounts."""
        with self._writing() as connection:
            connection.executemany("DELETE FROM grants WHERE account = ?", [(account,) for account in accounts])

    def grants(self, account: str) -> list[Access]:
        """The grants of an account."""
        rows = self._all("SELECT * FROM grants WHERE account = ? ORDER BY client_id", (account,))
        return [Access(account, row["client_id"], tuple(row["scopes"].split()), row["id"]) for row in rows]

    def edit(
        self, subject: str, terms: Mapping[str, Any], *, content: str | None = None, account: str | None = None
    ) -> None:
        """Changes a sample file or a Shared Drive. Other fields stay unchanged, and earlier contents are kept.

        Args:
            subject: The id of the file or Shared Drive.
            terms: The changed fields.
            content: The new content; None if it does not change.
            account: The key of the account that writes the content; None for the owner.
        """
        with self._writing() as connection:
            now = time.time()
            row = connection.execute(
                "INSERT INTO edited VALUES (?, ?, 1, ?) ON CONFLICT (subject) DO UPDATE SET "
                "terms = json_patch(terms, excluded.terms), edition = edition + 1, edited_at = excluded.edited_at "
                "RETURNING edition",
                (subject, json.dumps(terms, default=sorted), now),
            ).fetchone()
            if content is not None:
                connection.execute(
                    "INSERT INTO written VALUES (?, ?, ?, ?, ?)", (subject, row["edition"], content, account, now)
                )

    def edits(self) -> dict[str, Edit]:
        """All edits, by the id of the file or Shared Drive."""
        written: dict[str, list[Content]] = {}
        for row in self._all("SELECT * FROM written ORDER BY edition"):
            content = Content(row["content"], row["account"], row["edition"], row["written_at"])
            written.setdefault(row["file_id"], []).append(content)
        return {
            row["subject"]: Edit(
                json.loads(row["terms"]), row["edition"], row["edited_at"], tuple(written.get(row["subject"], ()))
            )
            for row in self._all("SELECT * FROM edited")
        }

    def add(self, entry: dict[str, Any]) -> float:
        """Adds a file that a manifest entry describes; returns the time in seconds since 1970."""
        now = time.time()
        with self._writing() as connection:
            connection.execute("INSERT INTO additions (entry, added_at) VALUES (?, ?)", (json.dumps(entry), now))
        return now

    def additions(self) -> list[tuple[dict[str, Any], float]]:
        """The manifest entries of added files with the times of their additions, in order."""
        return [(json.loads(row["entry"]), row["added_at"]) for row in self._all("SELECT * FROM additions ORDER BY id")]

    def seen(self, account: str) -> dict[str, Sighting]:
        """Everything in the last view of an account, by the id of the file or Shared Drive."""
        rows = self._all("SELECT subject, drive_id, mark FROM seen WHERE account = ?", (account,))
        return {row["subject"]: Sighting(row["subject"], row["drive_id"], row["mark"]) for row in rows}

    def see(self, account: str, fresh: Iterable[Sighting], gone: Iterable[Sighting], *, reported: bool) -> None:
        """Updates the last view of an account.

        Args:
            account: The key of the account.
            fresh: Everything that is new or has changed.
            gone: Everything that the account no longer sees.
            reported: Whether to add an entry for each of them to the account's feed.
        """
        fresh, gone, now = list(fresh), list(gone), time.time()
        with self._writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?)",
                [(account, one.subject, one.drive_id, one.mark) for one in fresh],
            )
            connection.executemany(
                "DELETE FROM seen WHERE account = ? AND subject = ?", [(account, one.subject) for one in gone]
            )
            if reported:
                connection.executemany(
                    "INSERT OR REPLACE INTO changes (account, subject, drive_id, changed_at) VALUES (?, ?, ?, ?)",
                    [(account, one.subject, one.drive_id, now) for one in [*fresh, *gone]],
                )

    def changes(self, account: str, after: int) -> list[Change]:
        """The entries of an account's feed after a place, in order."""
        rows = self._all("SELECT * FROM changes WHERE account = ? AND id > ? ORDER BY id", (account, after))
        return [Change(row["id"], row["subject"], row["drive_id"], row["changed_at"]) for row in rows]

    def last_change(self) -> int:
        """The number of the last change of any account."""
        return self._all("SELECT coalesce(max(seq), 0) AS seq FROM sqlite_sequence WHERE name = 'changes'")[0]["seq"]

    def forget_changes(self) -> None:
        """Makes all present places in feeds invalid, as Google does with old ones."""
        with self._writing() as connection:
            connection.execute("INSERT INTO changes (account, subject, changed_at) VALUES ('', '', 0)")
            last = connection.execute("SELECT max(id) AS id FROM changes").fetchone()["id"]
            connection.execute("DELETE FROM changes")
            connection.execute("INSERT INTO forgotten_changes VALUES (?)", (last,))

    def restore(self) -> None:
        """Deletes all edits and additions of files, the views of accounts, and the feeds."""
        with self._writing() as connection:
            for table in ("edited", "written", "additions", "seen", "changes", "forgotten_changes"):
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - names from above

    def oldest_place(self) -> int:
        """The oldest place in feeds that is still valid."""
        return self._all("SELECT coalesce(max(id), 0) AS id FROM forgotten_changes")[0]["id"]


def _insert(
    connection: sqlite3.Connection, prefix: str, grant_id: int, kind: str, scopes: str, expires_at: float | None
) -> str:
    value = prefix + secrets.token_urlsafe(72)
    connection.execute(
        "INSERT INTO tokens VALUES (?, ?, ?, ?, ?)", (_digest(value), grant_id, kind, scopes, expires_at)
    )
    return value


def _digest(token: str) -> str:
    """The hash of a token, which is the only form in which a token is stored."""
    return hashlib.sha256(token.encode()).hexdigest()
