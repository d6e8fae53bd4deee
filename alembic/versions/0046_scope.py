"""The part of a Drive to which a chat is limited."""

from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade():
    op.execute("""
        ALTER TABLE chat_sessions ADD COLUMN scope jsonb CONSTRAINT chat_sessions_scope_check
            CHECK (jsonb_typeof(scope) = 'object' AND octet_length(scope::text) <= 65536)
    """)
    op.execute("GRANT UPDATE (scope) ON chat_sessions TO leaf_app")


def downgrade():
    op.execute("ALTER TABLE chat_sessions DROP COLUMN scope")
