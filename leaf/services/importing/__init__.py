"""Chats from files: the file is kept until a worker has made chats of it, each of them exactly once."""

from leaf.services.importing.keeping import Incoming, Refusal, keep
from leaf.services.importing.sending import Import, begin, listed, remove
from leaf.services.importing.working import JOB, Overtaken, Task, beat, claim, count, enqueue, finish, owner, unfinished

__all__ = [
    "JOB", "Import", "Incoming", "Overtaken", "Refusal", "Task", "beat", "begin", "claim", "count", "enqueue", "finish",
    "keep", "listed", "owner", "remove", "unfinished",
]  # fmt: skip
