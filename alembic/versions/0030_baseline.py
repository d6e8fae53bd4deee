"""The whole schema of revision 0030: new databases begin here (decision 0040).

The SQL is grouped by subject in alembic/sql/0030_baseline. It never changes;
alembic/schema.sql shows the schema of today.
"""

from leaf.db import migrate

revision = "0030"
down_revision = None
branch_labels = None
depends_on = None

_SUBJECTS = (
    "role",
    "people",
    "chats",
    "runs",
    "search",
    "sharing",
    "files",
    "imports",
    "usage",
    "security",
    "administration",
    "sites",
    "conversations",
    "public",
)
"""In this order, because later files refer to earlier ones."""


def upgrade() -> None:
    for subject in _SUBJECTS:
        migrate.execute(f"0030_baseline/{subject}.sql")


def downgrade() -> None:
    raise NotImplementedError("The baseline cannot be undone: it would delete everything. Drop the database instead.")
