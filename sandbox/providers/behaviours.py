"""The models of the sandbox by name: `sandbox`, and variants that are slow, broken or hostile on purpose."""

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from sandbox.conversation import Call, Conversation, Message, Step
from sandbox.model import brain
from sandbox.providers import side_texts, texts, wire

WORD_MS, SLOW_WORD_MS = 4, 40
"""The pace of a model, and of `sandbox-slow`, if the name gives none, in milliseconds per word."""

NAMES = (
    "", "slow", "fail", "flaky", "cut", "loop", "reasoning", "silent", "hostile", "script", "narrow", "blind", "tokens",
)  # fmt: skip
FURTHER: dict[str, Callable[[Conversation], Step]] = {}
"""Models that a test adds to its sandbox, by the kind in their name. If a question has a script, they follow it."""
NARROW_TOKENS = 3800
"""The context window of `sandbox-narrow`, which stands for a model with an unknown window."""
TOKEN_CHARACTERS = 3
"""The length of a piece of `sandbox-tokens`, which follows a script and cuts words."""
SLOW_WORDS = 500
"""The minimum length of an answer of `sandbox-slow`, which is 20 seconds at its default pace."""

_NAME = re.compile(r"sandbox(?:-(?P<kind>[a-z]+))?(?:-(?P<ms>\d{1,5}))?")
_SCRIPT = re.compile(r"```(?:json)?\n(.*?)```", re.DOTALL)
_REMEMBERED_REFUSALS = 1000
CUT_OFF = "cut off here by a technical failure"
"""A part of the message with which Leaf asks for the rest of a reply. The rest begins with the last words again."""
_LAST_WORDS = re.compile(r"\S+(?:\s+\S+){0,4}\s*\Z")
_LAST_CHARACTERS = 1_000


class Behaviours:
    """Chooses the reply by the name of the model. Only `sandbox-flaky` has a state between requests."""

    def __init__(self, aliases: Mapping[str, str] = MappingProxyType({})) -> None:
        self._aliases = aliases
        self._refused: OrderedDict[str, None] = OrderedDict()

    def reply(self, request: wire.Request) -> wire.Reply:
        """The reply of a request's model.

        Args:
            request: The request. Its model is `sandbox` or `sandbox-<kind>`. A number at the end of the name is the
                pace in milliseconds per word.

        Raises:
            wire.Refused: The name is unknown (404), the model does not accept the request's length or pictures (400),
                or the model fails on purpose (500, 503).
        """
        model, conversation = self._aliases.get(request.model, request.model), request.conversation
        name = _NAME.fullmatch(model)
        if name is None or (name["kind"] or "") not in {*NAMES, *FURTHER}:
            raise wire.Refused(404, f"The model '{model}' does not exist in the sandbox.", "model_not_found")
        kind = name["kind"] or ""
        milliseconds = int(name["ms"] or (SLOW_WORD_MS if kind == "slow" else WORD_MS))
        if kind == "narrow" and request.input_tokens > NARROW_TOKENS:
            raise wire.TooLong(request.input_tokens, NARROW_TOKENS)
        if kind == "blind" and request.pictures:
            raise wire.Refused(400, "This model does not support image input.", "invalid_value")
        if kind == "fail":
            raise wire.Refused(500, "sandbox-fail always fails.", "server_error")
        if kind == "flaky":
            self._refuse_once(conversation)
        side_text = side_texts.written(conversation.instructions, conversation.question) if kind != "silent" else None
        whole, shown = _before_cut(conversation)
        reply = wire.Reply(side_text) if side_text is not None else _rest(_reply(kind, whole), shown)
        return replace(reply, word_seconds=milliseconds / 1000)

    def _refuse_once(self, conversation: Conversation) -> None:
        key = hashlib.sha256(repr(conversation.messages).encode("utf-8", "surrogatepass")).hexdigest()
        if key in self._refused:
            del self._refused[key]
            return
        self._refused[key] = None
        if len(self._refused) > _REMEMBERED_REFUSALS:
            self._refused.popitem(last=False)
        raise wire.Refused(503, "sandbox-flaky fails once and then works.", "overloaded")


def models() -> list[str]:
    """The names of all models except `FURTHER`."""
    return ["-".join(filter(None, ("sandbox", kind))) for kind in NAMES]


def _reply(kind: str, conversation: Conversation) -> wire.Reply:
    if kind in {"silent", "hostile"}:
        return wire.Reply(silent=True) if kind == "silent" else wire.Reply(texts.hostile())
    scripted = _scripted(conversation) if kind in {"script", "tokens"} or kind in FURTHER else None
    if kind == "tokens":
        return replace(scripted or wire.Reply("This is the end of the script."), piece_characters=TOKEN_CHARACTERS)
    if scripted or kind == "script":
        return scripted or wire.Reply("This is the end of the script.")
    decide = FURTHER.get(kind, brain.decide)
    looping = kind == "loop" and conversation.tools
    reply = _with_call_ids(_loop(conversation) if looping else decide(conversation))
    if kind == "reasoning":
        return replace(reply, reasoning=texts.reasoning(conversation.question, [call.name for call in reply.calls]))
    if kind == "slow" and not reply.calls:
        return replace(reply, text=texts.lengthened(reply.text, SLOW_WORDS))
    return replace(reply, cut=kind == "cut" and not reply.calls)


def _rest(reply: wire.Reply, shown: str) -> wire.Reply:
    """The rest of a reply that begins with the text that readers have seen, from the last words of this text on."""
    if not reply.text.startswith(shown):
        return reply
    return replace(reply, text=reply.text[last_words(shown) :])


def _before_cut(conversation: Conversation) -> tuple[Conversation, str]:
    """The conversation without replies that were cut off, and the text of the reply that must be continued.

    The text is empty if the conversation does not end with a request for the rest of a reply.
    """
    kept: list[Message] = []
    shown = ""
    for message in conversation.messages:
        shown = ""
        if message.role != "user" or CUT_OFF not in message.text:
            kept.append(message)
            continue
        while kept and kept[-1].role == "assistant" and not kept[-1].calls:
            shown = kept.pop().text + shown
    return replace(conversation, messages=tuple(kept)), shown


def last_words(text: str) -> int:
    """The index at which the last five words of a text begin."""
    tail = text[-_LAST_CHARACTERS:]
    found = _LAST_WORDS.search(tail)
    return len(text) - len(tail) + (found.start() if found else len(tail))


def _with_call_ids(step: Step) -> wire.Reply:
    calls = tuple(Call(wire.new_id("call_"), call.name, call.arguments) for call in step.calls)
    return wire.Reply(step.text, calls)


def _scripted(conversation: Conversation) -> wire.Reply | None:
    """The reply in the question's script for this round; None if there is no script or it has ended.

    A script is `[{"text": "…", "calls": [{"name": "…", "arguments": {}}]}, …]`. A reply may also have `reasoning`. A
    call may have an `id`, so that a script can repeat a call.
    """
    found = _SCRIPT.search(conversation.question)
    try:
        step = json.loads(found[1] if found else conversation.question)[conversation.rounds]
        calls = tuple(
            Call(str(call.get("id") or wire.new_id("call_")), str(call["name"]), dict(call.get("arguments") or {}))
            for call in step.get("calls", [])
        )
        return wire.Reply(str(step.get("text", "")), calls, str(step.get("reasoning", "")))
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _loop(conversation: Conversation) -> Step:
    number = len(conversation.now) + 1
    name = "search_files" if "search_files" in conversation.tools else next(iter(conversation.tools))
    return Step(f"Round {number}: I ask for `{name}` once more. ", (Call("", name, {"queries": [f"round {number}"]}),))
