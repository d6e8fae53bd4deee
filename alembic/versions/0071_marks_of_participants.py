"""The lists of all participants of a chat show at once which of its sources have changed."""

from alembic import op

from leaf.db import migrate

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0071_marks_of_participants.sql")


def downgrade():
    for trigger in ("drive_sight_updated_lists", "drive_sight_inserted_lists", "drive_sight_deleted_lists"):
        op.execute(f"DROP TRIGGER {trigger} ON drive_sight")
    op.execute("DROP FUNCTION leaf_sight_changed()")
    op.execute("DROP FUNCTION leaf_touch_lists(uuid, text[])")
    op.execute("DROP INDEX citations_file_id_idx")
    migrate.restore("0058_citations.sql", "leaf_quotes_changed")
