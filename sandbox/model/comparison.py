"""Questions for the differences between files, or between versions of a file, by simple rules.

A turn has these steps: search → compare the files that the question names → state the first differences with quotes of
both sides. If no files fit the names, other rules handle the question.
"""

from collections.abc import Iterable, Iterator, Sequence

from sandbox import ranking, times
from sandbox.conversation import Call, Conversation, JsonObject, Step
from sandbox.model import answers, markdown, questions, tool_results, words
from sandbox.model.questions import Question
from sandbox.model.tool_results import File

COMPARE = "compare_files"
_FITS = 0.6
"""The share of the words of a name that a file must have to fit."""
_TOLD = 4
"""The maximum number of differences in an answer."""


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step for such a question; None for other questions, or if no files fit."""
    two, changed = words.find("compare", question.text), words.find("changed", question.text)
    if COMPARE not in conversation.tools or not (two or changed) or question.smalltalk:
        return None
    made = [one for one in conversation.now if one.call.name == COMPARE]
    if made:
        return _answer(question, made[-1].output) if made[-1].output is not None else None
    links = [link.url for link in question.links if link.kind == "file"]
    bare = question.text[two.end() :] if two else words.pattern("change").sub(" ", question.text)
    on = words.behind("on", r"[^?.!]{3,80}(?=[?.!]*\s*\Z)", bare)[:1] if two else []
    names = bare[: bare.rfind(on[0])] if on else bare
    named = words.pattern("with").split(names, maxsplit=1) if two else [words.pattern("since").split(bare)[0]]
    if not links and not conversation.now:
        sides = [questions.query(ranking.subject(one)) for one in named] if two else []
        return answers.search(question, [questions.query(question.subject), *filter(None, sides)][:4])
    chosen = _named(named, tool_results.collect(conversation.now).files)
    files = links[:10] or [file.reference for file in chosen]
    if not files or (two and len(files) < 2):
        return None
    if two and not on:
        # The words that name no file are the subject, as in “the surplus of the budget with that of the forecast”.
        names = " ".join(file.name for file in chosen)
        said = [word for one in named for word in ranking.subject(one) if not ranking.named(ranking.stem(word), names)]
        on = [" ".join(dict.fromkeys(said))] if said and not links else []
    arguments: JsonObject = {"files": files} | ({"on": on[0].strip()} if on else {})
    since = times.day(question.text) if words.find("since", question.text) and len(files) == 1 else None
    arguments |= {"versions": [since.isoformat(), "current"]} if since else {}
    return Step(answers.say(question.language, "comparing"), (Call("", COMPARE, arguments),))


def _named(names: Sequence[str], found: Iterable[File]) -> list[File]:
    """The best file for each name; empty if a name fits no file."""
    known = [*found]
    chosen: list[File] = []
    for name in names:
        subject = {word: 1.0 for word in ranking.subject(name) if len(word) > 3 or word[0].isdigit()}
        before = ranking.stems(" ".join(file.name for file in chosen))
        # Of files with the name, the one that is most like the other side is meant.
        fits = {file: file.score(subject) for file in known if file not in chosen}
        ranks = {file: (round(fit, 1), len(before & ranking.stems(file.name)), fit) for file, fit in fits.items()}
        best = max(ranks, key=lambda file: ranks[file], default=None)
        if best is None or fits[best] < _FITS:
            return []
        chosen.append(best)
    return chosen


def _answer(question: Question, output: JsonObject) -> Step | None:
    language = question.language
    if isinstance(skipped := output.get("skipped"), dict):
        return answers.final(language, markdown.quoted(str(skipped.get("reason") or "")))
    columns: list[JsonObject] = output.get("compared") or []
    files = [File(str(one.get("file_id")), str(one.get("name")), str(one.get("url"))) for one in columns]
    count = output.get("differences") or 0
    notes = [markdown.quoted(str(one.get("text"))) for one in output.get("notes") or ()]
    names = ", ".join(dict.fromkeys(map(markdown.link, files)))
    said = answers.say(language, "compared" if count else "compared_same", files=names, count=count)
    footnotes = answers.Footnotes()
    rows = [
        f"- **{markdown.quoted(row['about'])}** " + " · ".join(_sides(row["cells"], columns, files, footnotes))
        for row in (output.get("rows") or [])[:_TOLD]
    ]
    return answers.final(language, said, "\n".join(rows), *notes[:3], "\n".join(footnotes))


def _sides(
    cells: Sequence[JsonObject | None],
    columns: Sequence[JsonObject],
    files: Sequence[File],
    footnotes: answers.Footnotes,
) -> Iterator[str]:
    for cell, column, file in zip(cells, columns, files, strict=True):
        version = str(column.get("version") or "")[:10]
        name = f"{markdown.quoted(file.name)}{f' ({version})' if version else ''}"
        if cell is None:
            yield f"{name}: –"
            continue
        mark = ""
        if len(cell["quote"].split()) > 2:
            mark = footnotes.add(markdown.quoted(cell["quote"]), markdown.place(file, str(cell.get("part") or "")))
        yield f"{name}: {markdown.quoted(cell['value'] or markdown.shortened(cell['quote'], 160))}{mark}"
