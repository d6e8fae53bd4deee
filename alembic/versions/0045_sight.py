"""Stored passages obey Google's permissions, and a member can have no texts kept."""

import re
from pathlib import Path

from alembic import op

from leaf.db import migrate

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parents[1] / "sql"


def upgrade():
    migrate.execute("0045_sight.sql")


def downgrade():
    _restore("0042_index.sql", "leaf_open_drive_feeds")
    _restore("0039_narration.sql", "leaf_shared_parts")
    op.execute("DROP FUNCTION leaf_shared_by(text)")
    op.execute("DROP TRIGGER drive_sight_deleted_documents ON drive_sight")
    op.execute("DROP TRIGGER drive_sight_updated_documents ON drive_sight")
    op.execute("DROP FUNCTION leaf_forget_documents()")
    op.execute("ALTER TABLE user_settings DROP COLUMN keeps_texts")


def _restore(file, name):
    written = (_SQL / file).read_text(encoding="utf-8")
    found = re.search(rf"^CREATE (?:OR REPLACE )?FUNCTION {name}\(.*?^\$\$;", written, re.DOTALL | re.MULTILINE)
    statement = re.sub("^CREATE (?:OR REPLACE )?FUNCTION", "CREATE OR REPLACE FUNCTION", found[0])
    op.get_bind().exec_driver_sql(statement, execution_options={"no_parameters": True})
