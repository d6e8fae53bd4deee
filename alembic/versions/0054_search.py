"""The search by words asks its index which passage holds which word."""

from alembic import op

from leaf.db import migrate

revision = "0054"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0054_search.sql")


def downgrade():
    migrate.restore("0047_word_hits.sql", "leaf_count_words")
    op.execute("REVOKE ALL ON FUNCTION leaf_count_words(uuid, tsquery, text[], integer) FROM PUBLIC")
    migrate.restore("0047_word_hits.sql", "leaf_word_hits")
    op.execute("DROP FUNCTION leaf_word_matches(uuid[], tsquery, integer)")
    op.execute("DROP FUNCTION leaf_texts_in_sight(uuid, text[])")
