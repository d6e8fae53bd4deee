"""Runs. A run is the writing of one answer by the job `jobs.respond`.

A turn costs three writes: an INSERT for the question and one for the pending answer, and one UPDATE at the end. While
an answer is being written, its content is only in its run stream (`leaf.streams`). Turns begin in
`leaf.services.conversations`.
"""

from leaf.services.runs.active import is_busy, lock_waiting, run_of
from leaf.services.runs.answer import EARLIER_MODELS, Waited, runs_of
from leaf.services.runs.assignment import Assignment, Outcome
from leaf.services.runs.call_claims import Claim, Delivery, claim, deliver
from leaf.services.runs.calls import open_calls
from leaf.services.runs.job import enqueue, outage
from leaf.services.runs.overdue import RUN_TIMEOUT, abandon, expire, explanation, overdue
