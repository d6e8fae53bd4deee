"""Watched questions count a file from the time at which its text can be searched, also if it was skipped at first."""

from alembic import op

from leaf.db import migrate

revision = "0077"
down_revision = "0076"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0077_late_texts.sql")


def downgrade():
    migrate.restore("0070_unchanged_drives.sql", "leaf_changed_files")
    migrate.restore("0042_index.sql", "leaf_keep_drive_text")
    op.execute("DROP TRIGGER drive_texts_settled ON drive_texts")
    op.execute("DROP FUNCTION leaf_settle_text()")
    op.execute("ALTER TABLE drive_texts DROP COLUMN settled_at, DROP COLUMN late")
