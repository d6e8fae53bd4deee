"""Web search and page reading by services that whoever runs Leaf has chosen.

Each service is asked over HTTP as its documentation says, one module for each. Their addresses come from the settings
and are trusted; what they give back is data.
"""

from leaf.agent.web.engines import Kind, is_available, search
from leaf.agent.web.reader import Read, read
from leaf.agent.web.results import Result
from leaf.agent.web.session import WebSession

__all__ = ["Kind", "Read", "Result", "WebSession", "is_available", "read", "search"]
