"""Limits of a chat's file history: former versions and deleted files.

The caller holds the lock of the chat's files (`Store.begin`), so concurrent changes never measure at the same time.
"""

from uuid import UUID

from leaf.db.session import Transaction
from leaf.services.files import limits

_PRUNE = """
    DELETE FROM chat_file_versions WHERE id IN (
        SELECT id FROM (
            SELECT v.id, sum(octet_length(v.content)) OVER (ORDER BY v.created_at DESC, v.number DESC, v.id) AS bytes
            FROM chat_file_versions v JOIN chat_files f ON f.id = v.file_id
            WHERE v.chat_session_id = :chat_id AND v.number <> f.version AND v.content <> ''
        ) AS past WHERE bytes > :most
    )
"""


async def prune(tx: Transaction, chat_id: UUID) -> int:
    """Drops the oldest former versions until the limits hold.

    The newest version of a file always stays; for a deleted file that is an empty one.

    Returns:
        The number of dropped versions.
    """
    return (await tx.execute(_PRUNE, {"chat_id": chat_id, "most": limits.MAX_CHAT_HISTORY_BYTES})).rowcount
