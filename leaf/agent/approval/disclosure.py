"""The information that a run discloses to hosts by opening addresses, counted over all calls of the run. Pure.

Each call is judged by the messages before it. Results of parallel calls do not count, and neither does a page that
repeats its own address. A later judgement of the same call therefore has the same result.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart

from leaf import outbound
from leaf.agent import mentions
from leaf.agent.approval import addresses
from leaf.agent.approval.taint import taint

NEW_BYTES = 64
"""The maximum information that a run may disclose by choosing among known addresses. An address that the model has
composed always needs an approval."""
OPENING = frozenset({"fetch", "displayLinkPreview"})
"""The tools that open the address in their argument `url`."""
_FEW = 256
"""Choosing among up to this number of addresses discloses one byte; choosing among more discloses two bytes."""
_REPEATED = {"fetch": 4, "search": 24}
"""Minimum length in characters of an argument whose appearance in a result counts as a repetition, by tool."""
_NO_LETTERS = re.compile(r"[\W_]+")
_PART_END = re.compile(r"[/?&]")
_PIECE = 24
"""Length in characters of a piece of a longer argument whose appearance counts as a repetition."""


@dataclass(frozen=True)
class Call:
    """A call that is about to be made, and the chat before it."""

    messages: Sequence[ModelMessage]
    """The chat so far."""
    call_id: str | None = None
    suggested: Collection[str] = ()
    """Messages that were sent by a click. Their words were written by a model, not by the asker."""
    earlier_tools: Iterable[str] = ()
    """Names of tools that were used in earlier turns that a summary has replaced."""


@dataclass(frozen=True)
class Disclosure:
    """The information that a host gets if an address is opened at this point of the run."""

    host: str
    """The host, with its port if that is not 80 or 443; empty if the text is not an address."""
    is_known: bool
    """Whether a search of the run has found the host, or the asker has named it."""
    new: str
    """The part of path and query, from the first difference on, that no known address of the host has."""
    size_bytes: int
    """The information in the choice of this address; 0 if the asker wrote it."""
    spent_bytes: int = 0
    """The information in the addresses that the run has already opened."""

    @property
    def is_free(self) -> bool:
        """Whether the address may be opened without an approval."""
        fits = not self.size_bytes or self.size_bytes + self.spent_bytes <= NEW_BYTES
        return self.is_known and fits and not self.new


def judge(call: Call) -> Callable[[str], Disclosure]:
    """Returns a function for the disclosure of any address that the call would open, after one pass over the chat.

    Earlier calls of the same reply count as made.
    """
    met = _Met(call.suggested)
    last = max((at for at, one in enumerate(call.messages) if isinstance(one, ModelResponse)), default=-1)
    for at, message in enumerate(call.messages):
        opened = [part for part in message.parts if isinstance(part, ToolCallPart)]
        # If a provider repeats an id, the place of the call is unknown, and all calls of the reply count.
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
    return met.judged


@dataclass
class _Met:
    """The addresses known at some point of a chat, and the information that the run has disclosed so far."""

    suggested: Collection[str]
    named: set[str] = field(default_factory=set[str])
    found: set[str] = field(default_factory=set[str])
    own: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Hosts and targets of the addresses that the asker wrote."""
    results: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    given: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Targets by host."""
    count: int = 0
    sent: dict[str, str] = field(default_factory=dict[str, str])
    """The text that a call sent, by its id."""
    spent_bytes: int = 0

    def ask(self, prompt: UserPromptPart) -> None:
        """Counts a message of the asker. It begins a new run."""
        self.found, self.spent_bytes = set(), 0
        for text in mentions.own_words(prompt, self.suggested):
            self.named |= addresses.named_in(text)
            self._give(text)
            self.own |= {(place, target) for place, all_of in addresses.targets(text).items() for target in all_of}

    def open(self, call: ToolCallPart, *, is_careful: bool) -> None:
        """Counts a call. A call that needed an approval costs nothing: the asker has seen it, or it was not made."""
        arguments = call.args_as_dict()
        self.sent[call.tool_call_id] = " ".join(str(arguments.get("query", "")).split())
        if call.tool_name not in OPENING:
            return
        # A card with a title and a description opens no page.
        if call.tool_name != "fetch" and arguments.get("title") and arguments.get("description"):
            return
        disclosed = self.judged(str(arguments.get("url", "")).strip())
        self.sent[call.tool_call_id] = unquote(disclosed.new)
        if is_careful and disclosed.is_free:
            self.spent_bytes += disclosed.size_bytes

    def take(self, returned: ToolReturnPart) -> None:
        """Adds the addresses in a result, except repetitions of the text that the call itself sent."""
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

    def judged(self, address: str) -> Disclosure:
        """The disclosure of an address that is opened now."""
        place, target = addresses.place_of(address), outbound.target_of(address)
        is_known = place != "" and place in self.found | self.named
        if (place, target) in self.own:
            return Disclosure(place, is_known, "", 0, self.spent_bytes)
        # The first page of a known host is known.
        given = self.given.get(place, set()) | {"/"}
        size = 1 if self.count <= _FEW or (place, target) in self.results else 2
        if target in given:
            return Disclosure(place, is_known, "", size, self.spent_bytes)
        new = target[max(addresses.common(target, one) for one in given) :]
        # The place at which a known address is cut also discloses information: without limit, if it is within a word.
        longer = [_ends(one) for one in given if one.startswith(target) and len(target) in _ends(one)]
        ends = min(longer, key=len, default=frozenset[int]())
        cut = 1 if len(ends) <= _FEW else 2
        return Disclosure(place, is_known, new or ("" if ends else target), size + cut, self.spent_bytes)

    def _give(self, text: str, echo: frozenset[str] = frozenset()) -> None:
        for place, all_of in addresses.targets(text).items():
            known = self.given.setdefault(place, set())
            before = len(known)
            known.update(target for target in all_of if not _repeats(target, echo))
            self.count += len(known) - before


@lru_cache(maxsize=512)
def _pieces(sent: str, least: int) -> frozenset[str]:
    """The pieces of a sent text whose appearance proves a repetition; empty if the text is shorter than `least`."""
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
    """The places at which an address may be cut: the ends of the parts of its path and query."""
    return frozenset(place for end in _PART_END.finditer(target) for place in end.span())


def _plain(text: str) -> str:
    """The letters and digits of a text in lower case, without percent-encoding."""
    return _NO_LETTERS.sub("", unquote(text).casefold())
