"""The team of a site reads why answers have failed in its own language."""

from alembic import op

from leaf.db import migrate

revision = "0082"
down_revision = "0081"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0082_failures_of_sites.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_tenant_failures(uuid)")
