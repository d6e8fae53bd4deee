"""Runs: from a question to its stored answer. One run per question; the job that writes it is `jobs.respond`.

A turn costs three writes: an INSERT each of the question and the pending answer, and one UPDATE at the end.
While it is being written an answer lives in its run stream (`leaf.streams`).
"""

from leaf.services.runs.answering import Assignment, Outcome, announce, assignment, finish, unfinished
from leaf.services.runs.asking import MESSAGE_CHARACTERS, News, Turn, answer, follow, result, retry, send, stop, watch
from leaf.services.runs.choosing import EARLIER_MODELS
from leaf.services.runs.waiting import Waited, open_calls, runs_of

__all__ = [
    "EARLIER_MODELS",
    "MESSAGE_CHARACTERS",
    "Assignment",
    "News",
    "Outcome",
    "Turn",
    "Waited",
    "announce",
    "answer",
    "assignment",
    "finish",
    "follow",
    "open_calls",
    "result",
    "retry",
    "runs_of",
    "send",
    "stop",
    "unfinished",
    "watch",
]
