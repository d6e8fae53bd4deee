"""The model that was named for a message that waits."""

from alembic import op

revision = "0041"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade():
    op.execute("ALTER TABLE queued_messages ADD COLUMN model text")


def downgrade():
    op.execute("ALTER TABLE queued_messages DROP COLUMN model")
