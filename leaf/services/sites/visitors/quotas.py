"""Limits of visitors: of each one, of each address, and of all visitors of an agent together. They are strangers:
where Redis does not answer nothing can be counted, and they are refused (decision 0028).
"""

import math
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
"""Chats that are begun from one address."""
FILES_A_MINUTE: Final = 20
"""Files that are sent from one address."""
_ADDRESS_FACTOR: Final = 10
"""The limit of an address, which many visitors may share, in limits of one visitor."""


def terms(who: VisitorCaller, page: Context, address: str) -> Terms:
    """The terms under which a visitor asks: the model, the tools and the quota that the site has set.

    Args:
        who: The visitor.
        page: Context of the visitor's page; fields that it leaves out stay as they are.
        address: The visitor's address, in the form in which it is counted.

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


async def may_begin(who: VisitorCaller, address: str) -> None:
    """Counts a chat that is begun.

    Raises:
        errors.Forbidden: The agent is paused.
        errors.RateLimited: There are too many from this address.
        errors.RedisUnavailable: Nothing can be counted.
    """
    refusal = "Too many chats were started. Try again in a minute."
    await _take(who, f"widget-chats:{who.agent.id}:{address}", CHATS_A_MINUTE, refusal)


async def allow_file(who: VisitorCaller, chat_id: UUID, address: str) -> ChatFiles:
    """The files of a chat, to which the visitor may add one; it is counted.

    Raises:
        errors.Forbidden: The agent takes none, or is paused.
        errors.NotFound: There is no such chat for this visitor.
        errors.RateLimited: There are too many from this address.
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
    """Counts an action of which an address may make a number in a minute."""
    _refuse_paused(who)
    seconds = await rates.take_each({name: most}, seconds=60.0)
    if seconds:
        raise errors.RateLimited(refusal, resets_in_seconds=math.ceil(seconds))


def _reached(seconds: float) -> errors.LimitReached:
    error = errors.LimitReached(texts.english("errors.agent_quota"), resets_in_seconds=math.ceil(seconds))
    error.code = "quota_reached"
    return error


def _refuse_paused(who: VisitorCaller) -> None:
    if who.agent.paused:
        raise errors.Forbidden(texts.english("errors.agent_paused"), code="agent_paused")
