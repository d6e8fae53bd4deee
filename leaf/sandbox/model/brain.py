"""Decides the next step from the conversation alone: there is no state between two requests."""

from leaf.sandbox.model import answers, asking, chat_files, displays, questions, web
from leaf.sandbox.model.conversation import Conversation, Step
from leaf.sandbox.model.tools import LIST, READ, SEARCH
from leaf.sandbox.model.turn import MAX_ROUNDS, Turn

__all__ = ["MAX_ROUNDS", "decide"]


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
    if web.is_asked(question) and web.SEARCH in conversation.tools:
        return web.step(conversation, question)
    if not {LIST, SEARCH, READ} & conversation.tools.keys():
        return Step(answers.NO_TOOLS)
    return Turn(conversation, question, wish).step()
