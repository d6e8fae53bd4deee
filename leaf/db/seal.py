"""Sealing stored tokens anew with the newest key: `python -m leaf.db.seal` (`make reseal`)."""

import sys

import psycopg
from sqlalchemy import make_url

from leaf import config, errors, tokens


def reseal(database_url: str, sealer: tokens.Sealer) -> tuple[int, int]:
    """Seals every stored token with the first of the keys; Leaf may be running meanwhile.

    Args:
        database_url: Of the role that owns the tables: nobody else sees all rows.
        sealer: With the new key in front of those that are still in use.

    Returns:
        How many tokens and secrets were sealed anew, and how many cannot be opened with any of the keys.
    """
    address = make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)
    changed = lost = 0
    with psycopg.connect(address) as connection:
        rows = connection.execute("SELECT id, access_token, refresh_token FROM integrations ORDER BY id").fetchall()
        for row_id, access, refresh in rows:
            try:
                access_anew, refresh_anew = _anew(sealer, access), _anew(sealer, refresh)
            except errors.ConfigurationError:
                lost += 1
                continue
            if (access_anew, refresh_anew) == (access, refresh):
                continue
            # What was refreshed meanwhile is left as it is: it is sealed with the new key already.
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
    """The signing secrets of tenants; they are never changed otherwise."""
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
    """The command; returns the exit status: 1 where something cannot be opened."""
    settings = config.load()
    if settings.database_url is None:
        sys.stderr.write("DATABASE_URL: is missing\n")
        return 1
    changed, lost = reseal(settings.database_url, settings.sealer)
    sys.stdout.write(f"{changed} connections were sealed anew, {lost} cannot be opened\n")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
