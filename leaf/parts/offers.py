"""Offered messages: texts that the model proposes and a click sends. Pure."""

from collections.abc import Iterable
from typing import Any

from leaf.parts.chunks import Part
from leaf.parts.objects import object_of, objects_in, strings_in

RELATED = "data-relatedQuestions"
OPTIONS = "tool-displayOptionList"
OFFERING = (RELATED, OPTIONS)
"""The parts of an answer that offer messages."""
_BETWEEN = ", "
"""The separator between the labels of several chosen options (`leaf.components.displays`)."""


def suggested(texts: Iterable[str], offering: Iterable[Part]) -> frozenset[str]:
    """The texts that a click on one of the offering parts would send.

    Args:
        texts: Texts that a person sent.
        offering: Parts of answers with a type in `OFFERING`.
    """
    questions: set[str] = set()
    lists: list[list[str]] = []
    for part in offering:
        if part.get("type") == RELATED:
            questions.update(map(_plain, questions_of(part)))
        elif part.get("type") == OPTIONS:
            lists.append([_plain(label) for label in _labels(part.get("output") or part.get("input"))])
    return frozenset(
        text for text in texts if _plain(text) in questions or any(_is_choice(_plain(text), one) for one in lists)
    )


def _is_choice(text: str, labels: list[str]) -> bool:
    """Whether a text consists of some of the labels, in their order."""
    reached = {0}
    for label in filter(None, labels):
        for begin in tuple(reached):
            after = begin + len(label)
            if not text.startswith(label, begin):
                continue
            if after == len(text):
                return True
            if text.startswith(_BETWEEN, after):
                reached.add(after + len(_BETWEEN))
    return False


def _labels(given: Any) -> list[str]:
    found = (one.get("label") for one in objects_in(object_of(given).get("options")))
    return [label for label in found if isinstance(label, str)]


def questions_of(part: Part) -> list[str]:
    """The suggested further questions in a part of the type `RELATED`."""
    return strings_in(object_of(part.get("data")).get("questions"))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
