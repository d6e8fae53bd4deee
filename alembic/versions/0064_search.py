"""A search of the index within 150 ms: vectors are compared by their signs first, and each word is looked up once."""

from alembic import op

from leaf.db import migrate

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0064_word_hits.sql")
    migrate.make_vectors(op.get_bind())


def downgrade():
    op.execute("DROP FUNCTION leaf_word_matches(uuid[], tsquery[], integer)")
    for function in ("leaf_word_matches", "leaf_word_hits"):
        migrate.restore("0054_search.sql", function)
    op.execute("REVOKE ALL ON FUNCTION leaf_word_matches(uuid[], tsquery, integer) FROM PUBLIC")
    if op.get_bind().exec_driver_sql("SELECT to_regclass('public.drive_vectors')").scalar_one():
        migrate.restore("0048_vectors.sql", "leaf_vector_hits")
        # The primary key, which has the column, goes along.
        op.execute("ALTER TABLE drive_vectors DROP COLUMN bits")
        op.execute("ALTER TABLE drive_vectors ADD CONSTRAINT drive_vectors_pkey PRIMARY KEY (text_id, n)")
