"""Reseals stored tokens and secrets with the newest key: `python -m leaf.db.seal` (`make reseal`)."""

import sys

import psycopg

from leaf import config, errors
from leaf.callers import tokens
from leaf.db import address


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
        rows = connection.execute("SELECT id, access_token, refresh_token FROM integrations ORDER BY id").fetchall()
        for row_id, access, refresh in rows:
            try:
                access_anew, refresh_anew = _anew(sealer, access), _anew(sealer, refresh)
            except errors.ConfigurationError:
                lost += 1
                continue
            if (access_anew, refresh_anew) == (access, refresh):
                continue
            # If a token was refreshed in the meantime, it is already sealed with the newest key.
            done = connection.execute(
                "UPDATE integrations SET access_token = %s, refresh_token = %s WHERE id = %s "
                "AND access_token = %s AND refresh_token IS NOT DISTINCT FROM %s",
                [access_anew, refresh_anew, row_id, access, refresh],
            )
            changed += done.rowcount
            connection.commit()
        more_changed, more_lost = _reseal_secrets(connection, sealer)
    return changed + more_changed, lost + more_lost


def _reseal_secrets(connection: psycopg.Connection, sealer: tokens.Sealer) -> tuple[int, int]:
    """Seals the signing secrets of sites again. Nothing else changes them."""
    changed = lost = 0
    for row_id, sealed in connection.execute("SELECT id, sealed FROM signing_secrets ORDER BY id").fetchall():
        try:
            anew = _anew(sealer, sealed)
        except errors.ConfigurationError:
            lost += 1
            continue
        if anew != sealed:
            changed += connection.execute(
                "UPDATE signing_secrets SET sealed = %s WHERE id = %s", [anew, row_id]
            ).rowcount
            connection.commit()
    return changed, lost


def _anew(sealer: tokens.Sealer, sealed: str | None) -> str | None:
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
