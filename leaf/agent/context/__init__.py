"""Fitting what a chat has grown to into what its model takes.

Before each request: thinking that a provider would refuse is left out (`native`); what is too long leaves in a fixed
order (`pruning`); then older turns are summarised (`compaction`). A provider that still refuses a request as too long
is sent half of it. The messages that the chat keeps stay whole.
"""

from leaf.agent.context.budget import fit, is_too_long, note
from leaf.agent.context.native import NativeModel
from leaf.agent.context.window import Summary, SummaryStore, Turn, Window

__all__ = ["NativeModel", "Summary", "SummaryStore", "Turn", "Window", "fit", "is_too_long", "note"]
