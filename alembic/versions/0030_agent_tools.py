"""Tools that run in the pages of an agent's sites, and files that come from there."""

from pathlib import Path

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_SQL = Path(__file__).parents[1] / "sql"


def upgrade() -> None:
    _run("0030_up.sql")


def downgrade() -> None:
    _run("0030_down.sql")


def _run(name: str) -> None:
    op.get_bind().exec_driver_sql((_SQL / name).read_text(), execution_options={"no_parameters": True})
