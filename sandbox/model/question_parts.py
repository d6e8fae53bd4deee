"""Questions with several parts, which the instructions list. The model answers one part after the other."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from sandbox.conversation import Call, Conversation, Exchange, Message, Step
from sandbox.model import answers, questions, tool_results, words
from sandbox.model.questions import Language

_LISTED = re.compile(r"<question_parts>\n(\[[^\n]*\])\n</question_parts>")
MAX_ROUNDS = 16
"""After this number of rounds of tool calls in a turn, the question is answered as a whole."""


def parts(conversation: Conversation) -> list[str]:
    """The parts of the question; empty if the instructions list none."""
    found = _LISTED.search(conversation.instructions)
    listed = json.loads(found[1]) if found else []
    # The question whether files agree is part of the question before it.
    return [one for one in listed if isinstance(one, str) and not words.find("agree", one)]


def step(conversation: Conversation, decide: Callable[[Conversation], Step]) -> Step | None:
    """The next step for the first part that needs one, or the answer to all; None for a question with one part."""
    asked = parts(conversation)
    if len(asked) < 2 or conversation.rounds >= MAX_ROUNDS:
        return None
    if any(failure.not_connected for failure in tool_results.collect(conversation.now).failures):
        # Without a connection, no part can be answered, and one answer says so.
        return None
    results = {_key(one.call): one for one in conversation.now}
    answered: list[str] = []
    for number in range(len(asked)):
        own: list[Exchange] = []
        one = decide(_about(conversation, asked[: number + 1], own))
        while one.calls and len(own) < MAX_ROUNDS and all(_key(call) in results for call in one.calls):
            own += [results[_key(call)] for call in one.calls]
            one = decide(_about(conversation, asked[: number + 1], own))
        if one.calls:
            return replace(one, calls=tuple(call for call in one.calls if _key(call) not in results))
        answered.append(one.text)
    return _joined(answered, questions.read(conversation.question).language)


def _key(call: Call) -> tuple[str, str]:
    return call.name, json.dumps(call.arguments, sort_keys=True)


def _about(conversation: Conversation, asked: Sequence[str], own: Sequence[Exchange]) -> Conversation:
    """The conversation as if each part were a separate question, with the tool calls for the last part."""
    *before, part = asked
    if before and words.pattern("goes_on").match(part.lstrip("¿ ")):
        # "And for …?" replaces the name in the first question.
        part = f"{questions.PROPER.sub(' ', before[0])} {part}"
    elif before and not questions.read(part).subject:
        # "… and how much in all?" has no subject, so it keeps that of the part before it.
        part = f"{before[-1]} {part}"
    messages = [*conversation.earlier, *(Message("user", one) for one in (*before, part))]
    for number, one in enumerate(own):
        call = replace(one.call, id=f"part-{number}")
        text = json.dumps(one.output) if one.output is not None else one.error or ""
        answer = Message("tool", text, call_id=call.id, failed=one.output is None)
        messages += [Message("assistant", calls=(call,)), answer]
    return replace(conversation, messages=tuple(messages))


def _joined(answered: Sequence[str], language: Language) -> Step:
    """One answer with the answers to all parts in order, each with its number, and all footnotes at the end."""
    said: list[str] = []
    footnotes: list[str] = []
    for number, text in enumerate(answered, 1):
        before = len(footnotes)
        marked = re.sub(r"\[\^(\d{1,2})\]", lambda one: f"[^{before + int(one[1])}]", answers.opened(text))  # noqa: B023 - called within the pass
        lines = marked.split("\n")
        footnotes += [line for line in lines if line.startswith("[^")]
        said.append(f"**{number}.** " + "\n".join(line for line in lines if not line.startswith("[^")).strip())
    return answers.final(language, *said, *footnotes)
