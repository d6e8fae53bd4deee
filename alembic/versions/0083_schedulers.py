"""The functions of schedulers, which name members, runs and chats of everybody, answer the system alone."""

from leaf.db import migrate

revision = "0083"
down_revision = "0082"
branch_labels = None
depends_on = None

_BEFORE = {
    "0030_baseline/chats.sql": ["leaf_deleted_runs"],
    "0030_baseline/imports.sql": ["leaf_import_owner", "leaf_unfinished_imports"],
    "0030_baseline/runs.sql": ["leaf_overdue_client_calls", "leaf_run_owner", "leaf_unfinished_runs"],
    "0032_conversations.sql": ["leaf_large_chats"],
    "0042_index.sql": ["leaf_due_drive_feeds", "leaf_unread_drives"],
    "0048_embedding.sql": ["leaf_unembedded_drives"],
    "0050_again.sql": ["leaf_unread_drives"],
    "0059_watches.sql": ["leaf_due_watches"],
    "0060_digests.sql": ["leaf_due_digests"],
    "0073_followed_answers.sql": ["leaf_due_drive_feeds", "leaf_due_quotes"],
    "0078_feeds_by_turns.sql": ["leaf_due_drive_feeds"],
}
"""The files that have the functions as they were."""


def upgrade():
    migrate.execute("0083_schedulers.sql")


def downgrade():
    for name, functions in _BEFORE.items():
        for function in functions:
            migrate.restore(name, function)
