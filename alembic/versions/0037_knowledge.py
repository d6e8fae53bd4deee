"""Files and Drive folders that an agent of a site may answer from."""

from alembic import op

from leaf.db import migrate

revision = "0037"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0037_knowledge.sql")


def downgrade():
    op.execute("DROP TABLE agent_folders, agent_files")
    op.execute("DROP FUNCTION leaf_is_visitor_of(uuid)")
