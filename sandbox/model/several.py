"""Questions with several parts, as the instructions list them: one is worked on after the other."""

import json
import re
from collections.abc import Callable
from dataclasses import replace

from sandbox.model import answers
from sandbox.model.conversation import Call, Conversation, Exchange, Message, Step
from sandbox.model.questions import read

_LISTED = re.compile(r"<question_parts>\n(\[[^\n]*\])\n</question_parts>")
_LABEL = re.compile(r"\[\^(\d{1,2})\]")
_GOES_ON = re.compile(r"\W*(?:and|und|et|y|e)\b", re.IGNORECASE)
_NAMES = re.compile(r"(?<=\w )[A-ZÄÖÜ][\w'’]+(?: [A-ZÄÖÜ][\w'’]+)+")
"""The name in whose place "And for …?" puts another one."""
_AGREE = re.compile(r"\b(?:agree|einig|d['’]accord|coinciden|concordano|concordi)\b", re.IGNORECASE)
"""Whether files agree is no question of its own: it takes what the files say of the one before it."""
MAX_ROUNDS = 16
"""After this many rounds of tool calls in one turn the question is answered as a whole."""


def parts(conversation: Conversation) -> list[str]:
    """The parts of the question; none where it asks one thing."""
    found = _LISTED.search(conversation.instructions)
    listed = json.loads(found[1]) if found else []
    return [one for one in listed if isinstance(one, str) and not _AGREE.search(one)]


def step(conversation: Conversation, decide: Callable[[Conversation], Step]) -> Step | None:
    """The next step for the first part that needs one, or the answer to all; None for a question with one part.

    Args:
        conversation: The conversation.
        decide: Gives the step for a conversation whose question has one part.
    """
    asked = parts(conversation)
    if len(asked) < 2 or conversation.rounds >= MAX_ROUNDS:
        return None
    results = {_key(one.call): one for one in conversation.now}
    answered: list[str] = []
    for number, part in enumerate(asked):
        own: list[Exchange] = []
        one = decide(_about(conversation, part, asked[:number], own))
        for _ in range(MAX_ROUNDS):
            known = [results[_key(call)] for call in one.calls if _key(call) in results]
            if not one.calls or len(known) < len(one.calls):
                break
            own += known
            one = decide(_about(conversation, part, asked[:number], own))
        if one.calls:
            return replace(one, calls=tuple(call for call in one.calls if _key(call) not in results))
        answered.append(one.text)
    return Step(_joined(answered, read(conversation.question).language))


def _key(call: Call) -> tuple[str, str]:
    return call.name, json.dumps(call.arguments, sort_keys=True)


def _about(conversation: Conversation, part: str, before: list[str], own: list[Exchange]) -> Conversation:
    """The conversation as if it had asked this part after the others, with the calls that were made for it."""
    at = max(i for i, message in enumerate(conversation.messages) if message.role == "user")
    asked = f"{_NAMES.sub(' ', before[0])} {part}" if before and _GOES_ON.match(part) else part
    messages = [*conversation.messages[:at], *(Message("user", one) for one in before), Message("user", asked)]
    for number, one in enumerate(own):
        call = replace(one.call, id=f"part-{number}")
        text = json.dumps(one.output) if one.output is not None else one.error or ""
        messages += [
            Message("assistant", calls=(call,)),
            Message("tool", text, call_id=call.id, failed=one.output is None),
        ]
    return replace(conversation, messages=tuple(messages))


def _joined(answered: list[str], language: answers.Language) -> str:
    """The answers in their order, each under its number, and their footnotes at the end."""
    closings = {answers.say(one, "closing") for one in ("en", "de")}
    said: list[str] = []
    footnotes: list[str] = []
    for number, text in enumerate(answered, 1):
        lines = [line for line in text.split("\n") if line not in closings]
        notes = [line for line in lines if _LABEL.match(line) and line.startswith("[^")]
        body = "\n".join(line for line in lines if line not in notes).strip()
        said.append(f"**{number}.** " + _LABEL.sub(f"[^{number}]", body))
        footnotes += [_LABEL.sub(f"[^{number}]", note, count=1) for note in notes]
    return answers.closed("\n\n".join([*said, *footnotes]), language)
