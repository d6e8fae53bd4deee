"""Guests: people who chat without an account. Their chat lives in Redis for a while, and nothing of it in the database.

A guest's run is written by the same job, into the same stream, and shown by the same pages as a member's (decision
0028): `leaf.services.talking` is where pages tell them apart, and `jobs.keeping` where workers do.
"""

from leaf.db.actor import Guest
from leaf.services.guests.answering import announce, assignment, finish, unfinished
from leaf.services.guests.asking import (
    MOST_MESSAGES,
    answer,
    forget,
    open,  # noqa: A004 - read as guests.open
    result,
    retry,
    send,
    stop,
    watch,
)
from leaf.services.guests.cookies import (
    LIFETIME_SECONDS,
    another_chat,
    as_text,
    cookie_name,
    guest_of,
    issue,
    new,
    of_text,
)
from leaf.services.guests.keeping import keep, kept_by
from leaf.services.guests.store import Conversation

__all__ = [
    "LIFETIME_SECONDS",
    "MOST_MESSAGES",
    "Conversation",
    "Guest",
    "announce",
    "another_chat",
    "answer",
    "as_text",
    "assignment",
    "cookie_name",
    "finish",
    "forget",
    "guest_of",
    "issue",
    "keep",
    "kept_by",
    "new",
    "of_text",
    "open",
    "result",
    "retry",
    "send",
    "stop",
    "unfinished",
    "watch",
]
