"""What the addresses that a run opens by itself tell their hosts, call by call, counted together. Pure.

Each call is judged by what was there before the model made it: neither what the calls beside it bring, nor a page that
repeats what it was asked for, makes an address one that somebody gave. So whoever looks later counts the same.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart

from leaf import outbound
from leaf.agent import naming
from leaf.agent.approval import addresses
from leaf.agent.approval.taint import taint

NEW_BYTES = 64
"""So much may the choice among given addresses tell in a run, all of them together; what the model has put together
itself is always asked about."""
OPENING = frozenset({"fetch", "displayLinkPreview"})
"""The tools that open an address, their argument `url`."""
_FEW = 256
"""Which one of so many addresses is opened tells a byte; which one of more, two."""
_REPEATED = {"fetch": 4, "search": 24}
"""From so many characters on, an address that has what the call sent repeats it, and does so by no accident."""
_NO_LETTERS = re.compile(r"[\W_]+")
_PART_END = re.compile(r"[/?&]")
_PIECE = 24
"""Of more it is enough that a piece of this length is repeated."""


@dataclass(frozen=True)
class Call:
    """Where a call stands that is about to be made."""

    messages: Sequence[ModelMessage]
    """The chat so far."""
    call_id: str | None = None
    clicked: Collection[str] = ()
    """Messages that the user sent by a click: their words are not the user's own."""
    earlier_tools: Iterable[str] = ()
    """Tools of turns whose messages are not there any more."""


@dataclass(frozen=True)
class Carried:
    """What an address tells its host, at its place in the run."""

    place: str
    """Its host; empty where it is no address."""
    is_known: bool
    """Whether a search of the run has found the host, or the user has named it."""
    new: str
    """What no address of its host that was given has: the end of its path and query."""
    size_bytes: int
    """How much the choice of just this one tells; nothing where the user gave it."""
    spent_bytes: int = 0
    """What the addresses before it have told."""

    @property
    def is_free(self) -> bool:
        """Whether it may be opened without asking."""
        fits = not self.size_bytes or self.size_bytes + self.spent_bytes <= NEW_BYTES
        return self.is_known and fits and not self.new


def carried(call: Call, address: str) -> Carried:
    """What an address tells if a call opens it now."""
    return judge(call)(address)


def judge(call: Call) -> Callable[[str], Carried]:
    """The same for any number of addresses: the chat before the call is looked through once."""
    return _before(call).judged


def _before(call: Call) -> "_Met":
    """What the chat has met before a call, the calls before it in the same reply included."""
    met = _Met(call.clicked)
    last = max((at for at, one in enumerate(call.messages) if isinstance(one, ModelResponse)), default=-1)
    for at, message in enumerate(call.messages):
        opened = [part for part in message.parts if isinstance(part, ToolCallPart)]
        # Ids that a provider gives twice tell nothing: all calls count then.
        if at == last and [part.tool_call_id for part in opened].count(call.call_id or "") == 1:
            place = next(place for place, part in enumerate(opened) if part.tool_call_id == call.call_id)
            opened = opened[:place]
        is_careful = bool(opened) and taint(call.messages[:at], call.earlier_tools).both
        for part in opened:
            met.open(part, is_careful=is_careful)
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                met.ask(part)
            elif isinstance(part, ToolReturnPart) and part.outcome == "success":
                met.take(part)
    return met


@dataclass
class _Met:
    """The addresses that a chat has met up to some point, and what the run there has told by itself."""

    clicked: Collection[str]
    named: set[str] = field(default_factory=set[str])
    found: set[str] = field(default_factory=set[str])
    own: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Hosts and targets of the addresses that the user gave."""
    results: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    given: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Targets by host."""
    count: int = 0
    sent: dict[str, str] = field(default_factory=dict[str, str])
    """What a call sent, by its id."""
    spent_bytes: int = 0

    def ask(self, prompt: UserPromptPart) -> None:
        """A new run begins."""
        self.found, self.spent_bytes = set(), 0
        for text in naming.own_words(prompt, self.clicked):
            self.named |= addresses.named_in(text)
            self._give(text)
            self.own |= {(place, target) for place, all_of in addresses.targets(text).items() for target in all_of}

    def open(self, call: ToolCallPart, *, is_careful: bool) -> None:
        """A call was made: what would have been asked for is not counted, the user has seen it or it was not sent."""
        arguments = call.args_as_dict()
        self.sent[call.tool_call_id] = " ".join(str(arguments.get("query", "")).split())
        if call.tool_name not in OPENING:
            return
        # A card that says all itself opens nothing.
        if call.tool_name != "fetch" and arguments.get("title") and arguments.get("description"):
            return
        told = self.judged(str(arguments.get("url", "")).strip())
        self.sent[call.tool_call_id] = unquote(told.new)
        if is_careful and told.is_free:
            self.spent_bytes += told.size_bytes

    def take(self, returned: ToolReturnPart) -> None:
        """What a search or a page gave; not the address that a page was asked by, nor what repeats it."""
        content: Any = returned.content
        if returned.tool_name not in _REPEATED or not isinstance(content, dict):
            return
        echo = _pieces(self.sent.get(returned.tool_call_id, ""), _REPEATED[returned.tool_name])
        for result in addresses.pages(returned):
            url = str(result.get("url", ""))
            self.found |= {addresses.place_of(url)} - {""}
            self._give(f"{url} {result.get('snippet', '')}", echo)
            if not _repeats(outbound.target_of(url), echo):
                self.results.add((addresses.place_of(url), outbound.target_of(url)))
        if returned.tool_name == "fetch":
            self._give(str(content.get("content", "")), echo)

    def judged(self, address: str) -> Carried:
        """What an address tells that is opened now."""
        place, target = addresses.place_of(address), outbound.target_of(address)
        is_known = place != "" and place in self.found | self.named
        if (place, target) in self.own:
            return Carried(place, is_known, "", 0, self.spent_bytes)
        # Whoever names a host names its first page.
        given = self.given.get(place, set()) | {"/"}
        size = 1 if self.count <= _FEW or (place, target) in self.results else 2
        if target in given:
            return Carried(place, is_known, "", size, self.spent_bytes)
        new = target[max(addresses.common(target, one) for one in given) :]
        # Where it leaves the address that was given tells something, too: within a word, as much as one likes.
        longer = [_ends(one) for one in given if one.startswith(target) and len(target) in _ends(one)]
        ends = min(longer, key=len, default=frozenset[int]())
        cut = 1 if len(ends) <= _FEW else 2
        return Carried(place, is_known, new or ("" if ends else target), size + cut, self.spent_bytes)

    def _give(self, text: str, echo: frozenset[str] = frozenset()) -> None:
        for place, all_of in addresses.targets(text).items():
            known = self.given.setdefault(place, set())
            before = len(known)
            known.update(target for target in all_of if not _repeats(target, echo))
            self.count += len(known) - before


@lru_cache(maxsize=512)
def _pieces(sent: str, least: int) -> frozenset[str]:
    """The pieces of what a call sent by which its repetition is known; none where it is too short."""
    plain = _plain(sent)
    if len(plain) < least:
        return frozenset()
    length = min(len(plain), _PIECE)
    return frozenset(plain[at : at + length] for at in range(len(plain) - length + 1))


def _repeats(target: str, echo: frozenset[str]) -> bool:
    if not echo:
        return False
    plain, length = _plain(target), len(next(iter(echo)))
    return any(plain[at : at + length] in echo for at in range(len(plain) - length + 1))


@lru_cache(maxsize=512)
def _ends(target: str) -> frozenset[int]:
    """Where an address may be cut off and still be one: where a part of its path or its query ends."""
    return frozenset(place for end in _PART_END.finditer(target) for place in end.span())


def _plain(text: str) -> str:
    """The letters of a text, however it is written into an address."""
    return _NO_LETTERS.sub("", unquote(text).casefold())
