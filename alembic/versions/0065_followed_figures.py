"""Computed figures, which are computed anew when a file behind them changes."""

from alembic import op

from leaf.db import migrate

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0065_followed_figures.sql")


def downgrade():
    op.execute("DELETE FROM citations WHERE call <> ''")
    for name in ("leaf_follow_quotes", "leaf_doubt_quotes", "leaf_due_quotes"):
        migrate.restore("0058_citations.sql", name)
    op.execute("DROP FUNCTION leaf_followed_figures(jsonb)")
    op.execute("ALTER TABLE citations DROP CONSTRAINT citations_pkey")
    op.execute("ALTER TABLE citations ADD CONSTRAINT citations_pkey PRIMARY KEY (message_id, n)")
    op.execute("ALTER TABLE citations DROP COLUMN call, DROP COLUMN compute_at")
