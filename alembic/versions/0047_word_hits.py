"""The search by words uses its index."""

from alembic import op

from leaf.db import migrate

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0047_word_hits.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_word_hits(text[], text[], integer, integer)")
    op.execute("DROP FUNCTION leaf_count_words(uuid, tsquery, text[], integer)")
    migrate.restore("0042_index.sql", "leaf_word_query")
