"""Pauses between attempts to reach a service that is unavailable."""

import time

LEAST_SECONDS = 2.0
MOST_SECONDS = 10.0
_SHARE = 3
"""A pause lasts a third of the time since the outage began, within the limits."""


class Outage:
    """The outages of a service as one caller sees them.

    The longer an outage lasts, the longer are the pauses. So the end of a short outage is noticed soon, and hundreds of
    open tabs cost a web process little during a long outage.

    Args:
        least: The shortest pause in seconds.
        most: The longest pause in seconds.
    """

    def __init__(self, least: float = LEAST_SECONDS, most: float = MOST_SECONDS) -> None:
        self._least, self._most = least, most
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
