"""Sites: the requests from pages of visitors, and the frames and events that visitors receive. Pure."""

from leaf.sites.agent import NO_SITE, TOOLS, Identity, SiteAgent, SiteChat
from leaf.sites.context import Context, context_of
from leaf.sites.events import ConversationMessage, events_of, result_for_team
from leaf.sites.frames import Frame, Frames
from leaf.sites.identity import UserToken, is_user, origin_of, verified
from leaf.sites.injection import FIELDS, Injection, injected
from leaf.sites.knowledge import TOOLS as KNOWLEDGE_TOOLS
from leaf.sites.knowledge import Source, titles_of, without_passages
from leaf.sites.metadata import Metadata, metadata_of
from leaf.sites.prompt import RULES, prompt
