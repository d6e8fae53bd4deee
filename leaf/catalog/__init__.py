"""Which models there are: the tables of `config/models/`, what is enabled of them, and which one answers."""

from leaf.catalog.facts import Facts, context_tokens, facts
from leaf.catalog.providers import PROVIDERS, why_not
from leaf.catalog.selection import Choice, Kind, Mode, beside, candidates, chosen, offered, select
from leaf.catalog.tables import Table, table

__all__ = [
    "PROVIDERS",
    "Choice",
    "Facts",
    "Kind",
    "Mode",
    "Table",
    "beside",
    "candidates",
    "chosen",
    "context_tokens",
    "facts",
    "offered",
    "select",
    "table",
    "why_not",
]
