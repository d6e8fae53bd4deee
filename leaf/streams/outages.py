"""Pauses between attempts while a service is away."""

import time

LEAST_SECONDS = 2.0
MOST_SECONDS = 10.0
_SHARE = 3


class Outage:
    """The outage that one reader is in. Its pauses grow with it: a short one ends soon, and in a long one hundreds of
    open tabs cost a web process little.

    Args:
        least: The first pause in seconds; None for the usual one.
        most: The longest pause in seconds.
    """

    def __init__(self, least: float | None = None, most: float = MOST_SECONDS) -> None:
        self._least, self._most = LEAST_SECONDS if least is None else least, most
        self._began = self._failed = -float("inf")

    def pause(self) -> float:
        """The seconds to wait after another failure; failures far apart are of two outages."""
        now = time.monotonic()
        if now - self._failed > 2 * self._most:
            self._began = now
        self._failed = now
        return min(self._most, max(self._least, (now - self._began) / _SHARE))
