"""Links know every file that a figure was computed from, so that the sharer's grant is asked for each."""

from leaf.db import migrate

revision = "0056"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0056_computed.sql")


def downgrade():
    migrate.restore("0045_sight.sql", "leaf_shared_parts")
