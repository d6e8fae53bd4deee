"""Web search and page reading, by the services that the administrator has configured.

Each service is called over HTTP as its documentation says. The addresses of the services come from the settings and are
trusted; their results are untrusted data.
"""

from leaf.agent.web.engines import Kind, is_available, search
from leaf.agent.web.reader import Read, read
from leaf.agent.web.results import Result
from leaf.agent.web.session import WebSession
