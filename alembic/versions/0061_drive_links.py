"""The administration page knows the page of Google's console on which a failure of Drive is mended."""

from alembic import op

from leaf.db import migrate

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0061_drive_links.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_admin_drives()")
    migrate.restore("0057_doctor.sql", "leaf_admin_drives")
    op.execute("REVOKE ALL ON FUNCTION leaf_admin_drives() FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION leaf_admin_drives() TO leaf_app")
