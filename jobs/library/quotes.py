"""Looks for checked quotes again in files that have changed, and recomputes figures, both without a model."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from leaf import citations, errors
from leaf.citations import Passage
from leaf.db.session import Actor
from leaf.documents import Document, tables
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.services import computations
from leaf.services.integrations import UserDrive
from leaf.services.library import file_texts, quotes, sight
from leaf.services.library.quotes import Cited, Figure, Quote, State

log = logging.getLogger(__name__)

MEMBERS = 8
_REFUSED = frozenset({403, 404, 410})


async def check_due() -> bool:
    """Checks some of the quotes and figures whose files have changed; returns whether there were any."""
    some = False
    for actor in await quotes.due(MEMBERS):
        for cited in await quotes.claim_due(actor):
            some = True
            try:
                await _look_again(actor, cited)
            except (errors.DriveNotConnected, errors.DriveRevoked):
                break
            except errors.DriveError as error:
                log.info("quotes of a file are looked for later: %s", error.code)
        for figure in await quotes.claim_due_figures(actor):
            some = True
            try:
                await _compute_anew(actor, figure)
            except (errors.DriveNotConnected, errors.DriveRevoked):
                break
            except (errors.DriveError, tables.TooMuch) as error:
                log.info("a figure is computed anew later: %s", error.code)
    return some


async def _compute_anew(actor: Actor, figure: Figure) -> None:
    """Stores whether a figure is still the result of its computation. If this is unknown, it is checked again later.

    Raises:
        errors.DriveError: Google does not answer.
        tables.TooMuch: The computation takes too long or too much memory at present.
    """
    if figure.revision is None:
        await quotes.settle_figure(actor, figure, *await _out_of_sight(actor, figure))
        return
    if figure.unread is not None:
        if await _is_present(actor, figure):
            await quotes.settle_figure(actor, figure, None, figure.unread)
        return
    try:
        state = await _state_of(actor, figure.output)
        if state == "stands" and figure.edited:
            state = await _state_of(actor, figure.edited)
    except errors.NotFound:
        await quotes.settle_figure(actor, figure, None)
        return
    if state is None:
        return
    if state != "stands" and not await _is_present(actor, figure):
        return
    await quotes.settle_figure(actor, figure, state)


async def _state_of(actor: Actor, output: Mapping[str, Any]) -> State | None:
    """The state of a figure after its computation was repeated; None if the index lacks the text of a file."""
    try:
        made = await computations.from_index(actor, output)
    except tables.TooMuch:
        raise
    except tables.Refused:
        return "gone"
    return None if made is None else "stands" if made.is_same else "changed"


async def _look_again(actor: Actor, cited: Cited) -> None:
    """Stores the state of the quotes of a file. Quotes whose state is unknown are checked again later.

    Raises:
        errors.DriveError: Google does not answer.
    """
    if cited.revision is None:
        state, unchecked = await _out_of_sight(actor, cited)
        await quotes.settle(actor, cited, dict.fromkeys(cited.quotes, state), unchecked)
    elif cited.unread is None:
        await quotes.settle(actor, cited, await _states(actor, cited, cited.revision))
    elif await _is_present(actor, cited):
        await quotes.settle(actor, cited, dict.fromkeys(cited.quotes), cited.unread)


async def _states(actor: Actor, cited: Cited, revision: str) -> Mapping[Quote, State | None]:
    """The states of a file's quotes, without the quotes whose state is unknown at the moment.

    A quote counts as changed or gone only if the revision in the index is the current one at Google. The feed may lag
    behind the answer with the quote.

    Raises:
        errors.DriveError: Google does not answer.
    """
    document = await file_texts.document(actor, cited.link.id, revision)
    if document is None:
        return {}
    states = await asyncio.to_thread(looked_for, document, cited.quotes)
    if any(state != "stands" for state in states.values()) and not await _is_present(actor, cited):
        return {quote: state for quote, state in states.items() if state == "stands"}
    return states


def looked_for(document: Document, wanted: Sequence[Quote]) -> dict[Quote, State]:
    """The state of each quote in a text. This is slow: call it in a thread."""
    passages = [Passage(one.place, one.text) for one in document.segments]
    prepared = citations.Text(passages)
    return {quote: _state(quote, prepared, passages) for quote in wanted}


def _state(quote: Quote, prepared: citations.Text, passages: Sequence[Passage]) -> State:
    if not quote.text or prepared.find(quote.text) is not None:
        return "stands"
    return "gone" if citations.nearest(quote.text, passages) is None else "changed"


async def _out_of_sight(actor: Actor, of: Cited | Figure) -> tuple[State | None, Mapping[str, Any] | None]:
    """The state of quotes and figures from a file that is missing in the member's listings or was refused to the index.

    Returns:
        The state, and the reason why the file could not be read. The state is None, and so unchanged, if Google still
        shows the file. The reason is None if the file can be opened by its address; its changes are then not reported.
    """
    present = await _present(actor, of.link)
    if present is None or not present.can_download:
        return "hidden", None
    if not present.trashed:
        await sight.reopen(actor, {of.link.id})
    return ("gone", None) if present.trashed else (None, quotes.closed() if of.is_listed else None)


async def _is_present(actor: Actor, of: Cited | Figure) -> bool:
    """Whether the revision in the index is the current one at Google."""
    present = await _present(actor, of.link)
    return present is not None and present.revision == of.revision


async def _present(actor: Actor, link: DriveLink) -> DriveFile | None:
    """The file as Google shows it to the member now; None if Google refuses it to the member."""
    try:
        return await Drive(UserDrive(actor)).get_file(link)
    except errors.DriveRefused as refused:
        if refused.status in _REFUSED:
            return None
        raise
