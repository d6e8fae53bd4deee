"""Files that visitors send with their messages, where their agent's tenant lets them."""

from typing import Final
from uuid import UUID

from leaf import errors
from leaf.services.files import ChatFiles
from leaf.services.visitors import quotas
from leaf.services.visitors.calling import Visiting

MOST_BYTES: Final = 5_000_000


async def allow(who: Visiting, chat_id: UUID, address: str) -> ChatFiles:
    """The files of a chat, to which the visitor may add one; it is counted.

    Raises:
        errors.Forbidden: The agent takes none, or is paused.
        errors.NotFound: There is no such chat for this visitor.
        errors.RateLimited: There are too many from this address.
    """
    if not who.agent.attachments:
        raise errors.Forbidden("No files can be sent here.", code="attachments_off")
    files = ChatFiles(who.required(), chat_id)
    await files.check()
    await quotas.sends_file(who, address)
    return files
