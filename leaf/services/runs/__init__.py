"""Runs: the writing of one answer. The job that writes it is `jobs.respond`.

A turn costs three writes: an INSERT each of the question and the pending answer, and one UPDATE at the end.
While it is being written an answer lives in its run stream (`leaf.streams`). Turns are begun in
`leaf.services.conversations`.
"""

from leaf.services.runs.active import is_busy, locked, run_of
from leaf.services.runs.answer import EARLIER_MODELS, Waited, runs_of
from leaf.services.runs.assignment import Assignment, Outcome
from leaf.services.runs.call_claims import Claim, Delivery, claim, deliver
from leaf.services.runs.calls import open_calls
from leaf.services.runs.job import enqueue, outage
from leaf.services.runs.overdue import RUN_TIMEOUT, Overdue, abandon, expire, explanation, overdue
