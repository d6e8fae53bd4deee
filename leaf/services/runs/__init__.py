"""Runs: from a question to its stored answer. One run per question; the job that writes it is `jobs.respond`.

A turn costs three writes: an INSERT each of the question and the pending answer, and one UPDATE at the end.
While it is being written an answer lives in its run stream (`leaf.streams`).
"""

from leaf.services.runs.active import active, run_of
from leaf.services.runs.again import proceed, regenerate, retry
from leaf.services.runs.answering import Assignment, Outcome, announce, assignment, finish, unfinished
from leaf.services.runs.asking import News, answer, edit, result, send, stop, watch
from leaf.services.runs.calling import open_calls
from leaf.services.runs.choosing import EARLIER_MODELS
from leaf.services.runs.claiming import Claim, Delivery, claim, deliver
from leaf.services.runs.continuing import carry_on
from leaf.services.runs.once import SENT, id_of, sent
from leaf.services.runs.overdue import RUN_TIMEOUT, Overdue, abandon, expire, explanation, overdue
from leaf.services.runs.queueing import BUDGET, Queued, queued, release, rewrite, say, withdraw
from leaf.services.runs.starting import MESSAGE_CHARACTERS, Turn
from leaf.services.runs.waiting import Waited, runs_of

__all__ = [
    "BUDGET",
    "EARLIER_MODELS",
    "MESSAGE_CHARACTERS",
    "RUN_TIMEOUT",
    "SENT",
    "Assignment",
    "Claim",
    "Delivery",
    "News",
    "Outcome",
    "Overdue",
    "Queued",
    "Turn",
    "Waited",
    "abandon",
    "active",
    "announce",
    "answer",
    "assignment",
    "carry_on",
    "claim",
    "deliver",
    "edit",
    "expire",
    "explanation",
    "finish",
    "id_of",
    "open_calls",
    "overdue",
    "proceed",
    "queued",
    "regenerate",
    "release",
    "result",
    "retry",
    "rewrite",
    "run_of",
    "runs_of",
    "say",
    "send",
    "sent",
    "stop",
    "unfinished",
    "watch",
    "withdraw",
]
