"""Files that were skipped for a failure that may pass are tried again a day later."""

from leaf.db import migrate

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0050_again.sql")


def downgrade():
    migrate.restore("0044_readers.sql", "leaf_unread_drives")
