"""Tools that run at the caller: declarations of a program or page, and the form of their results. Pure."""

from leaf.client_tools.declarations import (
    DOCUMENT_CHARACTERS,
    SERVER_TOOLS,
    ClientTool,
    Declared,
    declared,
    is_at_caller,
    stored,
)
from leaf.client_tools.outcomes import Outcome, outcome
from leaf.client_tools.schemas import misfits
