"""The search in the indexed texts of a member's Drive.

Two modules find passages with scores from 0.0 to 1.0: `words` by the words of the question, `vectors` by its meaning.
`_fused` adds the scores. A result is not a permission: `lookup` confirms the files before their text is used.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil
from typing import Final
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
"""The score of a file whose name contains all words, relative to a passage that contains them."""
_VECTOR_WEIGHT: Final = 0.5
"""The share of the vectors in the score of a passage. The words have the rest (decision 0075)."""
_COPIES: Final = 5
"""The largest number of copies of a file to list with it."""
_ALIKE: Final = 0.85
"""The share of common words (Jaccard index) from which two passages count as the same."""
_TOKEN = re.compile(r"\w+")
_OF_TEXTS = text("""
    SELECT t.id, t.file_id FROM unnest(CAST(:texts AS uuid[])) AS one (id) JOIN drive_texts t ON t.id = one.id
""")
_PASSAGES = text("""
    SELECT c.text_id, c.n, c.place, c.heading, c.text FROM unnest(
        CAST(:texts AS uuid[]), CAST(:numbers AS integer[])
    ) AS one (text_id, n)
    JOIN drive_chunks c ON c.text_id = one.text_id AND c.n = one.n
""")
_NAMES = text("""
    WITH named AS MATERIALIZED (
        SELECT s.file_id, s.modified_at, lower(s.name) AS name FROM drive_sight s
        WHERE s.user_id = :person AND s.kind <> 'folder'
            AND (CAST(:files AS text[]) IS NULL OR s.file_id = ANY (:files))
    ), held AS (
        SELECT n.file_id, n.modified_at, w.word
        FROM (SELECT DISTINCT word FROM unnest(CAST(:words AS text[])) AS u (word)) w
        JOIN named n ON position(w.word IN n.name) > 0
    ), shares AS (
        SELECT h.file_id, h.modified_at, count(*)::float8 / w.size AS share
        FROM unnest(CAST(:words AS text[]), CAST(:wordings AS integer[]), CAST(:sizes AS integer[]))
            AS w (word, wording, size)
        JOIN held h ON h.word = w.word
        GROUP BY h.file_id, h.modified_at, w.wording, w.size
    )
    SELECT file_id, max(share) AS share FROM shares WHERE share >= 0.5
    GROUP BY file_id, modified_at ORDER BY 2 DESC, modified_at DESC NULLS LAST, file_id LIMIT :most
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
    """A file with its matching passages in the order of the file. Without passages, the name of the file matches."""

    file_id: str
    revision: str
    name: str
    kind: str
    url: str
    modified: datetime | None
    size_bytes: int | None
    path: str
    """The names of the folders above the file; empty at the top."""
    passages: Sequence[Passage]
    score: float
    copies: Sequence["Found"] = ()
    """Older files with the same passages, the newest first, up to `_COPIES`."""


async def search(
    actor: Actor, queries: Sequence[str], scope: Scope = EVERYTHING, *, most: int = FILES,
    embedded: Embedded | None = None,
) -> list[Found]:  # fmt: skip
    """The files that match a question, the best first.

    Args:
        actor: The member.
        queries: Up to four wordings of the question. Without any, all files of the scope match, the newest first.
        scope: The files to search.
        most: The largest number of files.
        embedded: The vectors of the wordings. Without them, the search uses words only.
    """
    async with transaction(actor, read_only=True) as tx:
        wordings = await words.wordings_of(tx, queries)
        if not any(wordings):
            files = await _in_scope(tx, scope, most)
            return await _described(tx, dict.fromkeys(files, 0.0), {})
        searched = await _files(tx, scope)
    # Each of these has a connection of its own. None of them waits for another connection while it holds one, so that a
    # full pool cannot block itself.
    (by_words, further), by_meaning, named = await asyncio.gather(
        _by_words(actor, wordings, searched, embedded),
        _by_meaning(actor, searched, embedded),
        _by_name(actor, wordings, searched),
    )
    async with transaction(actor, read_only=True) as tx:
        best = await _best(tx, _fused(by_words, [*further, *by_meaning] if by_meaning else ()))
        scores = named | {file: named.get(file, 0.0) + found[0].score for file, found in best.items()}
        # Copies of one text must not take the places of all other files.
        chosen = sorted(scores, key=lambda file: -scores[file])[: 2 * most]
        passages = await _passages(tx, {file: best[file] for file in chosen if file in best})
        return grouped(await _described(tx, {file: scores[file] for file in chosen}, passages))[:most]


async def _by_words(
    actor: Actor, wordings: Sequence[Sequence[str]], searched: Sequence[str] | None, embedded: Embedded | None
) -> tuple[list[Hit], list[Hit]]:
    """The passages found by words, and the similarity in meaning of the same passages to the question."""
    async with transaction(actor, read_only=True) as tx:
        found = await words.hits(tx, wordings, searched)
        return found, await vectors.likenesses(tx, embedded, found)


async def _by_meaning(actor: Actor, searched: Sequence[str] | None, embedded: Embedded | None) -> list[Hit]:
    async with transaction(actor, read_only=True) as tx:
        return await vectors.hits(tx, embedded, searched)


async def _by_name(actor: Actor, wordings: Sequence[Sequence[str]], searched: Sequence[str] | None) -> dict[str, float]:
    """The scores of files whose names have at least half of the words of a wording."""
    longer = [[word for word in wording if len(word) > 2] for wording in wordings]
    numbered = [(word, place, len(wording)) for place, wording in enumerate(longer) for word in wording]
    if not numbered:
        return {}
    wanted, places, sizes = (list(values) for values in zip(*numbered, strict=True))
    values = {
        "words": wanted, "wordings": places, "sizes": sizes, "person": actor.member_id, "files": searched,
        "most": FILES * len(wordings),
    }  # fmt: skip
    async with transaction(actor, read_only=True) as tx:
        rows = (await tx.execute(_NAMES, values)).all()
    return {row.file_id: _NAME_WEIGHT * row.share for row in rows}


def _fused(by_words: Sequence[Hit], by_meaning: Sequence[Hit]) -> list[Hit]:
    """The passages with the weighted sum of both scores, the best first. Without vectors, only the words count."""
    scores: dict[tuple[UUID, int], float] = defaultdict(float)
    weight = _VECTOR_WEIGHT if by_meaning else 0.0
    for hit in by_words:
        scores[hit.text_id, hit.n] += (1 - weight) * hit.score
    for key, score in {(hit.text_id, hit.n): hit.score for hit in by_meaning}.items():
        scores[key] += weight * score
    found = [Hit(text_id, n, score) for (text_id, n), score in scores.items()]
    return sorted(found, key=lambda hit: -hit.score)


def grouped(files: Sequence[Found]) -> list[Found]:
    """The files without passages that a newer file has as well, the best first.

    A file without any other passage becomes one of the `copies` of the newest file with its passages.
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

    In any fixed order of all words, two similar sets have one of their first words in common. A passage is therefore
    compared only with passages that share a first word (prefix filtering: Chaudhuri et al., ICDE 2006). Long words come
    first, because they are rare.
    """

    def __init__(self) -> None:
        self._by_word: dict[tuple[frozenset[str], str], list[tuple[frozenset[str], str]]] = defaultdict(list)

    def holder(self, text: str, file: str) -> str:
        """The first file with the same passage. If there is none, adds the passage and returns `file`."""
        found = frozenset(_TOKEN.findall(text.casefold()))
        # A passage with other numbers is not the same, however similar.
        numbers = frozenset(word for word in found if not word.isalpha() and any(map(str.isdigit, word)))
        ordered = sorted(found, key=lambda word: (-len(word), word))
        first = [(numbers, word) for word in ordered[: len(ordered) - ceil(_ALIKE * len(ordered)) + 1]]
        for known, other in (one for key in first for one in self._by_word[key]):
            if other != file:
                common = len(known & found)
                if common >= _ALIKE * (len(known) + len(found) - common):
                    return other
        for key in first:
            self._by_word[key].append((found, file))
        return file


def _age(file: Found) -> float:
    return -file.modified.timestamp() if file.modified else 0.0


async def _best(tx: Transaction, hits: Sequence[Hit]) -> dict[str, list[Hit]]:
    """The best hits by file, at most `PASSAGES_EACH` of each, the best first."""
    texts = list({hit.text_id for hit in hits})
    rows = (await tx.execute(_OF_TEXTS, {"texts": texts})).all() if texts else ()
    files: dict[UUID, str] = {row.id: row.file_id for row in rows}
    best: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        # A text may have been deleted in the meantime.
        if (file := files.get(hit.text_id)) is not None and len(best[file]) < PASSAGES_EACH:
            best[file].append(hit)
    return best


async def _passages(tx: Transaction, best: Mapping[str, Sequence[Hit]]) -> dict[str, list[Passage]]:
    """The passages of the hits by file, in the order of the file."""
    hits = [hit for found in best.values() for hit in found]
    if not hits:
        return {}
    wanted = {"texts": [hit.text_id for hit in hits], "numbers": [hit.n for hit in hits]}
    rows = {(row.text_id, row.n): row for row in (await tx.execute(_PASSAGES, wanted)).all()}
    return {
        file: [
            Passage(row.place, row.heading, row.text, hit.score)
            for hit in sorted(found, key=lambda hit: hit.n)
            if (row := rows.get((hit.text_id, hit.n))) is not None
        ]
        for file, found in best.items()
    }


async def _files(tx: Transaction, scope: Scope) -> Sequence[str] | None:
    """The ids of the files of a scope; None without conditions."""
    if not scope.conditions:
        return None
    statement = text(_FILES.format(conditions=scope.conditions))
    return (await tx.execute(statement, {"person": tx.actor.member_id, **scope.values})).scalars().all()


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
