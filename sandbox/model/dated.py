"""Questions for all files of a kind since a day: “Which minutes by Finance are dated 1 May 2026 or later?”."""

import re
from collections.abc import Sequence
from datetime import date

from sandbox import ranking
from sandbox.model import answers, markdown, questions, tool_results
from sandbox.model.conversation import Call, Conversation, Step
from sandbox.model.questions import Question
from sandbox.model.tool_results import READ, SEARCH, Reading

_SINCE = re.compile(
    r"\b(?:since|later|after|newer|seit|später|nach|neuer|depuis|après|récente?s?|desde|después|posterior\w*|dal|dopo"
    r"|successiv\w+|recenti)\b",
    re.IGNORECASE,
)
_LISTS = re.compile(r"\b(?:which|welche\w?|quel(?:le)?s|qué|cuáles|quali)\b", re.IGNORECASE)
_DAY = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"|(\d{1,2})(?:\.|er)? (?:de )?([^\W\d_]{3,})\.?,? (?:de )?(\d{4})"
)
_MONTHS = (
    "jan ene gen", "feb fév", "mar mär", "apr avr abr", "may mai mag", "jun jui giu", "jul lug", "aug aoû ago",
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
    if found["year"]:
        numbers = int(found["year"]), int(found["month"]), int(found["day"])
    else:
        word = found[5].casefold()
        begin = "jul" if word.startswith("juil") else word[:3]
        month = next((number for number, names in enumerate(_MONTHS, 1) if begin in names.split()), 0)
        numbers = int(found[6]), month, int(found[4])
    try:
        return date(*numbers)
    except ValueError:
        return None


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step; None of any other question, and where no file fits."""
    since = day(question.text)
    if since is None or question.links or not (_SINCE.search(question.text) and _LISTS.search(question.text)):
        return None
    rest = ranking.subject(_SINCE.sub(" ", _DAY.sub(" ", question.text)))
    found = tool_results.collect(conversation.now)
    if not found.calls:
        query = questions.query(rest)
        said = answers.say(question.language, "search", query=query)
        return Step(said, (Call("", SEARCH, {"queries": [query], "since": since.isoformat()}),))
    files = sorted((one for one in found.files if one.may_be_readable), key=lambda one: -one.speaks(rest))
    if files and not any(call.name == READ for call in found.calls):
        calls = tuple(Call("", READ, {"file": one.reference}) for one in files[:_READ_FILES])
        return Step(answers.say(question.language, "reading", files=str(len(calls))), calls)
    fits = [ranking.scores(rest, [[(1.0, _head(one))]])[0] for one in found.readings]
    best = max(fits, default=0.0)
    kept = [one for one, fit in zip(found.readings, fits, strict=True) if fit >= _ALIKE * best and best >= ranking.WEAK]
    return Step(_listed(question, kept)) if kept else None


def _head(reading: Reading) -> str:
    """The name of a file, its title, and the lines that say who has written it and when."""
    first = reading.passages[:_HEAD_PASSAGES]
    lines = [one.text for one in first if one.kind == "heading" or tool_results.LABELLED.match(one.text)]
    return " ".join([reading.file.name, *lines])


def _title(reading: Reading) -> str:
    titles = [one.text for one in reading.passages[:_HEAD_PASSAGES] if not tool_results.LABELLED.match(one.text)]
    return markdown.shortened((titles or [reading.file.name])[0], 200)


def _listed(question: Question, kept: Sequence[Reading]) -> str:
    said: list[str] = []
    notes: list[str] = []
    for number, one in enumerate(kept, 1):
        title = _title(one)
        where, quote = markdown.link(one.file), markdown.quoted(title)
        line = answers.say(question.language, "sentence", where=where, quote=quote, mark=f"[^{number}]")
        said.append(f"- {line}")
        notes.append(f"[^{number}]: “{markdown.quoted(title)}” — {where}")
    return answers.closed("\n".join(said) + "\n\n" + "\n\n".join(notes), question.language)
