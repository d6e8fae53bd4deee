"""Usage: what people have used, what they may use, and what they are told about it.

What was used stands in a ledger (`usage_entries`): one row for each run and purpose, seen by its person alone, which
outlives its chat. An answer's row is entered by a trigger, in the very statement that ends the answer; `record` enters
the others. Budgets are of a person, a day or a month (UTC), in tokens or US dollars. A question sets a part of what is
left aside for its answer (`reserve`), so that answers at the same time cannot use more than there is.
"""

from leaf.services.usage.amounts import Usage
from leaf.services.usage.budgets import Allowance, Standing, Unit, amount, ended, share
from leaf.services.usage.entries import PURPOSES, Entry, enter, record
from leaf.services.usage.limits import lock, reserve, standings, throttle
from leaf.services.usage.reports import ChatTotals, Report, of_chat, of_message, of_runs, report
from leaf.services.usage.totals import Totals

__all__ = [
    "PURPOSES",
    "Allowance",
    "ChatTotals",
    "Entry",
    "Report",
    "Standing",
    "Totals",
    "Unit",
    "Usage",
    "amount",
    "ended",
    "enter",
    "lock",
    "of_chat",
    "of_message",
    "of_runs",
    "record",
    "report",
    "reserve",
    "share",
    "standings",
    "throttle",
]
