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
_ONE_BYTE = 256
"""Choosing among up to this number of addresses discloses one byte; choosing among more discloses two bytes."""
_LEAST_REPEATED = {"fetch": 4, "search": 24}
"""Minimum length in characters of an argument whose appearance in a result counts as a repetition, by tool."""
_NO_LETTERS = re.compile(r"[\W_]+")
_PART_END = re.compile(r"[/?&]")
_PIECE_CHARACTERS = 24
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
    """The end of path and query that no known address of the host has, from the first difference on."""
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
    history = _History(call.suggested)
    last = max((index for index, one in enumerate(call.messages) if isinstance(one, ModelResponse)), default=-1)
    for index, message in enumerate(call.messages):
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        ids = [part.tool_call_id for part in calls]
        # If a provider repeats an id, the place of the call is unknown, and all calls of the reply count.
        if index == last and call.call_id is not None and ids.count(call.call_id) == 1:
            calls = calls[: ids.index(call.call_id)]
        is_tainted = bool(calls) and taint(call.messages[:index], call.earlier_tools).both
        for part in calls:
            history.add_call(part, is_tainted=is_tainted)
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                history.add_question(part)
            elif isinstance(part, ToolReturnPart) and part.outcome == "success":
                history.add_result(part)
    return history.disclosure


@dataclass
class _History:
    """The addresses known at some point of a chat, and the information that the run has disclosed so far."""

    suggested: Collection[str]
    named_hosts: set[str] = field(default_factory=set[str])
    found_hosts: set[str] = field(default_factory=set[str])
    own: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Hosts and targets of the addresses that the asker wrote."""
    results: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Hosts and targets of the pages that searches found."""
    targets: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The known targets by host."""
    target_count: int = 0
    sent: dict[str, str] = field(default_factory=dict[str, str])
    """The text that a call sent, by its id."""
    spent_bytes: int = 0

    def add_question(self, prompt: UserPromptPart) -> None:
        """Counts a message of the asker. It begins a new run."""
        self.found_hosts, self.spent_bytes = set(), 0
        for text in mentions.own_words(prompt, self.suggested):
            self.named_hosts |= addresses.named_in(text)
            self._add_addresses(text)
            self.own |= {(host, target) for host, targets in addresses.targets(text).items() for target in targets}

    def add_call(self, call: ToolCallPart, *, is_tainted: bool) -> None:
        """Counts a call. A call that needed an approval costs nothing: the asker has seen it, or it was not made."""
        arguments = call.args_as_dict()
        self.sent[call.tool_call_id] = " ".join(str(arguments.get("query", "")).split())
        if call.tool_name not in OPENING:
            return
        # A card with a title and a description opens no page.
        if call.tool_name != "fetch" and arguments.get("title") and arguments.get("description"):
            return
        disclosed = self.disclosure(str(arguments.get("url", "")).strip())
        self.sent[call.tool_call_id] = unquote(disclosed.new)
        if is_tainted and disclosed.is_free:
            self.spent_bytes += disclosed.size_bytes

    def add_result(self, returned: ToolReturnPart) -> None:
        """Adds the addresses in a result, except repetitions of the text that the call itself sent."""
        content: Any = returned.content
        if returned.tool_name not in _LEAST_REPEATED or not isinstance(content, dict):
            return
        echo = _pieces(self.sent.get(returned.tool_call_id, ""), _LEAST_REPEATED[returned.tool_name])
        for result in addresses.pages(returned):
            url = str(result.get("url", ""))
            host, target = addresses.host_of(url), outbound.target_of(url)
            self.found_hosts |= {host} - {""}
            self._add_addresses(f"{url} {result.get('snippet', '')}", echo)
            if not _repeats(target, echo):
                self.results.add((host, target))
        if returned.tool_name == "fetch":
            self._add_addresses(str(content.get("content", "")), echo)

    def disclosure(self, address: str) -> Disclosure:
        """The disclosure of an address that is opened now."""
        host, target = addresses.host_of(address), outbound.target_of(address)
        is_known = host != "" and host in self.found_hosts | self.named_hosts
        if (host, target) in self.own:
            return Disclosure(host, is_known, "", 0, self.spent_bytes)
        # The first page of a known host is known.
        known = self.targets.get(host, set()) | {"/"}
        size = 1 if self.target_count <= _ONE_BYTE or (host, target) in self.results else 2
        if target in known:
            return Disclosure(host, is_known, "", size, self.spent_bytes)
        new = target[max(addresses.common_length(target, one) for one in known) :]
        # The position at which a known address is cut also discloses information: any amount, if it is within a word.
        cuts = [_cut_positions(one) for one in known if one.startswith(target) and len(target) in _cut_positions(one)]
        fewest = min(cuts, key=len, default=frozenset[int]())
        size += 1 if len(fewest) <= _ONE_BYTE else 2
        return Disclosure(host, is_known, new or ("" if fewest else target), size, self.spent_bytes)

    def _add_addresses(self, text: str, echo: frozenset[str] = frozenset()) -> None:
        for host, targets in addresses.targets(text).items():
            known = self.targets.setdefault(host, set())
            before = len(known)
            known.update(target for target in targets if not _repeats(target, echo))
            self.target_count += len(known) - before


@lru_cache(maxsize=512)
def _pieces(sent: str, least: int) -> frozenset[str]:
    """The pieces of a sent text whose appearance proves a repetition; empty if the text is shorter than `least`."""
    plain = _plain(sent)
    if len(plain) < least:
        return frozenset()
    length = min(len(plain), _PIECE_CHARACTERS)
    return frozenset(plain[begin : begin + length] for begin in range(len(plain) - length + 1))


def _repeats(target: str, echo: frozenset[str]) -> bool:
    if not echo:
        return False
    plain, length = _plain(target), len(next(iter(echo)))
    return any(plain[begin : begin + length] in echo for begin in range(len(plain) - length + 1))


@lru_cache(maxsize=512)
def _cut_positions(target: str) -> frozenset[int]:
    """The positions at which an address may be cut: the ends of the parts of its path and query."""
    return frozenset(position for end in _PART_END.finditer(target) for position in end.span())


def _plain(text: str) -> str:
    """The letters and digits of a text in lower case, without percent-encoding."""
    return _NO_LETTERS.sub("", unquote(text).casefold())
