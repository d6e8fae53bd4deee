"""Projects: a name, a scope and instructions for some of a member's chats."""

from alembic import op

from leaf.db import migrate

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0049_projects.sql")


def downgrade():
    op.execute("ALTER TABLE chat_participants DROP COLUMN project_id")
    op.execute("DROP TABLE projects")
