"""Reseals stored tokens and secrets with the newest key: `python -m leaf.db.seal` (`make reseal`)."""

import sys
from typing import Final

import psycopg
from psycopg import sql

from leaf import config, errors
from leaf.callers import tokens
from leaf.db import address

_SEALED: Final = {"integrations": ("access_token", "refresh_token"), "signing_secrets": ("sealed",)}
"""The columns with sealed values, by table."""


def reseal(database_url: str, sealer: tokens.Sealer) -> tuple[int, int]:
    """Seals every stored token and secret with the newest key. Leaf may be running.

    Args:
        database_url: The address of the database with the role that owns the tables, because only the owner sees all
            rows.
        sealer: The sealer with the keys, the newest first.

    Returns:
        The number of connections and secrets that were sealed again, and the number of those that no key can open.
    """
    changed = lost = 0
    with psycopg.connect(**address.arguments(database_url), prepare_threshold=None) as connection:
        for table, columns in _SEALED.items():
            names = {"table": sql.Identifier(table), "columns": sql.SQL(", ").join(map(sql.Identifier, columns))}
            query = sql.SQL("SELECT id, {columns} FROM {table} ORDER BY id").format(**names)
            # If a token was refreshed in the meantime, it is already sealed with the newest key.
            update = sql.SQL(
                "UPDATE {table} SET ({columns}) = ROW ({places}) "
                "WHERE id = %s AND ROW ({columns}) IS NOT DISTINCT FROM ROW ({places})"
            ).format(**names, places=sql.SQL(", ").join([sql.Placeholder()] * len(columns)))
            for row_id, *sealed in connection.execute(query).fetchall():
                try:
                    anew = [_resealed(sealer, one) for one in sealed]
                except errors.ConfigurationError:
                    lost += 1
                    continue
                if anew != sealed:
                    changed += connection.execute(update, [*anew, row_id, *sealed]).rowcount
                    connection.commit()
    return changed, lost


def _resealed(sealer: tokens.Sealer, sealed: str | None) -> str | None:
    return sealed if sealed is None or sealer.is_newest(sealed) else sealer.seal(sealer.open(sealed))


def main() -> int:
    """Runs the command. Returns the exit status, which is 1 if something cannot be opened."""
    settings = config.load()
    if settings.database_url is None:
        sys.stderr.write("DATABASE_URL: is missing\n")
        return 1
    changed, lost = reseal(settings.database_url, settings.sealer)
    sys.stdout.write(f"{changed} connections and secrets were sealed again, {lost} cannot be opened\n")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
