"""The search by words uses its index."""

import re
from pathlib import Path

from alembic import op

from leaf.db import migrate

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

_INDEX = Path(__file__).parents[1] / "sql" / "0042_index.sql"


def upgrade():
    migrate.execute("0047_word_hits.sql")


def downgrade():
    op.execute("DROP FUNCTION leaf_word_hits(text[], text[], integer, integer)")
    op.execute("DROP FUNCTION leaf_count_words(uuid, tsquery, text[], integer)")
    written = _INDEX.read_text(encoding="utf-8")
    found = re.search(r"^CREATE FUNCTION leaf_word_query\(.*?^\$\$;", written, re.DOTALL | re.MULTILINE)
    statement = found[0].replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1)
    op.get_bind().exec_driver_sql(statement, execution_options={"no_parameters": True})
