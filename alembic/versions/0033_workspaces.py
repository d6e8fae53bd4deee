"""Every sign-in ensures the member's workspace."""

import re
from pathlib import Path

from alembic import op

from leaf.db import migrate

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_PEOPLE = Path(__file__).parents[1] / "sql" / "0030_baseline" / "people.sql"


def upgrade():
    migrate.execute("0033_workspaces.sql")


def downgrade():
    found = re.search(
        r"^CREATE FUNCTION leaf_sign_in\(.*?^\$\$;", _PEOPLE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    statement = found[0].replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1)
    op.get_bind().exec_driver_sql(statement, execution_options={"no_parameters": True})
    op.execute("DROP FUNCTION leaf_ensure_workspace(uuid, text)")
