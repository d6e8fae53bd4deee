"""The cause of a Drive's failure is stored with its connection, and the age of its grant is known."""

from alembic import op

from leaf.db import migrate

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0057_doctor.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_doctor_member(text)")
    op.execute("DROP FUNCTION leaf_admin_drives()")
    op.execute("DROP FUNCTION leaf_grants_refused(double precision, integer, text)")
    op.execute("ALTER TABLE integrations DROP COLUMN diagnosis, DROP COLUMN granted_at, DROP COLUMN grant_expires_at")
