"""Pauses between attempts to reach a service that is unavailable."""

import time

LEAST_SECONDS = 2.0
MOST_SECONDS = 10.0
_SHARE = 3


class Outage:
    """The outages of a service as one caller sees them.

    The longer an outage lasts, the longer are the pauses. So the end of a short outage is noticed soon, and in a long
    one hundreds of open tabs cost a web process little.

    Args:
        least: The shortest pause in seconds; None for `LEAST_SECONDS`.
        most: The longest pause in seconds.
    """

    def __init__(self, least: float | None = None, most: float = MOST_SECONDS) -> None:
        self._least, self._most = LEAST_SECONDS if least is None else least, most
        self._began = self._failed = -float("inf")

    def pause(self) -> float:
        """Records a failure; returns the seconds to wait before the next attempt.

        Failures that are more than twice `most` apart belong to separate outages.
        """
        now = time.monotonic()
        if now - self._failed > 2 * self._most:
            self._began = now
        self._failed = now
        return min(self._most, max(self._least, (now - self._began) / _SHARE))
