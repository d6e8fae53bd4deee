"""The times that a question names, and questions for all files of a kind since a day.

Such a question is “Which minutes by Finance are dated 1 May 2026 or later?”.
"""

import re
from collections.abc import Sequence
from datetime import date
from functools import cache

from sandbox import ranking
from sandbox.conversation import Call, Conversation, Step
from sandbox.model import answers, markdown, questions, tool_results, words
from sandbox.model.questions import Question
from sandbox.model.tool_results import READ, Reading

_DAY = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"|(\d{1,2})(?:\.|er)? (?:de )?([^\W\d_]{3,})\.?,? (?:de )?(\d{4})"
)
YEAR = re.compile(r"(?<![\w.,])(?:19|20)\d\d(?![\w]|[.,]\d)")
_DAY_NEAR = re.compile(r"(?:\d{1,2}(?:\.|st|nd|rd|th|er)?\s(?:of\s|de\s)?\Z)|(?:\A\s\d{1,2}(?!\d))")
_BETWEEN = re.compile(r"\s(?:(?:the|end|of|le|el|il|den|dem|ende?)\s){0,2}", re.IGNORECASE)
_READ_FILES, _HEAD_PASSAGES = 12, 8
_BEFORE = 30
"""The number of characters before a time in which a word may say that the time begins or ends a span."""
_ALIKE = 0.9
"""A file is listed if its score is at least this share of the best score."""


def day(text: str) -> date | None:
    """The first day that a text names; None if there is none."""
    found = _DAY.search(text)
    if found is None:
        return None
    try:
        year, month, number = found["year"] or found[6], found["month"] or _month(found[5]), found["day"] or found[4]
        return date(int(year), int(month), int(number))
    except ValueError:
        return None


@cache
def _names() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(names.split("|")) for names in words.listed("months"))


def _month(word: str) -> int:
    """The number of a month by its name or by at least three of its first letters; 0 for any other word."""
    begin = word.casefold()
    numbers = (at for at, names in enumerate(_names(), 1) if any(one.startswith(begin) for one in names))
    return next(numbers, 0) if len(begin) > 2 else 0


def condition(question: str, column: str, about: str, *, is_year: bool = False) -> str | None:
    """The condition for the rows of the time that a question names; empty if it names none.

    It is None if the rules do not understand the time, such as a span.

    Args:
        question: The text of the question.
        column: The column of the times.
        about: The names of the file and its columns. Years and months in them choose no rows.
        is_year: Whether the column has years instead of days.
    """
    around = about.casefold()
    years = [*dict.fromkeys(one for one in YEAR.findall(question) if one not in about)]
    named = [one for one in words.pattern("months").finditer(question) if one[0].casefold() not in around]
    months = [*dict.fromkeys(_month(one[0]) for one in named)]
    since, other = words.find("since", question), words.find("other_spans", question)
    starts = [one.start() for one in (*YEAR.finditer(question), *named)]
    other = other or any(_follows_span(question[max(0, at - _BEFORE) : at]) for at in starts)
    has_day = any(
        _DAY_NEAR.search(question[max(0, one.start() - 8) : one.start()]) or _DAY_NEAR.search(question[one.end() :][:4])
        for one in named
    )
    if (begin := day(question)) and len(named) == len(years) == 1 and since and not (other or is_year):
        return f"{column} >= DATE '{begin}'" if words.find("from_on", since[0]) else None
    other = other or (is_year and months)
    # Words such as "to" occur in most questions. They matter only if the question names a time.
    if not years and not months:
        return ""
    if has_day or other or (since and (len(years) != 1 or len(months) > 1)) or (len(years) > 1 and months):
        return None
    if since:
        # Unlike "since", "after" excludes the time that follows it.
        begin = years[0] if is_year else f"DATE '{years[0]}-{(months or [1])[0]:02}-01'"
        return f"{column} >= {begin}" if words.find("from_on", since[0]) else None
    year = column if is_year else f"year({column})"
    named_times = {year: years, f"month({column})": [str(month) for month in months]}
    return " AND ".join(f"{of} IN ({', '.join(times)})" for of, times in named_times.items() if times)


def is_time(word: str) -> bool:
    """Whether a word names a month."""
    return words.pattern("months").fullmatch(word) is not None


def is_same_month(word: str, other: str) -> bool:
    """Whether a word names the same month as another word, which may be an abbreviation."""
    return is_time(word) and _month(word) == _month(other)


def _follows_span(text: str) -> bool:
    """Whether the text before a time ends with a word of a span, such as “between” or “until”."""
    said = [*words.pattern("before_spans").finditer(text)]
    return bool(said) and _BETWEEN.fullmatch(text[said[-1].end() :]) is not None


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step for a question for all files since a day; None for other questions, or if no file fits."""
    since = day(question.text)
    is_asked = words.find("since", question.text) and words.find("lists", question.text)
    if since is None or question.links or not is_asked:
        return None
    rest = ranking.subject(words.pattern("since").sub(" ", _DAY.sub(" ", question.text)))
    found = tool_results.collect(conversation.now)
    if not found.calls:
        return answers.search(question, [questions.query(rest)], since=since.isoformat())
    files = sorted((one for one in found.files if one.may_be_readable), key=lambda one: -one.score_with_passages(rest))
    if files and not any(call.name == READ for call in found.calls):
        calls = tuple(Call("", READ, {"file": one.reference}) for one in files[:_READ_FILES])
        return Step(answers.say(question.language, "reading", files=str(len(calls))), calls)
    fits = [ranking.scores(rest, [[(1.0, f"{one.file.name} {one.opening}")]])[0] for one in found.readings]
    best = max(fits, default=0.0)
    kept = [one for one, fit in zip(found.readings, fits, strict=True) if fit >= _ALIKE * best and best >= ranking.WEAK]
    return _listed(question, kept) if kept else None


def _listed(question: Question, kept: Sequence[Reading]) -> Step:
    said: list[str] = []
    notes = answers.Footnotes()
    for one in kept:
        titles = [x.text for x in one.passages[:_HEAD_PASSAGES] if not tool_results.LABELLED.match(x.text)]
        where, quote = markdown.link(one.file), markdown.quoted((titles or [one.file.name])[0])
        mark = notes.add(quote, where)
        said.append("- " + answers.say(question.language, "sentence", where=where, quote=quote, mark=mark))
    return answers.final(question.language, "\n".join(said), *notes)
