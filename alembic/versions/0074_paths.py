"""The path to an answer is read by one function, which checks rights once."""

from alembic import op

from leaf.db import migrate

revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0074_paths.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_path(uuid, text[])")
