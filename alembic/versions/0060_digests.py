"""E-mails about watched questions."""

from alembic import op

from leaf.db import migrate

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0060_digests.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_due_digests(integer, interval)")
    op.execute("DROP TABLE digests")
    op.execute("ALTER TABLE watches DROP COLUMN mailed_at")
