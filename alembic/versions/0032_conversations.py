"""Metadata of programs, the responses of models, sizes of chats, and cold storage for old conversations."""

from alembic import op

from leaf.db import migrate

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_FUNCTIONS = {
    "chats": ("leaf_chat_activity",),
    "search": ("leaf_keep_words",),
    "sharing": ("leaf_shared_content",),
    "conversations": ("leaf_tenant_messages", "leaf_tenant_chat"),
}
"""Functions of the baseline that this revision replaces, by their files."""


def upgrade():
    migrate.execute("0032_conversations.sql")


def downgrade():
    """Moves the contents back, and restores the functions of the revision before."""
    op.execute("SELECT leaf_warm_chats()")
    op.execute("DROP POLICY provider_logs_select ON provider_logs")
    op.execute("DROP FUNCTION leaf_tenant_messages(uuid), leaf_tenant_chat(uuid)")
    op.execute("DROP TRIGGER messages_warm_a ON messages")
    op.execute("DROP TRIGGER messages_warm_b ON messages")
    for file, names in _FUNCTIONS.items():
        for name in names:
            migrate.restore(f"0030_baseline/{file}.sql", name)
    op.execute("REVOKE ALL ON FUNCTION leaf_tenant_messages(uuid), leaf_tenant_chat(uuid) FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION leaf_tenant_messages(uuid), leaf_tenant_chat(uuid) TO leaf_app")
    op.execute(
        "CREATE POLICY provider_logs_select ON provider_logs FOR SELECT TO leaf_app "
        "USING (expires_at > now() AND EXISTS (SELECT FROM leaf_tenant_chat(chat_session_id)))"
    )
    op.execute(
        "DROP FUNCTION leaf_parts(messages), leaf_model_messages(messages), leaf_cool_chats(interval, integer), "
        "leaf_warm_chats(), leaf_warm_message(), leaf_large_chats(bigint, integer)"
    )
    op.drop_table("cold_messages")
    op.execute("ALTER TABLE messages DROP COLUMN responses, DROP COLUMN cold")
    op.execute("ALTER TABLE chat_sessions DROP COLUMN metadata, DROP COLUMN content_bytes")
