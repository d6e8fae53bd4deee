"""Fits the messages of a chat into the context of its model.

Before each request, thinking that the provider would refuse is removed (`thinking`), then long content is cut in a
fixed order (`cuts`), then older turns are summarised (`compaction`). If a provider still refuses a request as too long,
it is sent half of it. The stored messages of the chat stay whole.
"""

from leaf.agent.context.budget import ContextTooSmall, fit, is_too_long, record_estimate
from leaf.agent.context.thinking import OwnThinkingModel
from leaf.agent.context.window import Summary, SummaryStore, Turn, Window
