"""Logging: one line per event on stderr, without secrets, and with the run that it belongs to.

Exceptions are written without their messages: providers, tools, drivers and servers put into them whatever they were
given, which is what people have asked, read and written. `LEAF_LOG_LEVEL=debug` writes the messages, too.
"""

import json
import logging
import re
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal

from structlog import contextvars

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


_hidden: set[str] = set()
"""Secrets that cannot be told by their form."""
_objects: logging.Handler | None = None
"""What writes lines as JSON objects, where that is wanted."""
_messages = False
"""Whether the messages of exceptions are written."""
_TALKATIVE = frozenset({"asyncio", "reflex", "reflex_base"})
"""What they write behind the first line shows a task with its exception, or what a browser has sent."""
_EVENT = "Event data:"
"""Behind it Reflex shows an event that it does not take, with what somebody has typed."""

Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def hide(secrets: Iterable[str]) -> None:
    """Has these values taken out of everything that is logged from now on."""
    _hidden.update(secret for secret in secrets if secret)


def redacted(text: str) -> str:
    """A text with `[redacted]` in the place of whatever looks like a secret, or was named as one."""
    for secret in sorted(_hidden, key=len, reverse=True):
        text = text.replace(secret, "[redacted]")
    return _SECRETS.sub("[redacted]", text)


def bound(**values: str) -> AbstractContextManager[object]:
    """Has all lines of a block, and of the tasks that it starts, carry these values."""
    return contextvars.bound_contextvars(**values)


def told(error: BaseException) -> str:
    """An exception with what led to it: where each was raised, and its type, but no message."""
    return "".join(_told(error, set())).rstrip("\n")


def _told(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if earlier is not None and id(earlier) not in seen:
        yield from _told(earlier, seen)
        yield "\nwhich led to:\n\n"
    yield "Traceback (most recent call last):\n"
    yield from traceback.format_tb(error.__traceback__)
    yield f"{kind_of(error)}\n"
    for one in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        if id(one) not in seen:
            yield "\nin which was:\n\n"
            yield from _told(one, seen)


def kind_of(error: BaseException) -> str:
    """The type of an exception, and the number that it has, such as that of an HTTP status or of PostgreSQL's."""
    numbers = [getattr(error, name, None) for name in ("errno", "status_code", "sqlstate")]
    known = [str(one) for one in numbers if isinstance(one, int | str) and re.fullmatch(r"[0-9A-Z]{1,5}", str(one))]
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    return f"{name} ({', '.join(known)})" if known else name


class Redacting(logging.Formatter):
    """Takes tokens, codes and keys out of what is logged, and messages of exceptions; adds what is bound."""

    def formatException(self, ei: Raised) -> str:  # noqa: N802 - logging's own name
        """The traceback."""
        return super().formatException(ei) if _messages or ei[1] is None else told(ei[1])

    def format(self, record: logging.LogRecord) -> str:
        """The line, without secrets."""
        return redacted(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """The message, with what is bound behind it."""
        bound_values = contextvars.get_contextvars()
        return " ".join([super().formatMessage(record), *(f"{key}={value}" for key, value in bound_values.items())])


class Structured(Redacting):
    """The same as a JSON object: time (ISO 8601), level, logger, message, what is bound, and a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without secrets."""
        line: dict[str, Any] = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **contextvars.get_contextvars(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps({key: redacted(str(value)) for key, value in line.items()}, ensure_ascii=False)


def _redacting(make: Callable[..., logging.LogRecord]) -> Callable[..., logging.LogRecord]:
    """Records without secrets, whichever library writes them: Reflex logs a refused event with its cookies."""

    def record(*args: Any, **kwargs: Any) -> logging.LogRecord:
        made = make(*args, **kwargs)
        if not _messages:
            _without_messages(made)
        try:
            text = made.getMessage()
        except (TypeError, ValueError):
            return made
        clean = redacted(text)
        if clean != text:
            made.msg, made.args = clean, None
        return made

    record.redacts = True  # type: ignore[attr-defined]  # pyright: ignore[reportFunctionMemberAccess]
    return record


def _without_messages(record: logging.LogRecord) -> None:
    """Has a record name exceptions by their types, whichever library's formatter writes it."""
    if isinstance(record.args, tuple):
        record.args = tuple(kind_of(one) if isinstance(one, BaseException) else one for one in record.args)
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        # Formatters take it from here.
        record.exc_text = told(error)
    if record.name.partition(".")[0] in _TALKATIVE:
        record.msg, record.args = record.getMessage().partition("\n")[0].partition(_EVENT)[0].rstrip(), None


def configure(level: str, form: Literal["text", "json"] = "text") -> None:
    """Sends the logs of Leaf and of its jobs to stderr, and keeps secrets out of everybody's.

    Args:
        level: debug, info, warning or error.
        form: Lines for people, or JSON objects.
    """
    global _messages, _objects
    _messages = level == "debug"
    handler = logging.StreamHandler()
    kind = Structured if form == "json" else Redacting
    handler.setFormatter(kind("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for name in ("leaf", "jobs"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level.upper())
        logger.propagate = False
    _objects = handler if form == "json" else None
    adopt("reflex")
    if not hasattr(logging.getLogRecordFactory(), "redacts"):
        logging.setLogRecordFactory(_redacting(logging.getLogRecordFactory()))
    # The discovery cache warns about a file cache that Leaf does not use.
    logging.getLogger("googleapiclient.discovery_cache").setLevel(logging.ERROR)
    # Whole addresses are what people and models have asked for, search words included.
    for name in ("httpx", "httpx2"):
        logging.getLogger(name).setLevel(logging.WARNING)


def adopt(name: str) -> None:
    """Has a library's own lines be JSON objects as well, where Leaf's are: it has set up its logger by now."""
    if _objects is not None:
        logging.getLogger(name).handlers = [_objects]
