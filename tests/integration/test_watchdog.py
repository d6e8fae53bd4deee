"""No text that comes to a service holds up the event loop, and so everybody else of a process.

The functions are found by looking into `leaf.services`: one that is new is called as well, with the hostile text in
every place for a text. One whose parameters cannot be filled fails the test: it needs a value in `_value`, or a reason
in `_OUTSIDE`.
"""

import asyncio
import dataclasses
import enum
import gc
import importlib
import inspect
import itertools
import logging
import pkgutil
import re
import time
import types
import typing
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest

import leaf.services
from leaf import errors
from leaf.audiences import Audience
from leaf.db import Actor, models, transaction
from leaf.db.models import MessageRole, utc_now
from leaf.db.session import Transaction
from leaf.google.access import DriveAccess
from leaf.google.causes import Cause
from leaf.google.diagnosis import Diagnosis
from leaf.google.drive import Drive
from leaf.services import chats
from leaf.services.conversations import drafts
from leaf.services.conversations.store import Draft
from leaf.services.integrations import UserDrive
from leaf.services.sites import visitors
from tests.hostile import text_of
from tests.integration.people import person
from tests.integration.web_fixtures import World
from tests.integration.widget_pages import Site

log = logging.getLogger(__name__)

LONGEST_SECONDS = 0.05
AGAIN = 8
"""A slow call is made again so often at most: what runs on the other core can make any call slow."""
LENGTHS = (31_000, 900_000)
"""The longest question, and about the longest body of most routes."""
KINDS = ("open brackets", "backticks and words", "spaces", "placeholders")
_TEXT = re.compile(r"\b(str|bytes|Any)\b")
_OUTSIDE = frozenset({
    # They take what the database or other functions of this list have made.
    "usage.totals.Totals.of_row", "security.events_of", "conversations.steps.insert_turn",
    "files.store.Store.put", "files.store.Store.with_predecessor", "imports.storage.keep", "runs.answer.settle",
    "library.vectors.hits", "library.words.hits",
})  # fmt: skip

Function = Callable[..., Any]


class Unfilled(Exception):
    """There is no value for a parameter of this type."""


def functions() -> dict[str, Function]:
    """The public functions and methods of all services that take a text, by their full names."""
    found: dict[str, Function] = {}
    for module in pkgutil.walk_packages(leaf.services.__path__, "leaf.services."):
        for owner in _owners(importlib.import_module(module.name)):
            for name, one in vars(owner).items():
                function = one.__func__ if isinstance(one, classmethod | staticmethod) else one
                if name.startswith("_") or not inspect.isfunction(function) or function.__module__ != module.name:
                    continue
                annotations = [str(kind) for key, kind in function.__annotations__.items() if key != "return"]
                if any(_TEXT.search(kind) for kind in annotations):
                    found[f"{module.name}.{function.__qualname__}".removeprefix("leaf.services.")] = one
    return found


def _owners(module: types.ModuleType) -> list[Any]:
    """A module and its classes, without protocols and abstract ones, whose methods stand in other classes."""
    classes = [one for one in vars(module).values() if inspect.isclass(one) and one.__module__ == module.__name__]
    return [module, *(one for one in classes if not (getattr(one, "_is_protocol", False) or inspect.isabstract(one)))]


FUNCTIONS = {name: one for name, one in functions().items() if name not in _OUTSIDE}


@dataclasses.dataclass
class _Stage:
    """A member with a chat and a site, and a visitor of that site."""

    actor: Actor
    site: Site
    visitor: visitors.VisitorCaller
    chat_id: UUID
    message: models.Message
    tx: Transaction | None = None
    text: str = ""

    def given(self, kind: Any, name: str) -> Any:  # noqa: PLR0911 - a line for each kind of row
        """The values that stand for something in the database."""
        match kind:
            case _ if kind is Actor:
                return self.actor
            case _ if kind is visitors.VisitorCaller:
                return self.visitor
            case _ if kind is Transaction:
                return self.tx
            case _ if kind is Draft:
                return drafts.DatabaseDraft(self.tx, models.ChatSession(id=self.chat_id))
            case _ if kind is DriveAccess:
                return UserDrive(self.actor)
            case _ if kind is Drive:
                return Drive(UserDrive(self.actor))
            case _ if kind is Audience:
                return self.actor.audience
            case _ if kind is models.Message:
                return self.message
            case _ if kind is UUID:
                known = {"agent_id": self.site.agent_id, "site_id": self.site.site_id, "chat_id": self.chat_id}
                return known.get(name) or uuid4()
        raise Unfilled(kind)


def _value(stage: _Stage, kind: Any, name: str) -> Any:  # noqa: PLR0911 - a line for each kind of type
    """A value for a parameter: the hostile text in every place for a text."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in {typing.Union, types.UnionType}:
        return _value(stage, next(one for one in inner if one is not types.NoneType), name)
    if origin is typing.Literal:
        return inner[0]
    if origin is typing.Annotated:
        return _value(stage, inner[0], name)
    if origin in {dict, Mapping}:
        return {_key(stage, name): _value(stage, inner[1], name)}
    if origin in {list, Sequence, Collection, tuple, set, frozenset, typing.Iterable} or (
        origin is not None and (isinstance(origin, type) and issubclass(origin, Collection))
    ):
        values = [_value(stage, inner[0], name)]
        return values if origin in {list, Sequence, Collection} else origin(values)
    if origin is not None and issubclass(origin, Callable):  # type: ignore[arg-type]
        return lambda *_: []
    simple = {
        str: stage.text, bytes: stage.text.encode(), int: 1, bool: False, float: 1.0, Decimal: Decimal(1),
        datetime: utc_now(), date: utc_now().date(),
        Any: {"type": "text", "text": stage.text, "a": [stage.text]}, re.Pattern: re.compile("a"),
        errors.Diagnosed: Diagnosis(Cause.NO_PERMISSION, {"what": stage.text}),
    }  # fmt: skip
    if kind in simple or origin in simple:
        return simple[kind if kind in simple else origin]
    with suppress(Unfilled):
        return stage.given(kind, name)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return next(iter(kind))
    if dataclasses.is_dataclass(kind):
        return _record(stage, kind)
    raise Unfilled(kind)


def _key(stage: _Stage, name: str) -> str:
    return "type" if name == "parts" else stage.text[:40]


def _record(stage: _Stage, kind: Any) -> Any:
    hints = typing.get_type_hints(kind)
    # A record in one of its own kind ends there.
    given = (one.name for one in dataclasses.fields(kind) if one.init and kind not in typing.get_args(hints[one.name]))
    return kind(**{name: _value(stage, hints[name], name) for name in given})


async def _called(stage: _Stage, function: Function) -> None:
    """Calls a function with the text of the stage in every place for a text."""
    plain = _plain(function)
    parameters = inspect.signature(plain).parameters.values()
    positional: list[Any] = []
    named: dict[str, Any] = {}
    hints = typing.get_type_hints(plain)
    for one in parameters:
        if one.name not in hints:
            positional.append(_owner(stage, plain))
            continue
        try:
            value = _value(stage, hints[one.name], one.name)
        except Unfilled:
            if one.default is one.empty:
                raise
            continue
        named[one.name] = value
    result = plain(*positional, **named)
    if isinstance(result, Awaitable):
        result = await result
    if isinstance(result, AsyncIterator):
        _ = [one async for one in result]
    elif isinstance(result, Iterator):
        _ = [*result]


def _owner(stage: _Stage, method: Function) -> Any:
    """The object or the class of a method."""
    owner = getattr(importlib.import_module(method.__module__), method.__qualname__.split(".")[0])
    if isinstance(vars(owner)[method.__name__], classmethod):
        return owner
    if owner is drafts.DatabaseDraft:
        return owner(stage.tx, models.ChatSession(id=stage.chat_id))
    hints = typing.get_type_hints(owner.__init__)
    needed = [one for one in inspect.signature(owner.__init__).parameters.values() if one.default is one.empty]
    return owner(**{one.name: _value(stage, hints[one.name], one.name) for one in needed[1:]})


@asynccontextmanager
async def _watched() -> AsyncIterator[list[float]]:
    """The seconds of work of each callback of the event loop; time in which others have the processor does not count.

    No garbage is collected meanwhile: that depends on what earlier tests have left.
    """
    turns: list[float] = [0.0]
    run = asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        begun = time.thread_time()
        try:
            run(handle)
        finally:
            turns.append(time.thread_time() - begun)

    gc.disable()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(asyncio.Handle, "_run", timed)
            # The callback of the moment is not timed: it began before.
            await asyncio.sleep(0)
            yield turns
            await asyncio.sleep(0)
    finally:
        gc.enable()


@pytest.fixture
async def stage(world: World) -> _Stage:
    ada = await person("ada")
    site = await Site.make(ada)
    keyed = await visitors.agent_of(site.key)
    visitor = await visitors.identify(keyed, visitors.Claims(session_id="a" * 22), begins=True)
    message = models.Message(chat_session_id=uuid4(), role=MessageRole.ASSISTANT, parts=[], details={})
    return _Stage(ada, site, visitor, uuid4(), message)


def _plain(function: Function) -> Function:
    return function.__func__ if isinstance(function, classmethod | staticmethod) else function


def _module(name: str) -> str:
    """The module of a function, such as `files.store`."""
    return _plain(FUNCTIONS[name]).__module__.removeprefix("leaf.services.")


@pytest.mark.parametrize("module", sorted({*map(_module, FUNCTIONS)}))
async def test_no_text_holds_up_the_loop(stage: _Stage, module: str) -> None:
    """# 000-50"""
    slow: list[str] = []
    for name, function in FUNCTIONS.items():
        if _module(name) != module:
            continue
        # A function that does not wait gets the texts of messages; longer ones are for a thread.
        lengths = LENGTHS if _waits(function) else LENGTHS[:1]
        for kind, length in itertools.product(KINDS, lengths):
            stage.text = text_of(kind, length)
            seconds = await _longest(stage, function)
            # A text that is slow is slow each time; a collection of garbage, or what is compiled once, is not.
            for _ in range(AGAIN):
                if seconds > LONGEST_SECONDS:
                    seconds = min(seconds, await _longest(stage, function))
            if seconds > LONGEST_SECONDS:
                slow.append(f"{name}: {kind}, {length} characters, {seconds * 1000:.0f} ms")
    assert slow == []


def test_the_watchdog_would_notice() -> None:
    """It measures the loop's own time, so a busy machine makes no difference."""

    async def slow() -> None:
        until = time.thread_time() + 2 * LONGEST_SECONDS
        while time.thread_time() < until:
            pass

    async def watched() -> float:
        async with _watched() as turns:
            await slow()
        return max(turns)

    assert asyncio.run(watched()) > LONGEST_SECONDS


async def _longest(stage: _Stage, function: Function) -> float:
    """The longest turn of the event loop while a function is called, in seconds."""
    plain = _plain(function)
    needs = re.search("Transaction|Draft", str(plain.__annotations__.values())) or plain.__qualname__.startswith(
        "DatabaseDraft."
    )
    if "chat_id" in plain.__annotations__ or "." in plain.__qualname__:
        stage.chat_id = await chats.new(stage.actor)
    async with AsyncExitStack() as stack:
        stage.tx = await stack.enter_async_context(transaction(stage.actor)) if needs else None
        async with _watched() as turns:
            try:
                await _called(stage, function)
            except Unfilled:
                raise
            except Exception as error:  # noqa: BLE001 - refusals count as answers, whoever refuses
                log.debug("%s: %s", function, type(error).__name__)
    return max(turns)


def _waits(function: Function) -> bool:
    plain = _plain(function)
    return inspect.iscoroutinefunction(plain) or inspect.isasyncgenfunction(plain)
