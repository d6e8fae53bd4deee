"""Usage ledger, budgets and limits of members and sites.

The ledger (`usage_entries`) has one row for each run and purpose. A row is visible only to its member and outlives its
chat. A trigger adds the row of an answer in the statement that ends the answer; `record` adds all other rows. A budget
applies to a member and a day or month (UTC), in tokens or US dollars. A question reserves a part of the unused budget
for its answer (`reserve`), so that concurrent answers cannot exceed the budget.
"""

from leaf.services.usage.budgets import Allowance, Standing, Unit, amount, ended, share
from leaf.services.usage.entries import Entry, Purpose, enter, record
from leaf.services.usage.limits import allowance, lock, reserve, standings, throttle
from leaf.services.usage.reports import ChatTotals, Report, of_chat, of_message, of_runs, report
from leaf.services.usage.totals import Totals, Usage
