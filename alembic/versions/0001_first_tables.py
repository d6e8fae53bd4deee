"""The first tables, with their row-level security.

SQL stands in files of its own: policies and functions are long, and read best as what they are.
"""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SQL = Path(__file__).parents[1] / "sql"


def upgrade() -> None:
    for part in ("tables", "functions", "security"):
        _run(f"0001_{part}.sql")


def downgrade() -> None:
    _run("0001_down.sql")


def _run(name: str) -> None:
    # Without parameters the driver sends the file as it is: several statements, and no sign with a meaning of its own.
    op.get_bind().exec_driver_sql((_SQL / name).read_text(), execution_options={"no_parameters": True})
