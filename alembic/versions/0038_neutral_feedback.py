"""Feedback may be neutral."""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade():
    _permit("'up', 'neutral', 'down'")


def downgrade():
    op.execute("UPDATE feedback SET sentiment = NULL WHERE sentiment = 'neutral' AND run_id IS NULL AND comment <> ''")
    op.execute("DELETE FROM feedback WHERE sentiment = 'neutral'")
    _permit("'up', 'down'")


def _permit(sentiments):
    op.execute(f"""
        ALTER TABLE feedback DROP CONSTRAINT feedback_sentiment_check,
            ADD CONSTRAINT feedback_sentiment_check CHECK (sentiment IN ({sentiments}))
    """)
