"""A summary knows the tools of the turns that it stands for, and the path to an answer ends at the summary."""

from alembic import op

from leaf.db import migrate

revision = "0080"
down_revision = "0079"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0080_tools_of_summaries.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_path(uuid, text[])")
    op.execute("DROP FUNCTION leaf_path(uuid, text[], boolean)")
    op.execute("DROP TRIGGER chat_summaries_tools ON chat_summaries")
    op.execute("DROP FUNCTION leaf_summary_tools()")
    op.execute("DROP FUNCTION leaf_tools_until(uuid)")
    op.execute("ALTER TABLE chat_summaries DROP COLUMN tools")
    migrate.execute("0074_paths.sql")
