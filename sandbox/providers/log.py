"""An in-memory log of the newest requests to the stand-in model, for tests."""

import time
from collections import deque
from dataclasses import asdict, dataclass, field

from sandbox.conversation import JsonObject

KEPT_REQUESTS = 1000


@dataclass
class Entry:
    """A request. Times are Unix times in seconds, or None if they have not come yet."""

    protocol: str
    model: str
    messages: int
    tools: list[str]
    stream: bool
    pictures: list[JsonObject] = field(default_factory=list[JsonObject])
    """The pictures in it, each with its `media_type` and number of `bytes`."""
    question: str = ""
    """The text of the last user message."""
    received_at: float = field(default_factory=time.time)
    delta_times: list[float] = field(default_factory=list[float])
    finished_at: float | None = None
    finish: str | None = None
    """`stop`, `tool_calls`, `disconnected`, `cut` or `error`; None while the answer is being written."""
    status: int = 200
    usage: JsonObject | None = None
    """The usage that was reported to the caller; None if none was."""

    def delta(self) -> None:
        """Records that a piece of the answer was sent just now."""
        self.delta_times.append(time.time())

    def close(self, finish: str, status: int = 200) -> None:
        """Records the end of the request. Only the first call has an effect."""
        if self.finish is None:
            self.finish, self.status, self.finished_at = finish, status, time.time()

    def as_json(self, *, deltas: bool) -> JsonObject:
        """This entry for `GET /sandbox/model/requests`. With `deltas`, it has the time of each delta."""
        entry, times = asdict(self), self.delta_times
        first, last = (times[0], times[-1]) if times else (None, None)
        entry |= {"first_delta_at": first, "last_delta_at": last, "deltas": len(times)}
        return entry if deltas else {key: value for key, value in entry.items() if key != "delta_times"}


Log = deque[Entry]
"""The requests in the order in which they arrived."""
