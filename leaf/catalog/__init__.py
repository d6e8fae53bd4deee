"""Which models there are: the tables of `config/models/`, what is enabled of them, and which one answers."""

from leaf.catalog.facts import Facts, Price, context_tokens, facts, price
from leaf.catalog.providers import PROVIDERS, SANDBOX, why_not
from leaf.catalog.selection import STEPS, Choice, Kind, Mode, beside, candidates, chosen, offered, select, steps
from leaf.catalog.tables import Table, table

__all__ = [
    "PROVIDERS",
    "SANDBOX",
    "STEPS",
    "Choice",
    "Facts",
    "Kind",
    "Mode",
    "Price",
    "Table",
    "beside",
    "candidates",
    "chosen",
    "context_tokens",
    "facts",
    "offered",
    "price",
    "select",
    "steps",
    "table",
    "why_not",
]
