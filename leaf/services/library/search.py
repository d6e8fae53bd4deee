"""The search through what the index holds of a member's Drive.

Sources give passages with scores from 0.0 to 1.0: `words` by the words of the question, `vectors` by its meaning.
`_fused` adds them up. Nothing here is a permission: `lookup` confirms the files before their text is used.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from leaf.db.session import Actor, Transaction, transaction
from leaf.services.library import sight, vectors, words
from leaf.services.library.scope import EVERYTHING, Scope
from leaf.services.library.vectors import Embedded
from leaf.services.library.words import Hit

FILES: Final = 20
"""The largest number of files in a result."""
PASSAGES_EACH: Final = 3
"""The largest number of passages of one file."""
_NAME_WEIGHT: Final = 0.5
"""The score of a file whose name alone has all words, in comparison with a passage that has them."""
_VECTOR_WEIGHT: Final = 0.5
"""The share of a passage's score that its meaning has; the words have the rest (decision 0075)."""
_COPIES: Final = 5
"""The largest number of files with the same passages that are named beside the newest one."""
_ALIKE: Final = 0.85
"""The share of their words that two passages have in common which count as the same."""
_TOKEN = re.compile(r"\w+")
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
    copies: Sequence["Found"] = ()
    """Older files with the same passages, the newest first, up to `_COPIES`."""


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
        # Copies of one text must not take the places of all other files.
        chosen = sorted(scores, key=lambda file: -scores[file])[: 2 * most]
        return grouped(await _described(tx, {file: scores[file] for file in chosen}, passages))[:most]


def _fused(by_words: Sequence[Hit], by_meaning: Sequence[Hit]) -> dict[tuple[UUID, int], float]:
    """The score of each passage: the weighted sum of both, or the words alone where there are no vectors."""
    scores: dict[tuple[UUID, int], float] = defaultdict(float)
    weight = _VECTOR_WEIGHT if by_meaning else 0.0
    for hit in by_words:
        scores[hit.text_id, hit.n] += (1 - weight) * hit.score
    for hit in by_meaning:
        scores[hit.text_id, hit.n] += weight * hit.score
    return scores


def grouped(files: Sequence[Found]) -> list[Found]:
    """Files without the passages that a newer one of them has as well, the best first.

    A file that has nothing else is left out and becomes one of the `copies` of the newest file with its passages.
    """
    seen = _Seen()
    kept: dict[str, Found] = {}
    for file in sorted(files, key=_age):
        holders = [seen.holder(passage.text, file.file_id) for passage in file.passages]
        fresh = [passage for passage, holder in zip(file.passages, holders, strict=True) if holder == file.file_id]
        if fresh or not file.passages:
            kept[file.file_id] = replace(file, passages=fresh)
        else:
            newest = kept[holders[0]]
            score, copies = max(newest.score, file.score), [*newest.copies, file][:_COPIES]
            kept[holders[0]] = replace(newest, score=score, copies=copies)
    return sorted(kept.values(), key=lambda file: -file.score)


class _Seen:
    """The passages of the files so far, each as the set of its words.

    Two sets that are alike share one of the first words of each in any order of all words, so a passage is compared
    with few others (prefix filtering: Chaudhuri et al., ICDE 2006). Long words come first, for they are rare.
    """

    def __init__(self) -> None:
        self._by_word: dict[tuple[frozenset[str], str], list[tuple[frozenset[str], str]]] = defaultdict(list)

    def holder(self, text: str, file: str) -> str:
        """The first file with this passage, which is the given one if it is new."""
        found = frozenset(_TOKEN.findall(text.casefold()))
        # A version with another number says something else.
        numbers = frozenset(word for word in found if any(map(str.isdigit, word)))
        ordered = sorted(found, key=lambda word: (-len(word), word))
        first = [(numbers, word) for word in ordered[: len(ordered) - ceil(_ALIKE * len(ordered)) + 1]]
        for known, other in (one for key in first for one in self._by_word[key]):
            if other != file and len(known & found) >= _ALIKE * len(known | found):
                return other
        for key in first:
            self._by_word[key].append((found, file))
        return file


def _age(file: Found) -> float:
    return -file.modified.timestamp() if file.modified else 0.0


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
