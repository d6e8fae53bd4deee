"""Limits of visitors: for each visitor, for each address, and for all visitors of an agent together.

Visitors are strangers. If Redis does not answer, nothing can be counted, and they are refused (decision 0028).
"""

from typing import Final
from uuid import UUID

from leaf import errors, texts
from leaf.parts import client_tools
from leaf.redis import rates
from leaf.services.conversations import Quota, Terms
from leaf.services.files import ChatFiles
from leaf.services.sites.visitors.identity import VisitorCaller
from leaf.sites import Context

FILE_BYTES: Final = 5_000_000
"""The largest file that a visitor may send."""
CHATS_A_MINUTE: Final = 20
"""The largest number of chats begun from one address in a minute."""
FILES_A_MINUTE: Final = 20
"""The largest number of files sent from one address in a minute."""
_ADDRESS_FACTOR: Final = 10
"""The daily limit of an address as a multiple of a visitor's limit. Many visitors may share an address."""


def terms(who: VisitorCaller, page: Context, address: str) -> Terms:
    """The terms under which a visitor asks: the model, the tools and the quota that the site has set.

    Args:
        who: The visitor.
        page: Context of the visitor's page. Fields that it leaves out keep their stored values.
        address: The key of the visitor's address for rate limits; empty for none.

    Raises:
        errors.Forbidden: The agent is paused.
        errors.NotFound: The visitor has no chat.
    """
    _refuse_paused(who)
    agent, person = who.agent, who.required().user_id
    limits = {f"widget-agent:{agent.id}": agent.agent_daily, f"widget-visitor:{person}": agent.visitor_daily}
    if address:
        limits[f"widget-address:{agent.id}:{address}"] = agent.visitor_daily * _ADDRESS_FACTOR
    tools = client_tools.stored({"tools": agent.client_tools}) if who.has_page and agent.client_tools else None
    return Terms(tools, agent.model, page, Quota(limits, _reached))


async def count_chat(who: VisitorCaller, address: str) -> None:
    """Counts a new chat.

    Raises:
        errors.Forbidden: The agent is paused.
        errors.RateLimited: Too many chats were begun from this address.
        errors.RedisUnavailable: Nothing can be counted.
    """
    refusal = "Too many chats were started. Try again in a minute."
    await _take(who, f"widget-chats:{who.agent.id}:{address}", CHATS_A_MINUTE, refusal)


async def count_file(who: VisitorCaller, chat_id: UUID, address: str) -> ChatFiles:
    """Counts a new file. Returns the files of the chat, to which the visitor may add it.

    Raises:
        errors.Forbidden: The agent accepts no files, or is paused.
        errors.NotFound: There is no such chat for this visitor.
        errors.RateLimited: Too many files were sent from this address.
        errors.RedisUnavailable: Nothing can be counted.
    """
    if not who.agent.attachments:
        raise errors.Forbidden(texts.english("errors.agent_no_files"), code="attachments_off")
    files = ChatFiles(who.required(), chat_id)
    await files.check()
    refusal = texts.english("errors.agent_files_often")
    await _take(who, f"widget-files:{who.agent.id}:{address}", FILES_A_MINUTE, refusal)
    return files


async def _take(who: VisitorCaller, name: str, most: int, refusal: str) -> None:
    """Counts an action that an address may do at most `most` times in a minute."""
    _refuse_paused(who)
    if seconds := await rates.take_each({name: most}, seconds=60.0):
        raise errors.RateLimited(refusal, resets_in_seconds=seconds)


def _reached(seconds: int) -> errors.LimitReached:
    error = errors.LimitReached(texts.english("errors.agent_quota"), resets_in_seconds=seconds)
    error.code = "quota_reached"
    return error


def _refuse_paused(who: VisitorCaller) -> None:
    if who.agent.paused:
        raise errors.Forbidden(texts.english("errors.agent_paused"), code="agent_paused")
