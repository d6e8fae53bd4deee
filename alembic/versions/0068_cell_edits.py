"""Computations that were changed by hand."""

from alembic import op

from leaf.db import migrate

revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0068_cell_edits.sql")


def downgrade():
    op.execute("DROP TABLE cell_edits")
