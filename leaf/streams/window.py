"""The window: the time for which the text of a stream is collected into one piece.

The cost of a piece does not depend on its size. With few streams, a piece is sent within one frame of the screen. The
more streams there are, the longer is the window.
"""

FRAME_SECONDS = 0.016
"""The window if a process has only one stream."""
FURTHER_SECONDS = 0.008
"""The addition to the window for each further stream."""
LONG_SECONDS = 0.05
"""The longest window that these additions give."""


def window_seconds(streams: int, each_seconds: float) -> float:
    """The time between two pieces of one stream.

    Args:
        streams: The number of streams of the process.
        each_seconds: The time that one piece costs. The window is at least `streams` times as long, so that with very
            many streams pieces get larger instead of late.
    """
    return max(min(FRAME_SECONDS + FURTHER_SECONDS * (streams - 1), LONG_SECONDS), each_seconds * streams)
