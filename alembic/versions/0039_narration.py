"""Narration is neither searched nor shown on public pages."""

import re
from pathlib import Path

from alembic import op

from leaf.db import migrate

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

_BASELINE = Path(__file__).parents[1] / "sql" / "0030_baseline"


def upgrade():
    migrate.execute("0039_narration.sql")


def downgrade():
    """Words that were left out stay so until their message changes."""
    _restore("search", "leaf_message_text")
    _restore("sharing", "leaf_shared_parts")
    op.execute("DROP FUNCTION leaf_narration(jsonb)")


def _restore(file, name):
    written = (_BASELINE / f"{file}.sql").read_text(encoding="utf-8")
    found = re.search(rf"^CREATE FUNCTION {name}\(.*?^\$\$;", written, re.DOTALL | re.MULTILINE)
    statement = found[0].replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1)
    op.get_bind().exec_driver_sql(statement, execution_options={"no_parameters": True})
