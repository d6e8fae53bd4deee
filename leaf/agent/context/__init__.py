"""Fits the messages of a chat into the context of its model.

Three steps come before each request. Thinking blocks that the provider would refuse are removed (`thinking`). Then
long content is cut in a fixed order (`cuts`). Then older turns are summarised (`compaction`). If the provider still
refuses the request as too long, it is repeated at half its length. The stored messages of the chat do not change.
"""

from leaf.agent.context.budget import ContextTooSmall, fit, is_too_long
from leaf.agent.context.thinking import OwnThinkingModel
from leaf.agent.context.window import Turn, Window
