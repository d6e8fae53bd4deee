"""`make bench ONLY=index`: how long a search through a large index takes.

A PostgreSQL of its own with row-level security, and one member's Drive, parts of which others see as well, of generated
passages whose words are as unevenly frequent as those of a language (Zipf's law).
"""

import itertools
import os
import random
import time
from collections.abc import Iterator
from uuid import UUID, uuid4

import psycopg

from jobs.library import vectors
from leaf import config
from leaf.agent import encoder
from leaf.db import Actor, migrate, session
from leaf.services.library import search
from leaf.services.library.vectors import as_text
from tests.bench.figures import Figures, late
from tests.postgres import running_postgres

PASSAGES = int(os.environ.get("PASSAGES", "120000"))
PASSAGES_EACH = 12
"""Passages of one file."""
VECTORS = 1_000
"""Different vectors; which ones they are makes no difference to an exact search."""
WORDS = 100
"""Words of a passage."""
VOCABULARY = 40_000
QUERIES = 40
KINDS = {"common words": (40, 400), "usual words": (400, 4_000), "rare words": (4_000, 40_000)}
"""The ranks of the words of each kind of query, by their frequency."""
_SYLLABLES = [
    "ba",
    "den",
    "fo",
    "gri",
    "hal",
    "ki",
    "lor",
    "mun",
    "nes",
    "pra",
    "qui",
    "ros",
    "sta",
    "tem",
    "vul",
    "zor",
]
_FILL = """
    INSERT INTO drive_texts (file_id, revision, state, mime_type, kind, body, language, chunks)
        SELECT file, '1', 'read', 'text/plain', 'text', '{}', 'english', count(*) FROM made GROUP BY file;
    INSERT INTO drive_chunks (text_id, n, place, heading, text, words)
        SELECT t.id, m.n, 'all', m.file, m.body, leaf_chunk_words('english', m.file, m.body)
        FROM made m JOIN drive_texts t ON t.file_id = m.file;
"""
_OTHERS = """
    INSERT INTO users (id, email, name)
        SELECT gen_random_uuid(), 'other-' || i || '@example.org', 'Other' FROM generate_series(1, 3) i;
    INSERT INTO drive_sight (user_id, file_id, revision, name, mime_type, kind, url, can_download, modified_at)
        SELECT u.id, s.file_id, s.revision, s.name, s.mime_type, s.kind, s.url, true, s.modified_at
        FROM drive_sight s JOIN users u ON u.name = 'Other' AND hashtext(s.file_id || u.id) % 2 = 0
"""
"""Three other members, each of whom sees half of the files."""
_VECTORS = """
    INSERT INTO drive_vectors (text_id, n, model, digest, vector)
        SELECT c.text_id, c.n, %s, gen_random_uuid(), v.vector::leaf_vectors.halfvec FROM (
            SELECT text_id, n, row_number() OVER () AS place FROM drive_chunks
        ) c
        JOIN vectors v ON v.place = c.place %% %s
"""
_SIGHT = """
    INSERT INTO drive_sight (user_id, file_id, revision, name, mime_type, kind, url, can_download, modified_at)
        SELECT %s, file, '1', file, 'text/plain', 'text', 'https://drive.example/' || file, true, now()
        FROM made GROUP BY file
"""


async def measure(figures: Figures) -> None:
    """Searches for queries of each kind, each with one wording of five words."""
    with running_postgres() as server:
        url = server.url(server.create_database())
        migrate.upgrade(url)
        person = fill(url, PASSAGES)
        config.install(config.Settings(_env_file=None, database_url=url))  # pyright: ignore[reportCallIssue]
        try:
            await measure_queries(figures, Actor.user(person))
            await measure_meanings(figures, Actor.user(person))
        finally:
            await encoder.close()
            await session.dispose()


async def measure_meanings(figures: Figures, actor: Actor) -> None:
    """Notes the times of searches by words and vectors, and of the vectors of their questions."""
    await vectors.of_queries(["warm"])
    for kind, ranks in KINDS.items():
        embedding: list[float] = []
        whole: list[float] = []
        for query in queries(QUERIES, ranks=ranks, seed=3):
            begun = time.perf_counter()
            embedded = await vectors.of_queries([query])
            embedding.append((time.perf_counter() - begun) * 1000)
            await search.search(actor, [query], embedded=embedded)
            whole.append((time.perf_counter() - begun) * 1000)
        for value in embedding:
            figures.note("vector of a question, p50", value, "ms")
        for value in whole:
            figures.note(f"search by meaning and {kind}, p50", value, "ms")
        figures.note(f"search by meaning and {kind}, p95", late(whole), "ms", 150)


async def measure_queries(figures: Figures, actor: Actor) -> None:
    """Notes the times of the queries of each kind."""
    for kind, ranks in KINDS.items():
        times: list[float] = []
        for query in queries(QUERIES, ranks=ranks):
            begun = time.perf_counter()
            await search.search(actor, [query])
            times.append((time.perf_counter() - begun) * 1000)
        for value in times:
            figures.note(f"search for {kind}, p50", value, "ms")
        figures.note(f"search for {kind}, p95", late(times), "ms", 150)


def vocabulary() -> list[str]:
    """Made words, which no stemmer knows, the most frequent one first."""
    made = ["".join(one) for one in itertools.product(_SYLLABLES, repeat=4)]
    return random.Random(0).sample(made, VOCABULARY)


def passages(count: int, *, seed: int = 1) -> Iterator[str]:
    """Texts in which a word of twice the rank is about half as frequent."""
    chance = random.Random(seed)
    words = vocabulary()
    # Without the stop words: the most frequent word is in every fifth passage.
    weights = list(itertools.accumulate(1 / (rank + 30) for rank in range(len(words))))
    for _ in range(count):
        yield " ".join(chance.choices(words, cum_weights=weights, k=WORDS))


def queries(count: int, *, ranks: tuple[int, int], words: int = 5, seed: int = 2) -> list[str]:
    """Queries of words that are about as frequent as one another.

    Args:
        count: The number of queries.
        ranks: The first and the last rank of their words.
        words: The number of words of each.
        seed: Another one makes other queries.
    """
    chance, known = random.Random(seed), vocabulary()[slice(*ranks)]
    return [" ".join(chance.sample(known, words)) for _ in range(count)]


def fill(url: str, count: int) -> UUID:
    """Makes a member with that many passages; returns the member's id."""
    person = uuid4()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO users (id, email, name) VALUES (%s, %s, 'Bench')", (person, "bench@example.org")
        )
        connection.execute("CREATE TEMP TABLE made (file text, n integer, body text)")
        with connection.cursor() as cursor, cursor.copy("COPY made FROM STDIN") as copy:
            for n, body in enumerate(passages(count)):
                copy.write_row((f"file-{n // PASSAGES_EACH:06}", n % PASSAGES_EACH, body))
        connection.execute(_FILL)
        connection.execute(_SIGHT, (person,))
        connection.execute(_OTHERS)
        connection.execute("CREATE TEMP TABLE vectors (place integer, vector text)")
        chance = random.Random(4)
        with connection.cursor() as cursor, cursor.copy("COPY vectors FROM STDIN") as copy:
            for place in range(VECTORS):
                copy.write_row((place, as_text([chance.gauss(0, 1) for _ in range(encoder.DIMENSIONS)])))
        connection.execute(_VECTORS, (config.Settings.model_construct().vector_model, VECTORS))
        connection.execute("VACUUM ANALYZE")
    return person
