"""Parts that name files and sources are checked by kind, as the other parts are."""

from alembic import op

from leaf.db import migrate

revision = "0081"
down_revision = "0080"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0081_parts_of_files.sql")


def downgrade():
    op.execute("ALTER TABLE messages DROP CONSTRAINT messages_file_parts_check")
