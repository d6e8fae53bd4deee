"""Links show the parts of a question, and where sources disagree."""

from leaf.db import migrate

revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0069_subquestions_and_conflicts.sql")


def downgrade():
    migrate.restore("0067_formulas.sql", "leaf_shared_parts")
