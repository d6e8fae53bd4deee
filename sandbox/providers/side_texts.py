"""Texts other than answers: summaries, titles, suggested further questions and choices of tools."""

import json
import re

TITLE_WORDS, SUMMARY_LINES = 8, 60
_LINK = re.compile(r"\[(?!\d+\])([^\]\n]{1,80})\]\(https?://")
"""A link to a named source. Links whose text is a number, which stands for a web page, do not match."""
_FENCE = re.compile(r"```.*?```", re.DOTALL)


def written(instructions: str, text: str) -> str | None:
    """The text for a request for such a text; None for any other request.

    Args:
        instructions: The system message, which tells what is requested.
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
    """The first words of a question, without scripts and without a punctuation mark at the end."""
    words = _FENCE.sub(" ", question).split()
    return " ".join(words[:TITLE_WORDS]).rstrip(" ?!.,:;") or "A script"


_OF_FILES = ("Which files were changed last?", "What is in my Drive?", "Which files mention a budget?")
_OF_THE_WEB = ("What is new about this on the web?", "Which pages explain this?", "Who has written about this?")


def related(conversation: str, *, has_files: bool = True) -> list[str]:
    """Three questions that the model can answer, about linked sources or else about the Drive or the web."""
    names = list(dict.fromkeys(_LINK.findall(conversation)))
    asked = [f"What else does “{name}” say?" for name in names[:2]]
    return [*asked, *(_OF_FILES if has_files else _OF_THE_WEB)][:3]


def planned(text: str) -> str:
    """The next step as JSON: to use the listed tools that a question names, or all tools if it names none.

    If a result says that there is nothing more to do, the next step is to end.
    """
    question, _, rest = text.partition("\n\nTools:\n")
    listed, _, results = rest.partition("\n\nResults so far:\n")
    if "nothing more to do" in results.casefold():
        return json.dumps({"next": "summarize"})
    names = [line[2:].partition(":")[0] for line in listed.splitlines() if line.startswith("- ")]
    wanted = [name for name in names if name.casefold() in question.casefold()]
    return json.dumps({"next": "planNext", "tools": wanted or names})


def summary(transcript: str) -> str:
    """A summary of a conversation as a small model would write it: the questions and the beginnings of the answers."""
    lines = [line.strip() for line in transcript.splitlines() if line.startswith(("User:", "Assistant:", "- "))]
    return "\n".join(f"- {line.removeprefix('- ')[:160]}" for line in lines[-SUMMARY_LINES:]) or "Nothing was said."
