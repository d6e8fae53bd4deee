"""Stored passages obey Google's permissions, and a member can have no texts kept."""

from alembic import op

from leaf.db import migrate

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0045_sight.sql")


def downgrade():
    migrate.restore("0042_index.sql", "leaf_open_drive_feeds")
    migrate.restore("0039_narration.sql", "leaf_shared_parts")
    op.execute("DROP FUNCTION leaf_shared_by(text)")
    op.execute("DROP TRIGGER drive_sight_deleted_documents ON drive_sight")
    op.execute("DROP TRIGGER drive_sight_updated_documents ON drive_sight")
    op.execute("DROP FUNCTION leaf_forget_documents()")
    op.execute("ALTER TABLE user_settings DROP COLUMN keeps_texts")
