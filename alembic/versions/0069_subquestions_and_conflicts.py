"""Links show the parts of a question, and where sources disagree."""

from leaf.db import migrate

revision = "0069"
down_revision = "0066"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0069_subquestions_and_conflicts.sql")


def downgrade():
    migrate.restore("0063_charts.sql", "leaf_shared_parts")
