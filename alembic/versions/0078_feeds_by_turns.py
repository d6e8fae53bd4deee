"""Feeds that are followed do not wait for those that are listed, and feeds that fail in the same way take turns. A file
has the time at which Google refused its download, as Google may show it as open all the same.
"""

from alembic import op

from leaf.db import migrate

revision = "0078"
down_revision = "0077"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0078_feeds_by_turns.sql")


def downgrade():
    op.execute("ALTER TABLE drive_sight DROP COLUMN refused_at")
    op.execute("DROP FUNCTION leaf_wake_drive_feeds(text)")
    op.execute("DROP FUNCTION leaf_drive_feed_pause(text, text, interval, interval, interval)")
    op.execute("DROP FUNCTION leaf_due_drive_feeds(interval, interval, interval, interval, text, integer)")
