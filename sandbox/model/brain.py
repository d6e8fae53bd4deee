"""Decides the next step from the conversation alone: there is no state between two requests."""

import re

from sandbox.model import answers, asking, chat_files, displays, questions, web
from sandbox.model.conversation import Conversation, Step
from sandbox.model.tools import LIST, READ, SEARCH
from sandbox.model.turn import MAX_ROUNDS, Turn

__all__ = ["MAX_ROUNDS", "decide"]

_DRIVE = re.compile(r"\bdrive\b", re.IGNORECASE)


def decide(conversation: Conversation) -> Step:
    """What the model does next. Never fails, whatever the messages hold."""
    wish, text = displays.asked_for(conversation.question, [*conversation.tools])
    question = questions.read(text)
    if question.smalltalk and not conversation.now:
        return Step(answers.GREETING if question.smalltalk == "greeting" else answers.IDENTITY)
    asked_back = asking.step(conversation)
    if asked_back:
        return asked_back
    about_files = chat_files.step(conversation, question)
    if about_files:
        return about_files
    has_drive = bool({LIST, SEARCH, READ} & conversation.tools.keys())
    about_drive = bool(_DRIVE.search(question.text))
    if web.SEARCH in conversation.tools and (web.is_asked(question) or not (has_drive or about_drive)):
        return web.step(conversation, question)
    if not has_drive:
        return Step(answers.NO_DRIVE if about_drive else answers.NO_TOOLS)
    return Turn(conversation, question, wish).step()
