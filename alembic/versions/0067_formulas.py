"""Links have the formula of a computed figure in each language."""

from leaf.db import migrate

revision = "0067"
down_revision = "0066"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0067_formulas.sql")


def downgrade():
    migrate.restore("0063_charts.sql", "leaf_shared_parts")
