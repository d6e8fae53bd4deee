"""Questions for all files of a kind since a day: “Which minutes by Finance are dated 1 May 2026 or later?”."""

import re
from collections.abc import Sequence
from datetime import date

from sandbox import ranking
from sandbox.model import answers, markdown, questions, tool_results, words
from sandbox.model.conversation import Call, Conversation, Step
from sandbox.model.questions import Question
from sandbox.model.tool_results import READ, Reading

_DAY = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"|(\d{1,2})(?:\.|er)? (?:de )?([^\W\d_]{3,})\.?,? (?:de )?(\d{4})"
)
_MONTHS = (
    "jan ene gen", "feb fév", "mar mär", "apr avr abr", "may mai mag", "jun juin giu", "jul juil lug", "aug aoû ago",
    "sep set", "oct okt ott", "nov", "dec dez déc dic",
)  # fmt: skip
_READ_FILES, _HEAD_PASSAGES = 12, 8
_ALIKE = 0.9
"""The share of the best file's fit that another one of the kind has."""


def day(text: str) -> date | None:
    """The day that a text names in one of five languages."""
    found = _DAY.search(text)
    if found is None:
        return None
    month = next(
        (at for at, names in enumerate(_MONTHS, 1) if (found[5] or "-").casefold().startswith(tuple(names.split()))), 0
    )
    try:
        return date(int(found["year"] or found[6]), int(found["month"] or month), int(found["day"] or found[4]))
    except ValueError:
        return None


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step; None of any other question, and where no file fits."""
    since = day(question.text)
    is_asked = words.find("since", question.text) and words.find("lists", question.text)
    if since is None or question.links or not is_asked:
        return None
    rest = ranking.subject(words.pattern("since").sub(" ", _DAY.sub(" ", question.text)))
    found = tool_results.collect(conversation.now)
    if not found.calls:
        return answers.search(question, [questions.query(rest)], since=since.isoformat())
    files = sorted((one for one in found.files if one.may_be_readable), key=lambda one: -one.speaks(rest))
    if files and not any(call.name == READ for call in found.calls):
        calls = tuple(Call("", READ, {"file": one.reference}) for one in files[:_READ_FILES])
        return Step(answers.say(question.language, "reading", files=str(len(calls))), calls)
    fits = [ranking.scores(rest, [[(1.0, _head(one))]])[0] for one in found.readings]
    best = max(fits, default=0.0)
    kept = [one for one, fit in zip(found.readings, fits, strict=True) if fit >= _ALIKE * best and best >= ranking.WEAK]
    return _listed(question, kept) if kept else None


def _head(reading: Reading) -> str:
    """The name of a file, its title, and the lines that say who has written it and when."""
    first = reading.passages[:_HEAD_PASSAGES]
    lines = [one.text for one in first if one.kind == "heading" or tool_results.LABELLED.match(one.text)]
    return " ".join([reading.file.name, *lines])


def _listed(question: Question, kept: Sequence[Reading]) -> Step:
    said: list[str] = []
    notes = answers.Footnotes()
    for one in kept:
        titles = [x.text for x in one.passages[:_HEAD_PASSAGES] if not tool_results.LABELLED.match(x.text)]
        where, quote = markdown.link(one.file), markdown.quoted((titles or [one.file.name])[0])
        mark = notes.add(quote, where)
        said.append("- " + answers.say(question.language, "sentence", where=where, quote=quote, mark=mark))
    return answers.final(question.language, "\n".join(said), *notes)
