"""Watched questions are asked again for what has changed since their answer; old quotes have no marks."""

from alembic import op

from leaf.db import migrate

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0070_unchanged_drives.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_changed_files(timestamptz, uuid)")
    migrate.restore("0059_watches.sql", "leaf_changed_files")
    op.execute("REVOKE ALL ON FUNCTION leaf_changed_files(timestamptz) FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION leaf_changed_files(timestamptz) TO leaf_app")
    migrate.restore("0058_citations.sql", "leaf_shared_moved")
