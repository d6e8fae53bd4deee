"""Texts beside answers: summaries, titles, questions that could follow."""

import json
import re

TITLE_WORDS, SUMMARY_LINES = 8, 60
_LINK = re.compile(r"\[(?!\d+\])([^\]\n]{1,80})\]\(https?://")
"""A link with a name: numbers of web pages are none."""
_FENCE = re.compile(r"```.*?```", re.DOTALL)


def written(instructions: str, text: str) -> str | None:
    """The text for a request that wants nothing but such a text; None for all others.

    Args:
        instructions: The system message.
        text: The user message.
    """
    asked = instructions.lstrip()
    if asked.startswith("Summarise the conversation"):
        return summary(text)
    if asked.startswith("Write a title for the conversation"):
        return title(text)
    if asked.startswith("Write three questions that"):
        return "\n".join(related(text, has_files="without files of the asker" not in asked))
    if asked.startswith(("Choose the tools that an assistant", "Decide whether an assistant needs another tool")):
        return planned(text)
    return None


def title(question: str) -> str:
    """The first words of a question, without what ends it."""
    words = _FENCE.sub(" ", question).split()
    return " ".join(words[:TITLE_WORDS]).rstrip(" ?!.,:;") or "A script"


_OF_FILES = ("Which files were changed last?", "What is in my Drive?", "Which files mention a budget?")
_OF_THE_WEB = ("What is new about this on the web?", "Which pages explain this?", "Who has written about this?")


def related(conversation: str, *, has_files: bool = True) -> list[str]:
    """Three questions that the model could answer: about what the answer names, else about the Drive or the web."""
    names = list(dict.fromkeys(_LINK.findall(conversation)))
    asked = [f"What else does “{name}” say?" for name in names[:2]]
    return [*asked, *(_OF_FILES if has_files else _OF_THE_WEB)][:3]


def planned(text: str) -> str:
    """Which of the listed tools a question needs, as JSON: those that it names, or all of them where it names none.

    It is to end where a result says that nothing more has to be done.
    """
    question, _, rest = text.partition("\n\nTools:\n")
    listed, _, results = rest.partition("\n\nResults so far:\n")
    if "nothing more to do" in results.casefold():
        return json.dumps({"next": "summarize"})
    names = [line[2:].partition(":")[0] for line in listed.splitlines() if line.startswith("- ")]
    wanted = [name for name in names if name.casefold() in question.casefold()]
    return json.dumps({"next": "planNext", "tools": wanted or names})


def summary(transcript: str) -> str:
    """A summary of a conversation as a small model would write it: the questions, and how each answer begins."""
    lines = [line.strip() for line in transcript.splitlines() if line.startswith(("User:", "Assistant:", "- "))]
    return "\n".join(f"- {line.removeprefix('- ')[:160]}" for line in lines[-SUMMARY_LINES:]) or "Nothing was said."
