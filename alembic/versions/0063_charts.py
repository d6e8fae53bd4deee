"""Links show the charts of their answers."""

from leaf.db import migrate

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0063_charts.sql")


def downgrade():
    migrate.restore("0056_computed.sql", "leaf_shared_parts")
