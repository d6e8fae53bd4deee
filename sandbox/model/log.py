"""A log of the requests to the stand-in model, for tests: in memory, the newest thousand."""

import time
from collections import deque
from dataclasses import dataclass, field

from sandbox.model.conversation import JsonObject

KEPT_REQUESTS = 1000


@dataclass
class Entry:
    """One request. Times are Unix times in seconds; a time that has not come yet is None."""

    protocol: str
    model: str
    messages: int
    tools: list[str]
    stream: bool
    pictures: list[JsonObject] = field(default_factory=list[JsonObject])
    """The pictures in it: `media_type` and `bytes`."""
    question: str = ""
    """The text of the last user message."""
    received_at: float = field(default_factory=time.time)
    delta_times: list[float] = field(default_factory=list[float])
    finished_at: float | None = None
    finish: str | None = None
    """`stop`, `tool_calls`, `disconnected`, `cut` or `error`; None while the answer is being written."""
    status: int = 200
    usage: JsonObject | None = None
    """The usage that was reported to the caller; None where none was."""

    def delta(self) -> None:
        """Notes that a piece of the answer was sent just now."""
        self.delta_times.append(time.time())

    def close(self, finish: str, status: int = 200) -> None:
        """Notes the end; the first end counts."""
        if self.finish is None:
            self.finish, self.status, self.finished_at = finish, status, time.time()

    def as_json(self, *, deltas: bool) -> JsonObject:
        """This entry for `GET /sandbox/model/requests`; with `deltas`, the time of each one."""
        entry: JsonObject = {
            "protocol": self.protocol,
            "model": self.model,
            "stream": self.stream,
            "messages": self.messages,
            "tools": self.tools,
            "pictures": self.pictures,
            "question": self.question,
            "received_at": self.received_at,
            "first_delta_at": self.delta_times[0] if self.delta_times else None,
            "last_delta_at": self.delta_times[-1] if self.delta_times else None,
            "deltas": len(self.delta_times),
            "finished_at": self.finished_at,
            "finish": self.finish,
            "status": self.status,
            "usage": self.usage,
        }
        if deltas:
            entry["delta_times"] = self.delta_times
        return entry


class Log:
    """The requests in the order in which they came."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=KEPT_REQUESTS)

    def open(self, entry: Entry) -> Entry:
        self._entries.append(entry)
        return entry

    def clear(self) -> None:
        self._entries.clear()

    def as_json(self, *, deltas: bool = False) -> list[JsonObject]:
        return [entry.as_json(deltas=deltas) for entry in self._entries]
