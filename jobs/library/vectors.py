"""Computes the vectors of passages, which is the last step of indexing, and the vectors of search queries."""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from jobs import registry
from jobs.library import claims
from leaf import config, errors
from leaf.agent import embeddings
from leaf.db.session import Actor
from leaf.services.library import vectors
from leaf.services.library.vectors import Claimed, Embedded, Waiting

log = logging.getLogger(__name__)

MEMBERS = 8
"""The maximum number of members whose texts are processed in one call."""
TEXTS = 4
"""The maximum number of texts of one member that are processed before the next member's turn."""
PASSAGES = 500
"""The number of passages after which a long text is put back, so that other texts are processed."""
SECONDS = 90.0
"""The time limit of one batch, because the client of a provider may wait without a limit."""


async def embed_waiting(*, reads: bool = False) -> bool:
    """Computes the vectors of some texts. Returns whether there were any and the model answered for all of them.

    Args:
        reads: Whether files are still being read. Members with unread files are then skipped.
    """
    some = False
    for one in await vectors.unembedded(MEMBERS):
        if reads and one.unread:
            continue
        for _ in range(TEXTS):
            claimed = await vectors.claim(one.actor)
            if claimed is None:
                break
            some = True
            if not await _embed(one.actor, claimed):
                # The next text would fail as well.
                return False
    return some


async def _embed(actor: Actor, claimed: Claimed) -> bool:
    """Computes vectors of one text. Returns whether the model answered."""
    made = 0
    try:
        while passages := await vectors.missing(actor, claimed, embeddings.batch()):
            if made >= PASSAGES:
                await vectors.release(actor, claimed, failed=False)
                return True
            await registry.give_way()
            async with asyncio.timeout(SECONDS):
                found = await _vectors_of(passages)
            await vectors.store(actor, claimed, passages, found)
            made += len(passages)
        await vectors.finish(actor, claimed)
    except asyncio.CancelledError:
        await asyncio.shield(vectors.release(actor, claimed, failed=False))
        raise
    except errors.DatabaseUnavailable:
        claims.release_in_background(partial(vectors.release, actor, claimed, failed=False), vectors.LEASE)
        raise
    except (TimeoutError, *embeddings.FAILURES) as error:
        log.warning("vectors are computed later: model %s does not answer (%s)", claimed.model, type(error).__name__)
        await vectors.release(actor, claimed, failed=True)
        return False
    return True


async def _vectors_of(passages: Sequence[Waiting]) -> list[Sequence[float]]:
    """The vector of each passage; equal passages are embedded once."""
    distinct = {one.digest: one.text for one in passages}
    made = dict(zip(distinct, await embeddings.of_passages(list(distinct.values())), strict=True))
    return [made[one.digest] for one in passages]


async def of_queries(queries: Sequence[str]) -> Embedded | None:
    """The vectors of the wordings of a question; None if no model is set or the model does not answer in time."""
    model = config.current().vector_model
    if not model or not queries:
        return None
    try:
        async with asyncio.timeout(vectors.WAIT_SECONDS):
            return Embedded(model, await embeddings.of_queries(queries))
    except (TimeoutError, *embeddings.FAILURES) as error:
        log.warning("a search uses words only: the model of vectors does not answer: %s", type(error).__name__)
        return None


async def embed_queries(ctx: dict[str, Any], queries: list[str]) -> dict[str, Any] | None:  # noqa: ARG001 - arq's
    """The job that computes vectors of the wordings of a question for a web process.

    Returns:
        The name of the model and the vectors; None if `of_queries` returns None.
    """
    made = await of_queries(queries)
    return None if made is None else {"model": made.model, "vectors": made.vectors}
