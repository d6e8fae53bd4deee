"""The search by words: passages that hold the words of a question, the rare ones counting most."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from leaf.db.session import Transaction
from leaf.services.library.scope import Scope

BEST: Final = 200
"""The largest number of passages in a result."""
_WORDS_EACH: Final = 12
_WORD_CHARACTERS: Final = 60
_WORD = re.compile(r"\w+(?:[.,:/'’-]\w+)*")
_RANK_WEIGHT: Final = 0.1
"""The share of PostgreSQL's rank, which counts how often and how prominently a passage has its words."""
_HITS = """
    WITH words AS MATERIALIZED (
        SELECT w.place, leaf_word_query(w.word) AS query
        FROM unnest(CAST(:words AS text[])) WITH ORDINALITY AS w (word, place)
    ), hits AS MATERIALIZED (
        SELECT w.place, c.text_id, c.n, ts_rank(c.words, w.query, 1) AS rank
        FROM words w
        JOIN drive_chunks c ON c.words @@ w.query
        JOIN drive_texts t ON t.id = c.text_id AND t.state = 'read'
        JOIN drive_sight s ON s.user_id = :person AND s.file_id = t.file_id AND s.revision = t.revision
        WHERE s.can_download {conditions}
    ), rarity AS (
        SELECT h.place, ln(1 + (SELECT count(DISTINCT (o.text_id, o.n)) FROM hits o)::float / count(*)) AS weight
        FROM hits h GROUP BY h.place
    )
    SELECT h.text_id, h.n, array_agg(h.place) AS places, array_agg(r.weight) AS weights, sum(h.rank * r.weight) AS rank
    FROM hits h JOIN rarity r ON r.place = h.place
    GROUP BY h.text_id, h.n ORDER BY sum(r.weight * (1 + h.rank)) DESC, h.text_id, h.n LIMIT :most
"""


@dataclass(frozen=True)
class Hit:
    """A passage with its score, from 0.0 to 1.0."""

    text_id: UUID
    n: int
    score: float


async def hits(tx: Transaction, queries: Sequence[str], scope: Scope) -> list[Hit]:
    """The passages that fit one of several wordings best, the best first.

    Args:
        tx: A transaction of the member.
        queries: Wordings of one question; a passage counts by the one that it fits best.
        scope: The files that are searched.
    """
    wordings = [words_of(query) for query in queries]
    words = list(dict.fromkeys(word for wording in wordings for word in wording))
    if not words:
        return []
    statement = text(_HITS.format(conditions=scope.conditions))
    values = {"words": words, "person": tx.actor.member_id, "most": BEST, **scope.values}
    rows = (await tx.execute(statement, values)).all()
    weights = {place: weight for row in rows for place, weight in zip(row.places, row.weights, strict=True)}
    places = {word: place for place, word in enumerate(words, 1)}
    numbered = [[places[word] for word in wording] for wording in wordings if wording]
    found = [Hit(row.text_id, row.n, _score(row, numbered, weights)) for row in rows]
    return sorted(found, key=lambda hit: -hit.score)


def words_of(query: str) -> list[str]:
    """The distinct words of a query."""
    found = (match.group()[:_WORD_CHARACTERS] for match in _WORD.finditer(query[:1_000]))
    return list(dict.fromkeys(word.casefold() for word in found))[:_WORDS_EACH]


def _score(row: Any, wordings: Sequence[Sequence[int]], weights: Mapping[int, float]) -> float:
    """The share of the words of a wording that the passage has, by their weights, for the wording that fits best."""
    held: dict[int, float] = defaultdict(float, zip(row.places, row.weights, strict=True))
    # A word that no passage has would be worth most.
    missing = max(weights.values(), default=1.0)
    shares = [
        sum(held[place] for place in wording) / sum(weights.get(place, missing) for place in wording)
        for wording in wordings
    ]
    return (1 - _RANK_WEIGHT) * max(shares) + _RANK_WEIGHT * min(1.0, row.rank)
