"""`python -m tests.eval.wordings`: how often a search through the index finds the file that answers a question.

The sample Drive is read and embedded as in the product; then each question of wordings.toml is searched for in each of
its wordings, with vectors and by words alone, without a model. Prints the shares of questions whose file is the first
one, and one of the first 5 and 20.
"""

import asyncio
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import psycopg

from jobs.library import feeds as feeds_job
from jobs.library import texts as texts_job
from jobs.library import vectors as vectors_job
from leaf import config, encoder
from leaf.services.library import feeds, search
from tests.eval.system import System

WORDINGS = ("plain", "other", "german", "french")
RANKS = (1, 5, 20)


async def evaluate() -> dict[tuple[str, str], list[int]]:
    """The ranks of the files that answer, by kind of search and wording; 0 where a file is not found."""
    facts = tomllib.loads(Path(__file__).with_name("wordings.toml").read_text(encoding="utf-8"))["fact"]
    ranks: dict[tuple[str, str], list[int]] = defaultdict(list)
    async with System("sandbox:sandbox-0", workers=0) as system:
        actor = system.actors["ada"]
        await _index()
        for fact in facts:
            wanted = fact["source"].rpartition("/")[2]
            for wording in WORDINGS:
                for kind, embedded in (
                    ("words", None),
                    ("words and vectors", await vectors_job.of_queries([fact[wording]])),
                ):
                    found = await search.search(actor, [fact[wording]], embedded=embedded)
                    names = [[one.name, *(copy.name for copy in one.copies)] for one in found]
                    rank = next((place for place, names in enumerate(names, 1) if wanted in names), 0)
                    ranks[kind, wording].append(rank)
        await encoder.close()
    return ranks


async def _index() -> None:
    """Lists, reads and embeds the Drives, but for texts of more than 1,000 passages, which are logs of sensors."""
    await feeds.open_missing()
    while await feeds_job.follow_due():
        pass
    while await texts_job.read_waiting():
        pass
    settings = config.current()
    with psycopg.connect(str(settings.database_url).replace("+psycopg", "")) as connection:
        connection.execute("UPDATE drive_texts SET vector_model = %s WHERE chunks > 1000", (settings.vector_model,))
    while await vectors_job.embed_waiting():
        pass


def main() -> None:
    """Evaluates and prints the table."""
    ranks = asyncio.run(evaluate())
    heads = " | ".join(f"first {rank}" for rank in RANKS)
    sys.stdout.write(f"| search | wording | questions | {heads} |\n|---|---|---|{'---|' * len(RANKS)}\n")
    for (kind, wording), found in sorted(ranks.items()):
        shares = " | ".join(f"{sum(0 < one <= rank for one in found) / len(found):.2f}" for rank in RANKS)
        sys.stdout.write(f"| {kind} | {wording} | {len(found)} | {shares} |\n")


if __name__ == "__main__":
    main()
