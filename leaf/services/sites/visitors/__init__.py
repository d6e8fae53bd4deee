"""Visitors of sites: callers with a public key, their chats and their limits.

All operations begin with the agent of a public key (`agent_of`) and a visitor of this agent (`identify`). The site and
the agent are never taken from a request. Visitors ask with `conversations.ask`, under the `terms` of their agent.
"""

from leaf.services.sites.visitors.chats import (
    VisitorChat,
    begin,
    expire,
    failure_text,
    listed,
    merge,
    open_chat,
    rate,
)
from leaf.services.sites.visitors.identity import (
    PREFIX,
    Claims,
    Keyed,
    VisitorCaller,
    agent_of,
    identify,
    is_allowed_somewhere,
)
from leaf.services.sites.visitors.quotas import FILE_BYTES, count_chat, count_file, terms
