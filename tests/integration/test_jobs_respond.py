"""A run whose beginning has to wait: for the database, and for its turn."""

import asyncio
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from jobs import respond
from jobs.run import store
from leaf import errors, streams
from leaf.services import conversations, runs
from tests.integration.web_fixtures import World


async def test_a_database_that_is_away_at_the_beginning_is_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And costs none of the run's attempts. # 000-43"""
    monkeypatch.setattr(store, "PAUSE_SECONDS", 0.01)
    asked: list[UUID] = []

    async def assignment(run_id: UUID) -> runs.Assignment | None:
        asked.append(run_id)
        if len(asked) < 4:
            raise errors.DatabaseUnavailable
        return None

    monkeypatch.setattr(conversations, "assignment", assignment)
    assert await respond.respond({}, str(uuid4()), 1) == "over"
    assert len(asked) == 4
    monkeypatch.setattr(store, "DATABASE_SECONDS", 0)
    asked.clear()
    with pytest.raises(errors.DatabaseUnavailable):
        await respond.respond({}, str(uuid4()), 1)


async def test_a_run_that_waits_for_its_turn_keeps_its_lease(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else others would take it for orphaned. # 000-32"""
    monkeypatch.setattr(streams, "acquire", partial(streams.acquire, seconds=0.6))
    monkeypatch.setattr(streams, "renewing", partial(streams.renewing, every_seconds=0.1))
    go_on = asyncio.Event()

    async def assignment(_: UUID) -> Any:
        await go_on.wait()

    monkeypatch.setattr(conversations, "assignment", assignment)
    ids = [uuid4() for _ in range(respond.BEGINNINGS + 3)]
    waiting = [asyncio.create_task(respond.respond({}, str(run_id), 1)) for run_id in ids]
    for _ in range(15):
        await asyncio.sleep(0.1)  # time that passes is what is tested
    assert [await streams.acquire(run_id, "another worker") for run_id in ids] == [None] * len(ids)
    go_on.set()
    assert await asyncio.gather(*waiting) == ["over"] * len(ids)
