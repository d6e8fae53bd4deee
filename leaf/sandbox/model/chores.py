"""What the Sandbox model writes beside answers: summaries, titles, questions that could follow."""

import re

from leaf.sandbox.model import texts

TITLE_WORDS = 8
_LINK = re.compile(r"\[([^\]\n]{1,80})\]\(https?://")
_FENCE = re.compile(r"```.*?```", re.DOTALL)


def written(instructions: str, text: str) -> str | None:
    """What a request asks for that wants nothing but such a text; None for all others.

    Args:
        instructions: What the model is told to do.
        text: What it is to be done with.
    """
    asked = instructions.lstrip()
    if texts.is_to_summarise(asked):
        return texts.summary(text)
    if asked.startswith("Write a title for the conversation"):
        return title(text)
    if asked.startswith("Write three questions that"):
        return "\n".join(related(text))
    return None


def title(question: str) -> str:
    """The first words of a question, without what ends it."""
    words = _FENCE.sub(" ", question).split()
    return " ".join(words[:TITLE_WORDS]).rstrip(" ?!.,:;") or "A script"


def related(conversation: str) -> list[str]:
    """Three questions that the model could answer: about the files that the answer names, else about the Drive."""
    names = list(dict.fromkeys(_LINK.findall(conversation)))
    asked = [f"What else does “{name}” say?" for name in names[:2]]
    return [*asked, "Which files were changed last?", "What is in my Drive?", "Which files mention a budget?"][:3]
