"""Texts and words of passages stand beside their rows, so that a search reads few pages to find who may see them.

Only long rows are moved (from 2 kB), and only when they are written; a text that is read anew is written anew.
"""

from alembic import op

revision = "0076"
down_revision = "0074"
branch_labels = None
depends_on = None


def upgrade():
    op.execute("ALTER TABLE drive_chunks SET (toast_tuple_target = 128)")


def downgrade():
    op.execute("ALTER TABLE drive_chunks RESET (toast_tuple_target)")
