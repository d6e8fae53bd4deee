"""The current activity of the agent: a step in words, or the key of a text if no tool call runs."""

from collections.abc import Iterable, Sequence

from leaf import parts, texts
from leaf.parts.client_tools import is_at_caller
from leaf.views import questions
from leaf.views.steps import names_of, step_of

THINKING = "doing.thinking"
WRITING = "doing.writing"
"""Keys of activities without a tool call."""


def in_words(activity: str) -> str:
    """An activity in words. A step is in words already and is returned unchanged."""
    return texts.say(activity) if activity in {THINKING, WRITING, questions.ASKS} else activity


def activity(message_parts: Sequence[parts.Part]) -> str:
    """The current activity of the agent in a message: a step in words, or a key (`in_words`)."""
    for part in reversed(message_parts):
        if part["type"] == parts.RELATED:
            return WRITING
        if parts.is_tool(part):
            return _doing(part, message_parts)
        if part["type"] == "text" and part.get("text"):
            return WRITING if part.get("state") == "streaming" else THINKING
        if part["type"] == "reasoning":
            return THINKING
    return THINKING


def _doing(part: parts.Part, message_parts: Sequence[parts.Part]) -> str:
    if questions.is_open(part):
        return questions.ASKS
    if questions.is_asked(part) and not questions.is_made(part):
        return THINKING
    step = step_of(part, names_of(message_parts))
    return step.text if step.state == "running" else THINKING


def waits_for(message_parts: Iterable[parts.Part]) -> str:
    """The step of an answer that waits for a tool of its caller, in words; empty if it waits for something else."""
    waits = (part for part in message_parts if is_at_caller(part) and part["state"] == "input-available")
    return next((step_of(part, {}).text for part in waits), "")


def thinks_aloud(message_parts: Sequence[parts.Part]) -> bool:
    """Whether the message ends with a thought that is being written."""
    last = message_parts[-1] if message_parts else {}
    return last.get("type") == "reasoning" and last.get("state") == "streaming" and bool(last.get("text"))
