"""The tools that a chat is limited to, and its budget of thinking."""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade():
    op.execute("""
        ALTER TABLE chat_sessions
            ADD COLUMN tools text[] CONSTRAINT chat_sessions_tools_check CHECK (cardinality(tools) <= 100),
            ADD COLUMN thinking_tokens integer CONSTRAINT chat_sessions_thinking_tokens_check
                CHECK (thinking_tokens BETWEEN 1024 AND 100000)
    """)
    op.execute("GRANT UPDATE (tools, thinking_tokens) ON chat_sessions TO leaf_app")


def downgrade():
    op.execute("ALTER TABLE chat_sessions DROP COLUMN tools, DROP COLUMN thinking_tokens")
