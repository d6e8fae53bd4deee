"""Web search and page reading with the services that the administrator has configured.

Each service is called over HTTP according to its documentation. The addresses of the services come from the settings
and are trusted. Their results are untrusted data.
"""

from leaf.agent.web.engines import Kind, is_available, search
from leaf.agent.web.reader import read
from leaf.agent.web.session import WebSession
