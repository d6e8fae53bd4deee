"""Vectors of the passages of members' files, where the database has the extension for them."""

from alembic import op

from leaf.db import migrate

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0048_embedding.sql")
    migrate.make_vectors(op.get_bind())


def downgrade():
    op.execute("DROP TABLE IF EXISTS drive_vectors")
    op.execute("DROP FUNCTION IF EXISTS leaf_vector_hits(text[], text, text[], integer)")
    op.execute("DROP FUNCTION IF EXISTS leaf_copy_vectors(uuid, text, integer[], uuid[])")
    op.execute("DROP FUNCTION IF EXISTS leaf_keep_vectors(uuid, text, integer[], uuid[], text[])")
    op.execute("DROP SCHEMA IF EXISTS leaf_vectors CASCADE")
    op.execute("DROP FUNCTION leaf_unembedded_drives(integer, text, integer)")
    op.execute("ALTER TABLE drive_texts DROP COLUMN vector_model, DROP COLUMN vectors_claimed_until")
