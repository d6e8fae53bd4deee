"""The administration page names the accounts whose Drives fail, and an operator checks a member by such an account."""

from alembic import op

from leaf.db import migrate

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0066_drive_accounts.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_admin_drives()")
    migrate.restore("0061_drive_links.sql", "leaf_admin_drives")
    op.execute("REVOKE ALL ON FUNCTION leaf_admin_drives() FROM PUBLIC")
    op.execute("GRANT EXECUTE ON FUNCTION leaf_admin_drives() TO leaf_app")
    migrate.restore("0057_doctor.sql", "leaf_doctor_member")
