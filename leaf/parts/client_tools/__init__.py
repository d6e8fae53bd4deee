"""Tools that run at the caller: their declarations by a program or page, and the form of their results. Pure."""

from leaf.parts.client_tools.declarations import (
    DOCUMENT_CHARACTERS,
    SERVER_TOOLS,
    ClientTool,
    Declared,
    declared,
    is_at_caller,
    stored,
)
from leaf.parts.client_tools.outcomes import Outcome, outcome
from leaf.parts.client_tools.schemas import mismatches, problem_of
