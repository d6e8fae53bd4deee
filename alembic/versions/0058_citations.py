"""Checked quotes of Drive files, which are looked for again when their file changes."""

from alembic import op

from leaf.db import migrate

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0058_citations.sql")


def downgrade():
    op.execute("DROP TRIGGER messages_follow_quotes ON messages")
    op.execute("DROP TRIGGER drive_sight_deleted_quotes ON drive_sight")
    op.execute("DROP TRIGGER drive_sight_inserted_quotes ON drive_sight")
    op.execute("DROP TRIGGER drive_sight_updated_quotes ON drive_sight")
    op.execute("DROP TABLE citations")
    op.execute("""
        DROP FUNCTION leaf_followed_quotes(jsonb), leaf_follow_quotes(), leaf_doubt_quotes(), leaf_quotes_changed(),
            leaf_due_quotes(integer), leaf_shared_moved(text)
    """)
