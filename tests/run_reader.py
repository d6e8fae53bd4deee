"""A reader of runs for tests: the chunks of a run, or the error by which it is refused."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from leaf import streams
from leaf.parts import Chunk


async def batches(run_id: streams.RunId, reader: streams.Reader, start: int = 0) -> AsyncGenerator[list[Chunk]]:
    """The chunks of a run in batches, to its end.

    Raises:
        errors.LeafError: The reader may not read the run, or it cannot be followed at the moment.
    """
    async with aclosing(streams.follow(run_id, reader, start)) as events:
        async for event in events:
            if isinstance(event, streams.Batch):
                yield event.chunks
            elif isinstance(event, streams.Lost | streams.Revoked):
                raise event.error


async def first(run_id: streams.RunId, reader: streams.Reader) -> list[Chunk]:
    """The first chunks of a run.

    Raises:
        errors.LeafError: As `batches`.
    """
    async with aclosing(batches(run_id, reader)) as found:
        return await anext(found)
