"""The decision of the stand-in model: the next step, from the conversation alone.

It holds no state between two requests. It searches, reads and quotes; requests in a few fixed forms it carries out
(files of the chat, displays, a question back), and of everything else it says that it cannot do it.
"""

import re
from typing import Any

from sandbox.model import answers, chat_files, displays, markdown, questions, tool_results, web
from sandbox.model.conversation import Call, Conversation, Exchange, Step
from sandbox.model.turn import MAX_ROUNDS, Turn

__all__ = ["MAX_ROUNDS", "decide"]

ASK = "askQuestion"

_DRIVE = re.compile(r"\bdrive\b", re.IGNORECASE)
_ASK_ME = re.compile(
    r"\bask me (?P<words>which|what|who|when|where|how)\b(?P<rest>[^?!\n:]*)(?::(?P<options>[^?!\n]*))?", re.IGNORECASE
)
_OR = re.compile(r"\s*(?:,|\bor\b|\boder\b)\s*", re.IGNORECASE)
_CHARACTERS, _OPTIONS = 150, 12


def decide(conversation: Conversation) -> Step:
    """The next step of the model. It never fails, whatever the messages hold."""
    display, text = displays.requested(conversation.question, [*conversation.tools])
    question = questions.read(text, conversation.earlier_questions)
    if question.smalltalk and not conversation.now:
        return Step(answers.say(question.language, question.smalltalk))
    step = _question_back(conversation) or chat_files.step(conversation, question)
    if step:
        return step
    has_drive = bool(tool_results.DRIVE & conversation.tools.keys())
    about_drive = bool(_DRIVE.search(question.text))
    if web.SEARCH in conversation.tools and (web.is_asked(question) or not (has_drive or about_drive)):
        return web.step(conversation, question)
    if not has_drive:
        return Step(answers.say(question.language, "no_drive" if about_drive else "no_tools"))
    return Turn(conversation, question, display).step()


def _question_back(conversation: Conversation) -> Step | None:
    """For "ask me which …: this, that or the other": that question, then what was answered; else None."""
    asked = _ASK_ME.search(conversation.question)
    if asked is None or ASK not in conversation.tools:
        return None
    made = [one for one in conversation.now if one.call.name == ASK]
    if made:
        return Step(_reply_text(made[-1]))
    question = " ".join(f"{asked['words']} {asked['rest']}".split()).rstrip(" .,;")
    arguments: dict[str, Any] = {"question": f"{question[:1].upper()}{question[1:][:_CHARACTERS]}?"}
    named = [one.strip(" .") for one in _OR.split(asked["options"] or "")]
    options = list(dict.fromkeys(one[:_CHARACTERS] for one in named if one))[:_OPTIONS]
    arguments["options"] = [{"value": f"option{number}", "label": label} for number, label in enumerate(options, 1)]
    return Step("", (Call("", ASK, arguments),))


def _reply_text(made: Exchange) -> str:
    if made.output is None:
        return "I could not ask you."
    if made.output.get("skipped"):
        return "You did not want to choose, so I leave it open."
    labels = {one["value"]: one["label"] for one in made.call.arguments.get("options", [])}
    chosen = [labels.get(value, str(value)) for value in made.output.get("selectedOptions") or []]
    reply = [*chosen, str(made.output.get("inputText") or "")]
    return f"You said: {markdown.quoted(', '.join(one for one in reply if one))}."
