"""Tools that run at the caller: declarations of a program or page, and the form of their results. Pure."""

from leaf.client_tools.calls import is_at_caller
from leaf.client_tools.declarations import DOCUMENT_CHARACTERS, ClientTool, Declared, declared, stored
from leaf.client_tools.outcomes import Outcome, outcome
from leaf.client_tools.reserved import SERVER_TOOLS
from leaf.client_tools.schemas import misfits
