"""Looks up the files that a question names, with the asker's own Drive: what a page has sent of them is only a wish."""

import asyncio
import logging

from pydantic_ai.messages import UserContent

from leaf import errors
from leaf.agent import mentions as file_mentions
from leaf.google.access import DriveAccess
from leaf.google.drive import Drive
from leaf.google.links import DriveLink
from leaf.parts import attached
from leaf.services import runs

log = logging.getLogger(__name__)

LOOK_SECONDS = 15.0
"""A Drive that is slow does not keep an answer from beginning: the model then tries the ids itself."""


async def prompt(
    task: runs.Assignment, drive: DriveAccess, keys: dict[str, str], stopped: asyncio.Event
) -> str | list[UserContent]:
    """The question as the model is sent it, with what its names stand for.

    Args:
        task: The run's assignment.
        drive: The asker's Drive.
        keys: Where the keys of files that were shared by link are kept for the run's tools.
        stopped: Set when nobody waits for the answer any more.
    """
    mentions = attached.mentions_of(task.asked)[: attached.MOST_MENTIONS]
    keys |= {one.id: one.resource_key for one in mentions if one.resource_key}
    client = Drive(drive, resource_keys=keys)
    looking = [asyncio.create_task(_looked_up(client, one)) for one in mentions]
    stopping = asyncio.create_task(stopped.wait())
    try:
        await asyncio.wait({asyncio.gather(*looking), stopping}, return_when=asyncio.FIRST_COMPLETED)
        named = [one.result() for one in looking if one.done()]
    finally:
        for one in (*looking, stopping):
            one.cancel()
        await asyncio.gather(*looking, return_exceptions=True)
        await asyncio.gather(stopping, return_exceptions=True)
    return file_mentions.prompt(task.question, named, attached.attachments_of(task.asked))


async def _looked_up(client: Drive, mention: attached.Mention) -> file_mentions.Named:
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            file = await client.get_file(DriveLink(mention.id, mention.resource_key))
    except errors.LeafError as error:
        return file_mentions.Named(mention.id, mention.name, reason=error.message)
    except TimeoutError:
        log.info("a file that a question names was not looked up in time")
        return file_mentions.Named(mention.id, mention.name, reason="Google Drive did not answer in time.")
    return file_mentions.Named(file.id, mention.name, file)
