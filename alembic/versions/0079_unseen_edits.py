"""Watched questions count an edit that the index had not read when they were answered, and no file that was there
before and turns out not to be readable.
"""

from leaf.db import migrate

revision = "0079"
down_revision = "0078"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0079_unseen_edits.sql")


def downgrade():
    migrate.restore("0077_late_texts.sql", "leaf_changed_files")
