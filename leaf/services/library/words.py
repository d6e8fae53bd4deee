"""The search by words. It finds passages with the words of a question; rare words count most."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text

from leaf.db.session import Transaction

BEST: Final = 200
"""The largest number of passages in a result."""
_WORDS_EACH: Final = 32
_SENTENCE_WORDS: Final = 5
"""A query with at least this number of words is a sentence, in which many words say nothing."""
_WORD_CHARACTERS: Final = 60
_WORD = re.compile(r"\w+(?:[.,:/'’-]\w+)*")
_RANK_WEIGHT: Final = 0.1
"""The share of PostgreSQL's rank in a score. The rank counts how often and how prominently a passage has the words."""
_BUDGET: Final = 3_000
"""The largest number of passages to compare. A word that is in more passages counts only together with rarer words."""
_HITS = text("SELECT * FROM leaf_word_hits(:words, :files, :budget, :most)")
_TELLING = text("""
    SELECT w.place, w.word
    FROM unnest(CAST(:places AS integer[]), CAST(:words AS text[])) WITH ORDINALITY AS w (place, word, n)
    JOIN (
        SELECT q.place - 1 AS place, leaf_text_language(q.query)::regconfig AS language
        FROM unnest(CAST(:queries AS text[])) WITH ORDINALITY AS q (query, place)
    ) l ON l.place = w.place
    WHERE to_tsvector(l.language, w.word) <> '' ORDER BY w.n
""")


@dataclass(frozen=True)
class Hit:
    """A passage with its score, from 0.0 to 1.0."""

    text_id: UUID
    n: int
    score: float


async def wordings_of(tx: Transaction, queries: Sequence[str]) -> list[list[str]]:
    """The words to search for each query. A sentence is searched without common words of its language, such as "the".

    Such words are rare if most files are in other languages. They would then decide which passages match.
    """
    wordings = [words_of(query) for query in queries]
    numbered = [
        (place, word)
        for place, wording in enumerate(wordings) if len(wording) >= _SENTENCE_WORDS
        for word in wording
    ]  # fmt: skip
    if not numbered:
        return wordings
    places, words = (list(values) for values in zip(*numbered, strict=True))
    rows = await tx.execute(_TELLING, {"places": places, "words": words, "queries": list(queries)})
    telling: dict[int, list[str]] = defaultdict(list)
    for row in rows.all():
        telling[row.place].append(row.word)
    return [telling.get(place, wording) for place, wording in enumerate(wordings)]


async def hits(tx: Transaction, wordings: Sequence[Sequence[str]], files: Sequence[str] | None) -> list[Hit]:
    """The passages with words of a question, the best first, at most `BEST`.

    Args:
        tx: A transaction of the member.
        wordings: The words of each wording of the question. A passage is scored by the wording that it matches best.
        files: The ids of the files to search; None for all.
    """
    words = list(dict.fromkeys(word for wording in wordings for word in wording))
    if not words:
        return []
    rows = (await tx.execute(_HITS, {"words": words, "files": files, "budget": _BUDGET, "most": BEST})).all()
    weights = {place: weight for row in rows for place, weight in zip(row.places, row.weights, strict=True)}
    places = {word: place for place, word in enumerate(words, 1)}
    numbered = [[places[word] for word in wording] for wording in wordings if wording]
    found = [Hit(row.text_id, row.n, _score(row, numbered, weights)) for row in rows]
    return sorted(found, key=lambda hit: -hit.score)


def words_of(query: str) -> list[str]:
    """The distinct words of a query in lower case, at most `_WORDS_EACH`."""
    found = (match.group()[:_WORD_CHARACTERS] for match in _WORD.finditer(query[:1_000]))
    return list(dict.fromkeys(word.casefold() for word in found))[:_WORDS_EACH]


def _score(row: Any, wordings: Sequence[Sequence[int]], weights: Mapping[int, float]) -> float:
    """The score of a passage, from 0.0 to 1.0.

    It is the weighted share of the words that the passage has of the wording that it matches best, and a small part of
    PostgreSQL's rank.
    """
    held: dict[int, float] = defaultdict(float, zip(row.places, row.weights, strict=True))
    # A word that no passage has gets the weight of the rarest word.
    missing = max(weights.values(), default=1.0)
    shares = [
        sum(held[place] for place in wording) / sum(weights.get(place, missing) for place in wording)
        for wording in wordings
    ]
    return (1 - _RANK_WEIGHT) * max(shares) + _RANK_WEIGHT * min(1.0, row.rank)
