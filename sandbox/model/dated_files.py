"""Questions for all files of a kind since a day, such as “Which minutes by Finance are dated 1 May 2026 or later?”."""

from collections.abc import Sequence

from sandbox import ranking, times
from sandbox.conversation import Call, Conversation, Step
from sandbox.model import answers, markdown, questions, tool_results, words
from sandbox.model.questions import Question
from sandbox.model.tool_results import READ, Reading

_READ_FILES, _HEAD_PASSAGES = 12, 8
_ALIKE = 0.9
"""A file is listed if its score is at least this share of the best score."""


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step for a question for all files since a day; None for other questions, or if no file fits."""
    since = times.day(question.text)
    is_asked = words.find("since", question.text) and words.find("lists", question.text)
    if since is None or question.links or not is_asked:
        return None
    rest = ranking.subject(words.pattern("since").sub(" ", times.pattern().sub(" ", question.text)))
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
