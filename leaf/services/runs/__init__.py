"""Runs: from a question to its stored answer. One run per question; the job that writes it is `jobs.respond`.

A turn costs three writes: an INSERT each of the question and the pending answer, and one UPDATE at the end.
While it is being written an answer lives in its run stream (`leaf.streams`).
"""

from leaf.services.runs.again import proceed, regenerate, retry
from leaf.services.runs.answering import Assignment, Outcome, announce, assignment, finish, unfinished
from leaf.services.runs.asking import News, answer, edit, follow, result, send, stop, watch
from leaf.services.runs.starting import MESSAGE_CHARACTERS, Turn
from leaf.services.runs.waiting import Waited, open_calls

__all__ = [
    "MESSAGE_CHARACTERS",
    "Assignment",
    "News",
    "Outcome",
    "Turn",
    "Waited",
    "announce",
    "answer",
    "assignment",
    "edit",
    "finish",
    "follow",
    "open_calls",
    "proceed",
    "regenerate",
    "result",
    "retry",
    "send",
    "stop",
    "unfinished",
    "watch",
]
