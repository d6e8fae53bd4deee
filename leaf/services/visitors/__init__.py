"""Visitors of tenants' sites: who calls with a public key, their chats, and what they may ask.

Everything here begins with an agent that a public key led to (`agent_of`) and a visitor of it (`identify`): tenant and
agent are never taken from a request.
"""

from leaf.services.visitors.asking import MESSAGE_CHARACTERS, ask
from leaf.services.visitors.calling import PREFIX, Claims, Keyed, Visiting, agent_of, identify, is_allowed_somewhere
from leaf.services.visitors.chats import VisitorChat, archive, begin, delete, listed, merge, open_chat, rate
from leaf.services.visitors.cleaning import expire
from leaf.services.visitors.files import MOST_BYTES as FILE_BYTES
from leaf.services.visitors.files import allow as allow_file
from leaf.services.visitors.quotas import begins as may_begin

__all__ = [
    "FILE_BYTES",
    "MESSAGE_CHARACTERS",
    "PREFIX",
    "Claims",
    "Keyed",
    "Visiting",
    "VisitorChat",
    "agent_of",
    "allow_file",
    "archive",
    "ask",
    "begin",
    "delete",
    "expire",
    "identify",
    "is_allowed_somewhere",
    "listed",
    "may_begin",
    "merge",
    "open_chat",
    "rate",
]
