"""Approvals: calls that wait for the asker's consent, and the reason that the asker reads.

A page that the agent reads may tell it to send private text to an address of the page's own, and no instruction to a
model prevents that for sure. Once a chat has read private text and text that strangers wrote, each call that could send
something out therefore waits for the asker (decision 0020).

Three wrappers around the toolsets hold calls: `outgoing` by what the chat has read (`taint`) and what a call would send
(`disclosure`), `files` for changes of the chat's files, and `leaf.agent.mcp.toolset` for tools of MCP servers.
"""

from leaf.agent.approval.outgoing import OUTWARD, Ask, outgoing_page, toolset
from leaf.agent.approval.request import required, shown
from leaf.agent.approval.taint import FOREIGN, NEITHER, PRIVATE, Taint, taint
