"""Participants of a chat see who else takes part in it."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_CHANGE = "ALTER POLICY chat_participants_select ON chat_participants USING"


def upgrade() -> None:
    op.execute(f"{_CHANGE} (leaf_is_participant(chat_session_id))")


def downgrade() -> None:
    op.execute(f"{_CHANGE} (user_id = (SELECT leaf_user_id()))")
