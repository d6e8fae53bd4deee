"""The search through what the index holds of a member's Drive.

Sources give passages with scores from 0.0 to 1.0: `words` does, and further sources are added up in `_fused`. Nothing
here is a permission: `lookup` confirms the files before their text is used.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from leaf.db.session import Actor, Transaction, transaction
from leaf.services.library import sight, vectors, words
from leaf.services.library.scope import EVERYTHING, Scope
from leaf.services.library.vectors import Embedded

FILES: Final = 20
"""The largest number of files in a result."""
PASSAGES_EACH: Final = 3
"""The largest number of passages of one file."""
_NAME_WEIGHT: Final = 0.5
"""The score of a file whose name alone has all words, in comparison with a passage that has them."""
_PASSAGES = text("""
    SELECT c.text_id, c.n, c.place, c.heading, c.text, t.file_id FROM unnest(
        CAST(:texts AS uuid[]), CAST(:numbers AS integer[])
    ) AS one (text_id, n)
    JOIN drive_chunks c ON c.text_id = one.text_id AND c.n = one.n
    JOIN drive_texts t ON t.id = c.text_id
""")
_NAMES = text("""
    SELECT s.file_id, count(*) FILTER (WHERE position(w.word IN lower(s.name)) > 0) AS held
    FROM drive_sight s CROSS JOIN unnest(CAST(:words AS text[])) AS w (word)
    WHERE s.user_id = :person AND s.kind <> 'folder' AND (CAST(:files AS text[]) IS NULL OR s.file_id = ANY (:files))
    GROUP BY s.file_id HAVING count(*) FILTER (WHERE position(w.word IN lower(s.name)) > 0) >= :least
    ORDER BY 2 DESC, max(s.modified_at) DESC NULLS LAST, s.file_id LIMIT :most
""")
_FILES = "SELECT s.file_id FROM drive_sight s WHERE s.user_id = :person {conditions}"
_IN_SCOPE = """
    SELECT s.file_id FROM drive_sight s WHERE s.user_id = :person AND s.kind <> 'folder' {conditions}
    ORDER BY s.modified_at DESC NULLS LAST, s.file_id LIMIT :most
"""
_ABOUT = text("""
    SELECT s.file_id, s.revision, s.name, s.kind, s.url, s.modified_at, s.size_bytes
    FROM drive_sight s WHERE s.user_id = :person AND s.file_id = ANY (:files)
""")


@dataclass(frozen=True)
class Passage:
    """A piece of a file's text."""

    place: str
    """The place in the file, such as `page 3`."""
    heading: str
    text: str
    score: float


@dataclass(frozen=True)
class Found:
    """A file with its passages that fit, in the order of the file; without passages, its name fits."""

    file_id: str
    revision: str
    name: str
    kind: str
    url: str
    modified: datetime | None
    size_bytes: int | None
    path: str
    """The names of the folders above it; empty at the top."""
    passages: Sequence[Passage]
    score: float


async def search(
    actor: Actor, queries: Sequence[str], scope: Scope = EVERYTHING, *, most: int = FILES,
    embedded: Embedded | None = None,
) -> list[Found]:  # fmt: skip
    """The files that fit, the best first.

    Args:
        actor: The member.
        queries: Up to four wordings of one question; none for all files of the scope, the newest first.
        scope: The files that are searched.
        most: The largest number of files.
        embedded: The vectors of the wordings; without them the search goes by words alone.
    """
    async with transaction(actor, read_only=True) as tx:
        if not any(words.words_of(query) for query in queries):
            files = await _in_scope(tx, scope, most)
            return await _described(tx, dict.fromkeys(files, 0.0), {})
        searched = await _files(tx, scope)
        best = _fused(await words.hits(tx, queries, searched), await vectors.hits(tx, embedded, searched))
        passages = await _passages(tx, best)
        scores = await _names(tx, queries, searched)
        for file, found in passages.items():
            scores[file] = scores.get(file, 0.0) + max(one.score for one in found)
        chosen = sorted(scores, key=lambda file: -scores[file])[:most]
        return await _described(tx, {file: scores[file] for file in chosen}, passages)


def _fused(*sources: Sequence[words.Hit]) -> dict[tuple[UUID, int], float]:
    """The score of each passage, summed over the sources."""
    scores: dict[tuple[UUID, int], float] = defaultdict(float)
    for source in sources:
        for hit in source:
            scores[hit.text_id, hit.n] += hit.score
    return scores


async def _passages(tx: Transaction, best: Mapping[tuple[UUID, int], float]) -> dict[str, list[Passage]]:
    """The passages by file, at most `PASSAGES_EACH` of each, in the order of the file."""
    if not best:
        return {}
    wanted = {"texts": [text_id for text_id, _ in best], "numbers": [n for _, n in best]}
    by_file: dict[str, list[Any]] = defaultdict(list)
    for row in (await tx.execute(_PASSAGES, wanted)).all():
        by_file[row.file_id].append(row)
    found: dict[str, list[Passage]] = {}
    for file, rows in by_file.items():
        chosen = sorted(rows, key=lambda row: -best[row.text_id, row.n])[:PASSAGES_EACH]
        found[file] = [
            Passage(row.place, row.heading, row.text, best[row.text_id, row.n])
            for row in sorted(chosen, key=lambda row: row.n)
        ]
    return found


async def _files(tx: Transaction, scope: Scope) -> Sequence[str] | None:
    """The ids of the files of a scope; None without conditions."""
    if not scope.conditions:
        return None
    statement = text(_FILES.format(conditions=scope.conditions))
    return (await tx.execute(statement, {"person": tx.actor.member_id, **scope.values})).scalars().all()


async def _names(tx: Transaction, queries: Sequence[str], searched: Sequence[str] | None) -> dict[str, float]:
    """The scores of files whose names have at least half of the words of a wording."""
    scores: dict[str, float] = {}
    for query in queries:
        wanted = [word for word in words.words_of(query) if len(word) > 2]
        if not wanted:
            continue
        values = {
            "words": wanted, "person": tx.actor.member_id, "files": searched, "least": -(-len(wanted) // 2),
            "most": FILES,
        }  # fmt: skip
        for row in (await tx.execute(_NAMES, values)).all():
            scores[row.file_id] = max(scores.get(row.file_id, 0.0), _NAME_WEIGHT * row.held / len(wanted))
    return scores


async def _in_scope(tx: Transaction, scope: Scope, most: int) -> Sequence[str]:
    statement = text(_IN_SCOPE.format(conditions=scope.conditions))
    return (await tx.execute(statement, {"person": tx.actor.member_id, "most": most, **scope.values})).scalars().all()


async def _described(
    tx: Transaction, scores: Mapping[str, float], passages: Mapping[str, Sequence[Passage]]
) -> list[Found]:
    """The files with their metadata, in the order of `scores`."""
    files = list(scores)
    rows = (await tx.execute(_ABOUT, {"person": tx.actor.member_id, "files": files})).all()
    about, paths = {row.file_id: row for row in rows}, await sight.paths(tx, files)
    return [
        Found(
            file, row.revision, row.name, row.kind, row.url, row.modified_at, row.size_bytes, paths.get(file, ""),
            passages.get(file, ()), score,
        )
        for file, score in scores.items() if (row := about.get(file)) is not None
    ]  # fmt: skip
