"""The progress of the index of a member's Drive: the number of files by state.

The reasons for skipped files come from `leaf.google.content` (kinds, sizes) and `leaf.documents.kinds`.
`jobs.library.reader` stores them, and `leaf.views.library` puts them into words.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from leaf import config
from leaf.db.session import Actor, transaction
from leaf.services.library import vectors
from leaf.services.library.scope import EVERYTHING, Scope

_COUNTS = """
    SELECT count(*) AS files,
        count(*) FILTER (WHERE t.state = 'read') AS read,
        count(*) FILTER (WHERE t.state = 'read' AND t.vector_model = :model) AS vectors,
        count(*) FILTER (WHERE t.state = 'skipped' OR NOT s.can_download) AS skipped
    FROM drive_sight s
    LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
    WHERE s.user_id = :person AND s.kind NOT IN ('folder', 'shortcut') {conditions}
"""
_FEEDS = text("""
    SELECT count(*) AS feeds, count(*) FILTER (WHERE listed_at IS NOT NULL) AS listed,
        max(error) FILTER (WHERE failures > 0) AS error
    FROM drive_feeds WHERE user_id = :person
""")


@dataclass(frozen=True)
class Progress:
    """The state of a member's index."""

    files: int
    """Number of files whose names are known, without folders and shortcuts."""
    read: int
    """Number of files whose text is searched."""
    skipped: int
    """Number of files that cannot be read."""
    listed: bool
    """Whether all names are known."""
    vectors: int | None = None
    """Number of files that can also be found by meaning; None if no vectors are made."""
    error: str | None = None
    """The code of a failure that keeps the index from following the Drive at present; None if there is none."""

    @property
    def complete(self) -> bool:
        """Whether every readable file is searched."""
        return self.listed and self.read + self.skipped >= self.files

    def data(self) -> dict[str, Any]:
        """The progress as data in results of tools and in receipts."""
        vectors = {} if self.vectors is None else {"vectors": self.vectors}
        return {
            "files": self.files, "read": self.read, "skipped": self.skipped, "listed": self.listed,
            "complete": self.complete, **vectors,
        }  # fmt: skip


async def of(actor: Actor, scope: Scope = EVERYTHING) -> Progress:
    """The present state of a member's index, or of the part of it within a scope."""
    model = config.current().vector_model
    async with transaction(actor, read_only=True) as tx:
        # Read the feeds before the files. Files that are listed in between are then counted, so that an incomplete
        # count is never reported as complete.
        feeds = (await tx.execute(_FEEDS, {"person": actor.member_id})).one()
        counted = text(_COUNTS.format(conditions=scope.conditions))
        person: dict[str, Any] = {"person": actor.member_id}
        counts = (await tx.execute(counted, person | {"model": model} | scope.values)).one()
        made = counts.vectors if model and await vectors.are_possible(tx) else None
    listed = feeds.feeds > 0 and feeds.listed == feeds.feeds
    return Progress(counts.files, counts.read, counts.skipped, listed, made, feeds.error)
