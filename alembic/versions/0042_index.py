"""The index of members' Drives."""

import re
from pathlib import Path

from alembic import op

from leaf.db import migrate

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

_CONVERSATIONS = Path(__file__).parents[1] / "sql" / "0032_conversations.sql"


def upgrade():
    migrate.execute("0042_index.sql")


def downgrade():
    found = re.search(
        r"^CREATE OR REPLACE FUNCTION leaf_chat_activity\(.*?^\$\$;",
        _CONVERSATIONS.read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    op.get_bind().exec_driver_sql(found[0], execution_options={"no_parameters": True})
    op.execute("DROP TABLE drive_chunks, drive_texts, drive_sight, drive_feeds")
    op.execute("""
        DROP FUNCTION leaf_doubt_drive_texts(), leaf_forget_drive_texts(integer),
            leaf_keep_drive_text(text, text, bytea), leaf_open_drive_feeds(),
            leaf_due_drive_feeds(interval, interval, interval, integer), leaf_unread_drives(integer),
            leaf_doubt_earlier_texts(), leaf_text_language(text), leaf_chunk_words(text, text, text),
            leaf_word_query(text)
    """)
