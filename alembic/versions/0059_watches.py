"""Questions that are asked again when a file changes."""

from alembic import op

from leaf.db import migrate

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0059_watches.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_due_watches(integer), leaf_changed_files(timestamptz), leaf_stay_on_branches(uuid)")
    op.execute("DROP TABLE watches")
    op.execute("DROP TRIGGER drive_sight_revision ON drive_sight")
    op.execute("DROP FUNCTION leaf_note_revision()")
    op.execute("ALTER TABLE drive_sight DROP COLUMN arrived_at, DROP COLUMN changed_at")
