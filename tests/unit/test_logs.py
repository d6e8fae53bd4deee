"""The log names where an exception was raised and its kind, never its content."""

import asyncio
import json
import logging
from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy.exc import StatementError

from leaf.telemetry import logs

PRIVATE = "the salary of Otto"


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """The lines that a library's own handler writes while Leaf's rules are in force."""
    written: list[str] = []
    factory = logging.getLogRecordFactory()
    handler = logging.Handler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    handler.emit = lambda record: written.append(handler.format(record))
    logging.setLogRecordFactory(logs._redacting(logging.LogRecord))  # pyright: ignore[reportPrivateUsage]
    loggers = [logging.getLogger(name) for name in ("asyncio", "reflex.app", "some.library")]
    for logger in loggers:
        logger.addHandler(handler)
    yield written
    for logger in loggers:
        logger.removeHandler(handler)
    logging.setLogRecordFactory(factory)


def raised() -> Exception:
    """An exception with a cause, a context and a group, all of which hold something private."""
    try:
        try:
            try:
                raise psycopg.errors.UniqueViolation(PRIVATE)
            except psycopg.Error as error:
                raise StatementError(PRIVATE, f"UPDATE {PRIVATE}", {"a": PRIVATE}, error) from error
        except StatementError as error:
            raise ExceptionGroup(PRIVATE, [ValueError(PRIVATE), KeyError(PRIVATE)]) from error
    except ExceptionGroup as error:
        error.add_note(PRIVATE)
        return error


@pytest.mark.parametrize("kind", [logs.Redacting, logs.Structured])
def test_what_an_exception_holds_is_not_logged(kind: type[logs.Redacting]) -> None:
    """Its kind, what led to it, and where: Drivers and providers put into messages what they were given. # 004-26"""
    error = raised()
    record = logging.LogRecord("jobs.answer", 40, "x", 1, "run failed", (), (type(error), error, error.__traceback__))
    line = kind("%(message)s").format(record)
    told = json.loads(line)["exception"] if kind is logs.Structured else line
    assert PRIVATE not in line
    for part in ("UniqueViolation (23505)", "StatementError", "ExceptionGroup", "ValueError", "KeyError", "in raised"):
        assert part in told, part


def test_no_library_logs_it_either(lines: list[str]) -> None:
    """Whichever formatter writes the line, and also where the exception is an argument of the line."""
    library = logging.getLogger("some.library")
    error = raised()
    library.error("job failed", exc_info=error)
    library.warning("job failed, %s: %s", "respond", error)
    assert len(lines) == 2
    assert PRIVATE not in "".join(lines)
    assert lines[1] == "WARNING job failed, respond: ExceptionGroup"
    assert "in raised" in lines[0]


async def test_nor_does_the_loop_of_a_task_that_nobody_awaited(lines: list[str]) -> None:
    loop = asyncio.get_running_loop()
    task = loop.create_task(_fails())
    await asyncio.wait({task})
    error = task.exception()
    loop.call_exception_handler({"message": "A task of this test", "exception": error, "future": task})
    [line] = [line for line in lines if line.startswith("ERROR A task of this test\nTraceback")]
    assert PRIVATE not in line


def test_nor_does_reflex_log_what_somebody_has_typed(lines: list[str]) -> None:
    """Into an event that it does not take, such as one of a page that is older than the process."""
    library = logging.getLogger("reflex.app")
    library.warning(f"Received event from session 1 with no associated token. Event data: {{'text': '{PRIVATE}'}}")
    library.error(f"[Reflex Frontend Exception]\n TypeError: {PRIVATE}\n at x (chat.js)\n")
    assert lines == [
        "WARNING Received event from session 1 with no associated token.", "ERROR [Reflex Frontend Exception]",
    ]  # fmt: skip


async def _fails() -> None:
    raise ValueError(PRIVATE)


def test_the_lines_of_a_library_are_objects_where_those_of_leaf_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """LEAF_LOG_FORMAT=json: who reads lines reads all of them. # 004-26"""
    written: list[str] = []
    handler = logging.Handler()
    handler.setFormatter(logs.Structured())
    handler.emit = lambda record: written.append(handler.format(record))
    library = logging.getLogger("some.library")
    monkeypatch.setattr(library, "handlers", [logging.NullHandler()])
    logs.adopt("some.library")
    library.error("in its own words")
    monkeypatch.setattr(logs, "_objects", handler)
    logs.adopt("some.library")
    library.error("job %s", "done")
    assert [json.loads(line)["message"] for line in written] == ["job done"]


def test_messages_are_logged_where_somebody_looks_for_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """LEAF_LOG_LEVEL=debug; secrets stay out all the same."""
    monkeypatch.setattr(logs, "_messages", True)
    error = ValueError(f"{PRIVATE}: sk-abcdefghijklmnopqrst")
    record = logging.LogRecord("jobs.answer", 40, "x", 1, "run failed", (), (ValueError, error, None))
    line = logs.Redacting("%(message)s").format(record)
    assert f"ValueError: {PRIVATE}: [redacted]" in line
