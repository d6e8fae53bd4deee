"""Narration is neither searched nor shown on public pages."""

from alembic import op

from leaf.db import migrate

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0039_narration.sql")


def downgrade():
    """Words that were left out stay so until their message changes."""
    migrate.restore("0030_baseline/search.sql", "leaf_message_text")
    migrate.restore("0030_baseline/sharing.sql", "leaf_shared_parts")
    op.execute("DROP FUNCTION leaf_narration(jsonb)")
