"""The time for which text is gathered into one piece.

A piece costs the same whatever its size. With few streams it leaves within a frame of a screen; the more there are, the
longer it waits.
"""

FRAME_SECONDS = 0.016
"""The window of the only stream of a process."""
FURTHER_SECONDS = 0.008
"""The addition for each further stream."""
LONG_SECONDS = 0.05
"""The longest window that comes of it."""


def window_seconds(streams: int, each_seconds: float) -> float:
    """The time between two pieces of one stream.

    Args:
        streams: The number of streams of the process.
        each_seconds: The share of each of very many: their pieces are larger instead of late.
    """
    return max(min(FRAME_SECONDS + FURTHER_SECONDS * (streams - 1), LONG_SECONDS), each_seconds * streams)
