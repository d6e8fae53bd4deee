"""Vectors of passages: how they are made, kept and searched, with the encoder of this machine."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from jobs.library import texts as texts_job
from jobs.library import vectors as vectors_job
from leaf import config, encoder
from leaf.db import Actor, transaction
from leaf.services.integrations import UserDrive
from leaf.services.library import lookup, search, vectors
from tests.integration.test_library import add, change, changing_sandbox, connected, follow, sandbox_process
from tests.integration.web_fixtures import World

__all__ = ["changing_sandbox", "sandbox_process"]

LEASE = "The tenant may leave the flat after telling the owner half a year ahead."
QUESTION = "Kündigungsfrist einer gemieteten Wohnung"
"""It means the same and has no word in common with `LEASE`."""


@pytest.fixture(autouse=True)
async def ended_encoder() -> AsyncIterator[None]:
    """Ends the process of the encoder with the event loop of the test."""
    yield
    await encoder.close()


async def embed_all() -> None:
    """Has a worker read all texts and make all vectors."""
    while await texts_job.read_waiting():
        pass
    while await vectors_job.embed_waiting():
        pass


async def names_of(actor: Actor, query: str) -> list[str]:
    """The names of the files that a search by words and meaning finds, the best first."""
    found = await search.search(actor, [query], embedded=await vectors_job.of_queries([query]))
    return [one.name for one in found]


async def test_a_question_without_a_common_word_finds_the_passage(world: World) -> None:
    """In another language than that of the file."""
    async with connected(world) as (_, ada):
        add(world, "ada:/Tenancy.txt", LEASE)
        add(world, "ada:/Pears.txt", "Pear trees are cut in winter, before the buds swell.")
        await follow(world)
        await embed_all()
        assert "Tenancy.txt" not in [one.name for one in await search.search(ada, [QUESTION])]
        assert (await names_of(ada, QUESTION))[0] == "Tenancy.txt"
        findings = await lookup.look_up(ada, UserDrive(ada), [QUESTION], embed=vectors_job.of_queries)
        assert findings.files[0].passages[0].text == LEASE
