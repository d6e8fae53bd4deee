"""Imports of chats from files. A file is kept until a worker has created each of its chats exactly once."""

from leaf.services.imports.requests import Import, begin, listed, remove
from leaf.services.imports.storage import Incoming, Refusal, keep
from leaf.services.imports.work import JOB, Overtaken, Task, beat, claim, count, enqueue, finish, owner, unfinished
