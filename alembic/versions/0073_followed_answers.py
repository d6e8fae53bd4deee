"""Quotes of files whose new version cannot be read have a cause; feeds of members who are away are read for quotes."""

from alembic import op

from leaf.db import migrate

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None


def upgrade():
    migrate.execute("0073_followed_answers.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_due_drive_feeds(interval, interval, interval, interval, integer)")
    op.execute("DROP INDEX citations_followed_idx")
    migrate.restore("0065_followed_figures.sql", "leaf_due_quotes")
    op.execute("DROP TRIGGER drive_texts_recheck ON drive_texts")
    op.execute("DROP FUNCTION leaf_recheck_quotes()")
    op.execute("DROP TRIGGER citations_changed ON citations")
    op.execute("""
        CREATE TRIGGER citations_changed AFTER UPDATE OF state ON citations FOR EACH ROW
            WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION leaf_quotes_changed()
    """)
    op.execute("ALTER TABLE citations DROP COLUMN unchecked")
