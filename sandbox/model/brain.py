"""The decision of the stand-in model: its next step, which depends only on the conversation.

The model has no state between requests. It searches, reads and quotes, and has simple results computed over tables. To
everything else it answers that it cannot do it.
"""

import re

from sandbox.conversation import Conversation, Step
from sandbox.model import (
    answers,
    comparison,
    dated_files,
    other_sources,
    question_parts,
    questions,
    tables,
    tool_results,
)
from sandbox.model.turn import Turn

_DRIVE = re.compile(r"\bdrive\b", re.IGNORECASE)


def decide(conversation: Conversation) -> Step:
    """The next step of the model. No conversation makes it fail."""
    return question_parts.step(conversation, _decide) or _decide(conversation)


def _decide(conversation: Conversation) -> Step:
    question = questions.read(conversation.question, conversation.earlier_questions)
    if question.smalltalk and not conversation.now:
        return Step(answers.say(question.language, question.smalltalk))
    step = other_sources.chat_files(conversation, question) or other_sources.knowledge(conversation, question)
    if step:
        return step
    has_drive = bool(tool_results.DRIVE & conversation.tools.keys())
    about_drive = bool(_DRIVE.search(question.text))
    wants_web = other_sources.asks_for_web(question) or not (has_drive or about_drive)
    if wants_web and other_sources.WEB in conversation.tools:
        return other_sources.web(conversation, question)
    if not has_drive:
        return Step(answers.say(question.language, "no_drive" if about_drive else "no_tools"))
    for rule in (comparison.step, dated_files.step, tables.step):
        if found := rule(conversation, question):
            return found
    return Turn(conversation, question).step()
