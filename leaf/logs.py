"""Logging: one line per event on stderr, without secrets."""

import logging
import re
from collections.abc import Callable
from typing import Any

_SECRETS = re.compile(
    r"""
    leaf_[a-z]+_[\w-]{20,}                                # Leaf's own tokens, and the names of flows
    | ya29\.[\w.-]+ | 1//0[\w-]{10,} | 4/0[\w-]{10,}       # Google's access and refresh tokens and codes
    | GOCSPX-[\w-]+ | sk-[\w-]{16,} | AIza[\w-]{20,}       # client secrets and model keys
    | tvly-[\w-]{16,} | \bfc-[\w-]{16,} | jina_[\w-]{16,}  # keys of search services
    | eyJ[\w-]{5,}\.[\w-]+\.[\w-]*                        # signed tokens
    | gAAAA[\w=-]{20,}                                    # sealed tokens
    | (?i:(?<=bearer[ ])|(?<=authorization:[ ]basic[ ]))[\w.~+/=-]{8,}
    | (?i:(?<=code=)|(?<=token=)|(?<=state=)|(?<=secret=)|(?<=verifier=)|(?<=nonce=)|(?<=key=))[^&\s"']+
    | (?<=://)[^\s/@:]*:[^\s/@]+(?=@)                      # user and password of an address
    """,
    re.VERBOSE,
)


class Redacting(logging.Formatter):
    """Takes tokens, codes and keys out of what is logged, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, with `[redacted]` in the place of whatever looks like a secret."""
        return _SECRETS.sub("[redacted]", super().format(record))


def _redacting(make: Callable[..., logging.LogRecord]) -> Callable[..., logging.LogRecord]:
    """Records without secrets, whichever library writes them: Reflex logs a refused event with its cookies."""

    def record(*args: Any, **kwargs: Any) -> logging.LogRecord:
        made = make(*args, **kwargs)
        try:
            text = made.getMessage()
        except (TypeError, ValueError):
            return made
        if _SECRETS.search(text):
            made.msg, made.args = _SECRETS.sub("[redacted]", text), None
        return made

    record.redacts = True  # type: ignore[attr-defined]  # pyright: ignore[reportFunctionMemberAccess]
    return record


def configure(level: str) -> None:
    """Sends the logs of Leaf and of its jobs to stderr, and keeps secrets out of everybody's.

    Args:
        level: debug, info, warning or error.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(Redacting("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for name in ("leaf", "jobs"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level.upper())
        logger.propagate = False
    if not hasattr(logging.getLogRecordFactory(), "redacts"):
        logging.setLogRecordFactory(_redacting(logging.getLogRecordFactory()))
    # The discovery cache warns about a file cache that Leaf does not use.
    logging.getLogger("googleapiclient.discovery_cache").setLevel(logging.ERROR)
    # Whole addresses are what people and models have asked for, search words included.
    for name in ("httpx", "httpx2"):
        logging.getLogger(name).setLevel(logging.WARNING)
