"""Asking the user before something could leave: once a chat has read private text and text that strangers wrote.

A page that the agent reads may tell it to send what it has read of somebody's files to an address of the page's own.
No instruction to a model prevents that for sure. So calls that could carry something out wait for the user, who is
told what would leave, and where to (decision 0020).
"""

from leaf.agent.approval.asking import OUTWARD, Ask, outgoing_page, toolset
from leaf.agent.approval.taint import FOREIGN, NEITHER, PRIVATE, Taint, taint

__all__ = ["FOREIGN", "NEITHER", "OUTWARD", "PRIVATE", "Ask", "Taint", "outgoing_page", "taint", "toolset"]
