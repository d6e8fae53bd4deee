"""Logs: one line per event on stderr, without secrets, with the id of its run.

Exceptions are written without their messages, because providers, tools, drivers and servers put their input into these
messages, and this input may be text of people. `LEAF_LOG_LEVEL=debug` also writes the messages.
"""

import json
import logging
import re
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Literal

from structlog import contextvars

from leaf import callers

_SECRETS = re.compile(
    r"""
    leaf_[a-z]+_[\w-]{20,}                                # Leaf's own tokens, and the names of flows
    | ya29\.[\w.-]+ | 1//0[\w-]{10,} | 4/0[\w-]{10,}       # Google's access and refresh tokens and codes
    | GOCSPX-[\w-]+ | sk-[\w-]{16,} | AIza[\w-]{20,}       # client secrets and model keys
    | tvly-[\w-]{16,} | \bfc-[\w-]{16,} | jina_[\w-]{16,}  # keys of search services
    | eyJ(?:(?!eyJ)[\w-]){5,}\.[\w-]+\.[\w-]*                        # signed tokens
    | gAAAA[\w=-]{20,}                                    # sealed tokens
    | (?i:(?<=bearer[ ])|(?<=authorization:[ ]basic[ ]))[\w.~+/=-]{8,}
    | (?i:(?<=code=)|(?<=token=)|(?<=state=)|(?<=secret=)|(?<=verifier=)|(?<=nonce=)|(?<=key=))[^&\s"']+
    | (?<=://)[^\s/@:]*:[^\s/@]+(?=@)                      # user and password of an address
    """,
    re.VERBOSE,
)


_hidden: set[str] = set()
"""Secrets that are removed by their value, because no pattern recognises them."""
_objects: logging.Handler | None = None
"""The handler that writes JSON objects; None for text."""
_messages = False
"""Whether the messages of exceptions are written."""
_WITH_INPUT = frozenset({"asyncio", "reflex", "reflex_base"})
"""Libraries whose records may contain, after their beginning, input of a browser or the message of an exception."""
_CONTENT = re.compile(r"\n|Event data:|: Error transforming event argument|for (?=Event\()")
"""The place at which such a record is cut off. A person may have typed the text after it."""
SHOWN_CHARACTERS = 200
"""How many characters of a browser's text a line shows."""
_OF_BROWSERS = (
    "engineio.server", "socketio.server", "reflex.app", "reflex.utils.token_manager", "leaf.state.sockets",
    "leaf.state.notices", "reflex_base.event.processor.base_state_processor",
    "reflex_base.event.processor.event_processor",
)  # fmt: skip
"""Loggers whose lines any browser can cause, signed in or not."""
_FRAME_PARSERS = frozenset({"engineio", "socketio", "json", "simplejson", "orjson"})
"""Libraries that parse the frames of sockets."""
LINES_PER_MINUTE = 20
"""How many lines of these loggers one address may cause in a minute."""
_MOST_ADDRESSES = 10_000

Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def hide(secrets: Iterable[str]) -> None:
    """Removes these values from all later log lines."""
    _hidden.update(secret for secret in secrets if secret)


def redacted(text: str) -> str:
    """A text with `[redacted]` in place of known secrets and of everything that looks like a secret."""
    for secret in sorted(_hidden, key=len, reverse=True):
        text = text.replace(secret, "[redacted]")
    return _SECRETS.sub("[redacted]", text)


def bound(**values: str) -> AbstractContextManager[object]:
    """Adds these values to all log lines of the block, and of the tasks that the block starts."""
    return contextvars.bound_contextvars(**values)


def traceback_text(error: BaseException) -> str:
    """The traceback of an exception and of its causes, with places in the code and types, but without messages."""
    return "".join(_traceback_lines(error, set())).rstrip("\n")


def _traceback_lines(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if earlier is not None and id(earlier) not in seen:
        yield from _traceback_lines(earlier, seen)
        yield "\nwhich led to:\n\n"
    yield "Traceback (most recent call last):\n"
    yield from traceback.format_tb(error.__traceback__)
    yield f"{kind_of(error)}\n"
    for one in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        if id(one) not in seen:
            yield "\nin which was:\n\n"
            yield from _traceback_lines(one, seen)


def kind_of(error: BaseException) -> str:
    """The type of an exception with its error numbers, such as an HTTP status or an SQLSTATE."""
    numbers = [getattr(error, name, None) for name in ("errno", "status_code", "sqlstate")]
    known = [str(one) for one in numbers if isinstance(one, int | str) and re.fullmatch(r"[0-9A-Z]{1,5}", str(one))]
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    return f"{name} ({', '.join(known)})" if known else name


class Redacting(logging.Formatter):
    """Formats lines without secrets and without messages of exceptions, and with the bound values."""

    def formatException(self, ei: Raised) -> str:  # noqa: N802 - logging's own name
        """The traceback."""
        return super().formatException(ei) if _messages or ei[1] is None else traceback_text(ei[1])

    def format(self, record: logging.LogRecord) -> str:
        """The line, without secrets."""
        return redacted(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """The message, followed by the bound values."""
        bound_values = contextvars.get_contextvars()
        return " ".join([super().formatMessage(record), *(f"{key}={value}" for key, value in bound_values.items())])


class Structured(Redacting):
    """A record as a JSON object: time (ISO 8601), level, logger, message, bound values, and a traceback."""

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
    """A factory of log records without secrets, for all libraries: Reflex logs refused events with their cookies."""

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
    """Replaces exceptions in a record by their types, for the formatters of all libraries, and cuts off their input."""
    if isinstance(record.args, tuple):
        record.args = tuple(kind_of(one) if isinstance(one, BaseException) else one for one in record.args)
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        # Formatters use this text instead of formatting the exception.
        record.exc_text = traceback_text(error)
    if record.name.partition(".")[0] in _WITH_INPUT:
        record.msg, record.args = _CONTENT.split(record.getMessage(), maxsplit=1)[0].rstrip()[:SHOWN_CHARACTERS], None


def _is_of_frames(error: BaseException) -> bool:
    """Whether an exception comes from parsing a frame of a socket: the browser has caused it, not Leaf."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and str(frames[-1].f_globals.get("__name__")).partition(".")[0] in _FRAME_PARSERS


class _RateLimit(logging.Filter):
    """Passes at most `LINES_PER_MINUTE` lines of each address, shortened to `SHOWN_CHARACTERS`."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[str, int] = {}
        self._minute = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Shortens a line; returns False for a line over the limit."""
        minute = int(time.monotonic() // 60)
        if minute != self._minute or len(self._counts) > _MOST_ADDRESSES:
            self._minute, self._counts = minute, {}
        address = callers.counted(callers.current().address)
        self._counts[address] = count = self._counts.get(address, 0) + 1
        message = record.getMessage()
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and _is_of_frames(error):
            message = f"{message}: {kind_of(error)}"
            record.exc_info = record.exc_text = None
        if count == LINES_PER_MINUTE:
            message = "an address causes many lines; the rest of this minute is left out"
            record.exc_info = record.exc_text = None
        record.msg, record.args = shown(message), None
        return count <= LINES_PER_MINUTE


def shown(text: object) -> str:
    """A browser's text as one short line of printable characters."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in str(text)[:SHOWN_CHARACTERS])


def refused(log: logging.Logger, reason: str, name: object = "") -> None:
    """Logs that a message of a browser was refused, with its name but not its content.

    Args:
        log: A logger in `_OF_BROWSERS`, whose lines are limited by address.
        reason: The reason in words.
        name: The name that the browser sent, of any type and length.
    """
    named = name if isinstance(name, str) else type(name).__name__
    log.warning("%s%s", reason, f": {shown(named)}" if named else "")


def configure(level: str, form: Literal["text", "json"] = "text") -> None:
    """Sends the logs of Leaf and of its jobs to stderr, and keeps secrets out of the logs of all libraries.

    Args:
        level: debug, info, warning or error.
        form: "text" for lines for people, "json" for JSON objects.
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
    for name in _OF_BROWSERS:
        logging.getLogger(name).filters = [_rate_limit]
    # This logger warns about a file cache that Leaf does not use.
    logging.getLogger("googleapiclient.discovery_cache").setLevel(logging.ERROR)
    # Addresses of requests contain the search words of people and models.
    for name in ("httpx", "httpx2"):
        logging.getLogger(name).setLevel(logging.WARNING)


_rate_limit = _RateLimit()


def adopt(name: str) -> None:
    """Makes a library write JSON objects if Leaf does. Call it after the library has set up its logger."""
    if _objects is not None:
        logging.getLogger(name).handlers = [_objects]
