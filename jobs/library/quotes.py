"""Searches changed files for the quotes of answers again, and recomputes figures. No model is called."""

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
                await _check_quotes(actor, cited)
            except (errors.DriveNotConnected, errors.DriveRevoked):
                break
            except errors.DriveError as error:
                log.info("quotes of a file are checked later: %s", error.code)
        for figure in await quotes.claim_due_figures(actor):
            some = True
            try:
                await _check_figure(actor, figure)
            except (errors.DriveNotConnected, errors.DriveRevoked):
                break
            except (errors.DriveError, tables.TooMuch) as error:
                log.info("a figure is checked later: %s", error.code)
    return some


async def _check_figure(actor: Actor, figure: Figure) -> None:
    """Stores whether a figure is still the result of its computation. If this is unknown, it is checked again later.

    Raises:
        errors.DriveError: Google does not answer.
        tables.TooMuch: The computation takes too long or too much memory at present.
    """
    if figure.revision is None:
        await quotes.settle_figure(actor, figure, *await _state_without_file(actor, figure))
        return
    if figure.unread is not None:
        if await _is_current(actor, figure):
            await quotes.settle_figure(actor, figure, None, figure.unread)
        return
    try:
        state = await _figure_state(actor, figure.output)
        if state == "stands" and figure.edited:
            state = await _figure_state(actor, figure.edited)
    except errors.NotFound:
        await quotes.settle_figure(actor, figure, None)
        return
    if state == "stands" or (state is not None and await _is_current(actor, figure)):
        await quotes.settle_figure(actor, figure, state)


async def _figure_state(actor: Actor, output: Mapping[str, Any]) -> State | None:
    """The state of a figure, found by repeating its computation; None if the index lacks the text of a file."""
    try:
        made = await computations.from_index(actor, output)
    except tables.TooMuch:
        raise
    except tables.Refused:
        return "gone"
    if made is None:
        return None
    return "stands" if made.is_same else "changed"


async def _check_quotes(actor: Actor, cited: Cited) -> None:
    """Stores the state of the quotes of a file. Quotes whose state is unknown are checked again later.

    Raises:
        errors.DriveError: Google does not answer.
    """
    if cited.revision is None:
        state, unchecked = await _state_without_file(actor, cited)
        await quotes.settle(actor, cited, dict.fromkeys(cited.quotes, state), unchecked)
    elif cited.unread is None:
        await quotes.settle(actor, cited, await _quote_states(actor, cited, cited.revision))
    elif await _is_current(actor, cited):
        await quotes.settle(actor, cited, dict.fromkeys(cited.quotes), cited.unread)


async def _quote_states(actor: Actor, cited: Cited, revision: str) -> Mapping[Quote, State | None]:
    """The states of a file's quotes. Quotes whose state is unknown at the moment are left out.

    A quote counts as changed or gone only if the revision in the index is the current one at Google, because the index
    may have an older revision than the answer.

    Raises:
        errors.DriveError: Google does not answer.
    """
    document = await file_texts.document(actor, cited.link.id, revision)
    if document is None:
        return {}
    states = await asyncio.to_thread(states_in, document, cited.quotes)
    if any(state != "stands" for state in states.values()) and not await _is_current(actor, cited):
        return {quote: state for quote, state in states.items() if state == "stands"}
    return states


def states_in(document: Document, wanted: Sequence[Quote]) -> dict[Quote, State]:
    """The state of each quote in a text. The search is slow, so call it in a thread."""
    passages = [Passage(one.place, one.text) for one in document.segments]
    prepared = citations.Text(passages)
    return {quote: _quote_state(quote, prepared, passages) for quote in wanted}


def _quote_state(quote: Quote, prepared: citations.Text, passages: Sequence[Passage]) -> State:
    if not quote.text or prepared.find(quote.text) is not None:
        return "stands"
    return "gone" if citations.nearest(quote.text, passages) is None else "changed"


async def _state_without_file(actor: Actor, of: Cited | Figure) -> tuple[State | None, Mapping[str, Any] | None]:
    """The state of quotes and figures from a file that is not in the member's listings or was refused to the index.

    Returns:
        The state, and the reason why the file could not be read. The state is None, which keeps the stored state, if
        Google still shows the file. The reason is None if the file is not listed and can be opened only by its address.
    """
    file = await _file_now(actor, of.link)
    if file is None or not file.can_download:
        return "hidden", None
    if file.trashed:
        return "gone", None
    await sight.reopen(actor, {of.link.id})
    return None, quotes.closed() if of.is_listed else None


async def _is_current(actor: Actor, of: Cited | Figure) -> bool:
    """Whether the revision in the index is the current one at Google."""
    file = await _file_now(actor, of.link)
    return file is not None and file.revision == of.revision


async def _file_now(actor: Actor, link: DriveLink) -> DriveFile | None:
    """The file as Google shows it to the member now; None if Google refuses it to the member."""
    try:
        return await Drive(UserDrive(actor)).get_file(link)
    except errors.DriveRefused as refused:
        if refused.status in _REFUSED:
            return None
        raise
