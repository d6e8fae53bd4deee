"""Makes vectors of passages, which is the last step of indexing, and of the questions of searches."""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from jobs.library import answers, claims
from leaf import config, errors
from leaf.agent import embeddings
from leaf.db.session import Actor
from leaf.services.library import vectors
from leaf.services.library.vectors import Claimed, Embedded, Waiting

log = logging.getLogger(__name__)

MEMBERS = 8
TEXTS = 4
"""Texts of one member that get their vectors before the next member's turn."""
PASSAGES = 500
"""Passages of one text that get their vectors before the next text's turn."""
SECONDS = 90.0
"""The time in which the model has to answer for one batch; a provider's client would wait for ever."""


async def embed_waiting(*, reads: bool = False) -> bool:
    """Makes the vectors of some texts; returns true if there were any and the model answered.

    Args:
        reads: Whether files are still to be read; members with unread files are then left out.
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
    """Makes the vectors of one text; returns whether the model answers."""
    made = 0
    try:
        while passages := await vectors.missing(actor, claimed, embeddings.batch()):
            if made >= PASSAGES:
                await vectors.release(actor, claimed, failed=False)
                return True
            await answers.let_pass()
            async with asyncio.timeout(SECONDS):
                found = await _vectors_of(passages)
            await vectors.store(actor, claimed, passages, found)
            made += len(passages)
        await vectors.finish(actor, claimed)
    except asyncio.CancelledError:
        await asyncio.shield(vectors.release(actor, claimed, failed=False))
        raise
    except errors.DatabaseUnavailable:
        claims.give_back_later(partial(vectors.release, actor, claimed, failed=False), vectors.LEASE)
        raise
    except (TimeoutError, *embeddings.FAILURES) as error:
        log.warning("vectors are made later: the model %s does not answer (%s)", claimed.model, type(error).__name__)
        await vectors.release(actor, claimed, failed=True)
        return False
    return True


async def _vectors_of(passages: Sequence[Waiting]) -> list[Sequence[float]]:
    """The vectors of passages; equal ones are embedded once."""
    distinct = {one.digest: one.text for one in passages}
    made = dict(zip(distinct, await embeddings.of_passages(list(distinct.values())), strict=True))
    return [made[one.digest] for one in passages]


async def of_queries(queries: Sequence[str]) -> Embedded | None:
    """The vectors of the wordings of a question; None without a model, or if it does not answer in time."""
    model = config.current().vector_model
    if not model or not queries:
        return None
    try:
        async with asyncio.timeout(vectors.WAIT_SECONDS):
            return Embedded(model, await embeddings.of_queries(queries))
    except (TimeoutError, *embeddings.FAILURES) as error:
        log.warning("a search goes by words alone: the model of vectors does not answer: %s", type(error).__name__)
        return None


async def embed_queries(ctx: dict[str, Any], queries: list[str]) -> dict[str, Any] | None:  # noqa: ARG001 - arq's
    """The job of a web process: the vectors of the wordings of a question, with the name of their model.

    Args:
        ctx: arq's context.
        queries: The wordings.
    """
    made = await of_queries(queries)
    return None if made is None else {"model": made.model, "vectors": made.vectors}
