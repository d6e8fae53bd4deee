"""One function reads which messages a chat has, and which of them have changed."""

from alembic import op

from leaf.db import migrate

revision = "0079"
down_revision = "0078"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0079_trees.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_tree(uuid, timestamptz)")
