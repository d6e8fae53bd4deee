"""Approvals: calls that wait for the asker's consent, and the reason that is shown to the asker.

A page that the agent reads may tell it to send private text to an address of the page's own, and no instruction to a
model reliably prevents that. Therefore, once a chat has read both private text and text that strangers wrote, each call
that could send something out waits for the asker (decision 0020).

Three wrappers around the toolsets hold calls. `outgoing` decides by the text that the chat has read (`taint`) and by
the information that a call would send (`disclosure`). `files` holds changes of the chat's files, and
`leaf.agent.mcp.toolset` holds calls of tools of MCP servers.
"""

from leaf.agent.approval.outgoing import OUTWARD, Approved, outgoing_page
from leaf.agent.approval.request import required, shown
from leaf.agent.approval.taint import FOREIGN, NEITHER, PRIVATE, taint
