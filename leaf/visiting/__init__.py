"""Site visitors: the requests of their pages, and the frames and events they receive. Pure."""

from leaf.visiting.agent import TOOLS, Identity, PublicAgent, Visit
from leaf.visiting.context import Context, context_of
from leaf.visiting.events import Said, events_of
from leaf.visiting.frames import Frame, Frames
from leaf.visiting.identity import UserToken, is_user, verified
from leaf.visiting.injection import FIELDS, Injection, injected
from leaf.visiting.origins import origin_of
from leaf.visiting.prompt import RULES, prompt

__all__ = [
    "FIELDS",
    "RULES",
    "TOOLS",
    "Context",
    "Frame",
    "Frames",
    "Identity",
    "Injection",
    "PublicAgent",
    "Said",
    "UserToken",
    "Visit",
    "context_of",
    "events_of",
    "injected",
    "is_user",
    "origin_of",
    "prompt",
    "verified",
]
