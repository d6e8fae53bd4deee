"""Every sign-in ensures the member's workspace."""

from alembic import op

from leaf.db import migrate

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0033_workspaces.sql")


def downgrade():
    migrate.restore("0030_baseline/people.sql", "leaf_sign_in")
    op.execute("DROP FUNCTION leaf_ensure_workspace(uuid, text)")
