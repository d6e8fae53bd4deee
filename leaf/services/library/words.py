"""The search by words. It finds passages with the words of a question; rare words count most.

Two words that stand side by side in the question and in a passage, such as the two words of a name, count as two
further words.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from uuid import UUID

from sqlalchemy import text

from leaf.db.session import Transaction

BEST: Final = 200
"""The largest number of passages in a result."""
_WORDS_EACH: Final = 32
"""The largest number of words of a wording, and of pairs of all wordings."""
_SENTENCE_WORDS: Final = 5
"""A query with at least this number of words is a sentence, in which many words say nothing."""
_WORD_CHARACTERS: Final = 60
_WORD = re.compile(r"\w+(?:[.,:/'’-]\w+)*")
_RANK_WEIGHT: Final = 0.1
"""The share of PostgreSQL's rank in a score. The rank counts how often and how prominently a passage has the words."""
_PAIR_WEIGHT: Final = 2.0
"""The weight of a pair of words relative to a word that is as rare."""
_BUDGET: Final = 3_000
"""The largest number of passages to compare. A word that is in more passages counts only together with rarer words."""
_HITS = text("SELECT * FROM leaf_word_hits(:words, :files, :budget, :most)")
_PAIRS = text("""
    SELECT c.text_id, c.n, array_agg(p.pair) AS pairs
    FROM unnest(CAST(:texts AS uuid[]), CAST(:numbers AS integer[])) AS one (text_id, n)
    JOIN drive_chunks c ON c.text_id = one.text_id AND c.n = one.n
    JOIN unnest(CAST(:pairs AS text[])) AS p (pair) ON c.words @@ phraseto_tsquery('simple', p.pair)
    GROUP BY c.text_id, c.n
""")
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

    If most files are in other languages, such words are rare, and would decide which passages match.
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
    if not rows:
        return []
    weights = {words[place - 1]: weight for row in rows for place, weight in zip(row.places, row.weights, strict=True)}
    # A word that no passage has gets the weight of the rarest word.
    rarest = max(weights.values(), default=1.0)
    held = {(row.text_id, row.n): {words[place - 1] for place in row.places} for row in rows}
    pairs = await _pairs_in(tx, held, wordings)
    for passage, several in pairs.items():
        held[passage] |= several
    counts = Counter(pair for several in pairs.values() for pair in several)
    weights = dict.fromkeys(words, rarest) | weights
    weights |= {pair: _PAIR_WEIGHT * math.log(1 + len(rows) / count) for pair, count in counts.items()}
    # The pairs of each wording count for all wordings, because a pair may be a name that the others leave out.
    terms = [[*wording, *counts] for wording in wordings if wording]
    found = [Hit(row.text_id, row.n, _score(held[row.text_id, row.n], row.rank, terms, weights)) for row in rows]
    return sorted(found, key=lambda hit: -hit.score)


async def _pairs_in(
    tx: Transaction, passages: Collection[tuple[UUID, int]], wordings: Sequence[Sequence[str]]
) -> dict[tuple[UUID, int], set[str]]:
    """The pairs of neighbouring words of the wordings that also stand side by side in a passage, by passage."""
    values = {
        "texts": [text_id for text_id, _ in passages], "numbers": [n for _, n in passages],
        "pairs": list(dict.fromkeys(" ".join(pair) for one in wordings for pair in pairwise(one)))[:_WORDS_EACH],
    }  # fmt: skip
    return {(row.text_id, row.n): set(row.pairs) for row in (await tx.execute(_PAIRS, values)).all()}


def words_of(query: str) -> list[str]:
    """The distinct words of a query in lower case, at most `_WORDS_EACH`."""
    found = (match.group()[:_WORD_CHARACTERS] for match in _WORD.finditer(query[:1_000]))
    return list(dict.fromkeys(word.casefold() for word in found))[:_WORDS_EACH]


def _score(held: Collection[str], rank: float, terms: Sequence[Sequence[str]], weights: Mapping[str, float]) -> float:
    """The score of a passage, from 0.0 to 1.0.

    It is the weighted share of the terms of a wording that the passage has, for the wording that it matches best, plus
    a small part of PostgreSQL's rank.

    Args:
        held: The words and pairs of the passage.
        rank: PostgreSQL's rank.
        terms: The words of each wording, with all pairs that some passage has.
        weights: The weight of each term.
    """
    shares = [
        sum(weights[term] for term in wanted if term in held) / sum(weights[term] for term in wanted)
        for wanted in terms
    ]  # fmt: skip
    return (1 - _RANK_WEIGHT) * max(shares) + _RANK_WEIGHT * min(1.0, rank)
