"""Questions back: "ask me which …: this, that or the other" is asked with `askQuestion`, and its answer is said.

Like `brain`, it decides from the conversation alone.
"""

import re
from typing import Any

from sandbox.model import markdown
from sandbox.model.conversation import Call, Conversation, Exchange, Step

ASK = "askQuestion"

_ASKED = re.compile(
    r"\bask me (?P<words>which|what|who|when|where|how)\b(?P<rest>[^?!\n:]*)(?::(?P<options>[^?!\n]*))?", re.IGNORECASE
)
_OR = re.compile(r"\s*(?:,|\bor\b|\boder\b)\s*", re.IGNORECASE)
_CHARACTERS = 150
_OPTIONS = 12


def step(conversation: Conversation) -> Step | None:
    """The question, then what was answered; None where nobody wants to be asked, or nobody can be."""
    asked = _ASKED.search(conversation.question)
    if asked is None or ASK not in conversation.tools:
        return None
    made = [one for one in conversation.now if one.call.name == ASK]
    if made:
        return Step(_told(made[-1]))
    question = " ".join(f"{asked['words']} {asked['rest']}".split()).rstrip(" .,;")
    arguments: dict[str, Any] = {"question": f"{question[:1].upper()}{question[1:][:_CHARACTERS]}?"}
    named = [one.strip(" .") for one in _OR.split(asked["options"] or "")]
    options = list(dict.fromkeys(one[:_CHARACTERS] for one in named if one))[:_OPTIONS]
    arguments["options"] = [{"value": f"option{number}", "label": label} for number, label in enumerate(options, 1)]
    return Step("", (Call("", ASK, arguments),))


def _told(made: Exchange) -> str:
    if made.output is None:
        return "I could not ask you."
    if made.output.get("skipped"):
        return "You did not want to choose, so I leave it open."
    labels = {one["value"]: one["label"] for one in made.call.arguments.get("options", [])}
    chosen = [labels.get(value, str(value)) for value in made.output.get("selectedOptions") or []]
    said = [*chosen, str(made.output.get("inputText") or "")]
    return f"You said: {markdown.quoted(', '.join(one for one in said if one))}."
