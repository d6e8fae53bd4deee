"""Links show what an answer has compared; quotes of earlier versions are not followed."""

from alembic import op

from leaf.db import migrate

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0072_comparisons.sql")


def downgrade():
    migrate.restore("0069_subquestions_and_conflicts.sql", "leaf_shared_parts")
    migrate.restore("0058_citations.sql", "leaf_followed_quotes")
    op.execute("DROP FUNCTION leaf_shared_comparisons(jsonb)")
