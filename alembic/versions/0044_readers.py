"""The version of the reader that a text was read by: newer ones read files again that older ones could not."""

from alembic import op

from leaf.db import migrate

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0044_readers.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_unread_drives(integer, integer)")
    op.execute("ALTER TABLE drive_texts DROP COLUMN reader")
