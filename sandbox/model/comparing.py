"""Questions for what differs between two files, or between versions of one, by simple rules.

A turn goes: search → compare the files whose names the question has → tell the first differences, both sides quoted.
Where the names fit no files, the question goes the usual way.
"""

import re
from collections.abc import Iterable, Sequence

from sandbox import ranking
from sandbox.model import answers, markdown, questions, tool_results
from sandbox.model.conversation import Call, Conversation, JsonObject, Step
from sandbox.model.questions import Question
from sandbox.model.tool_results import SEARCH, File

COMPARE = "compare_files"
_TWO = re.compile(
    r"\b(?:compare[rz]?|vergleich\w*|compara\w*|(?:differences?|diff[ée]rences?|diferencias?) (?:between|entre)"
    r"|unterschiede? zwischen|differs? between|what (?:is|are) different)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\bwhat(?:'s| has| have| is)? (?:been )?(?:changed?|new)\b|\bwas hat sich\b.*\bge[äa]ndert\b"
    r"|\bwas ist neu\b|qu['’]est-ce qui a chang[ée]|\bqu[ée] ha cambiado\b|\bqu[ée] cambi[óo]\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\s+(?:and|with|to|und|mit|et|avec|y|con)\s+", re.IGNORECASE)
_ON = re.compile(
    r"\b(?:on|regarding|concerning|in terms of|bezüglich|hinsichtlich|concernant|respecto a)\s+(?:the |der |die |das )?"
    r"([^?.!]{3,80})[?.!]*\s*\Z",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:since|seit|depuis|desde)\b.*?(\d{4}-\d\d-\d\d)", re.IGNORECASE)
_NO_NAME = re.compile(
    r"\b(?:what|has|have|is|been|changed?|new|was|hat|sich|ge[äa]ndert|ist|neu|qu['’]est-ce|qui|a|chang[ée]|qu[ée]|ha"
    r"|cambiado|cambi[óo]|dans|le|la|les|du|des|de|en|el|los|las|del)(?!\w)",
    re.IGNORECASE,
)
"""Words of such questions, and small words of languages whose other words the ranking does not know."""
_FITS = 0.6
"""The share of the words of a name that a file's name has."""
_TOLD = 4
"""Differences that the answer tells."""


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step for such a question; None if it is none, or if no files fit."""
    plain = question.text
    changed, two = _CHANGED.search(plain), _TWO.search(plain)
    asked = two or changed
    if COMPARE not in conversation.tools or asked is None or question.smalltalk:
        return None
    made = [one for one in conversation.now if one.call.name == COMPARE]
    if made:
        return _answer(question, made[-1].output) if made[-1].output is not None else None
    links = [link.url for link in question.links if link.kind == "file"]
    if not links and not conversation.now:
        query = questions.query(question.subject)
        return Step(answers.say(question.language, "search", query=query), (Call("", SEARCH, {"queries": [query]}),))
    found = tool_results.collect(conversation.now).files
    files = links[:10] or _named(plain[two.end() :] if two else plain, found, two=bool(two))
    if not files or (two and len(files) < 2):
        return None
    on, since = _ON.search(plain), _SINCE.search(plain)
    arguments: JsonObject = {"files": files}
    arguments |= {"on": on[1].strip()} if on and two else {}
    arguments |= {"versions": [since[1], "current"]} if since and len(files) == 1 else {}
    return Step(answers.say(question.language, "comparing"), (Call("", COMPARE, arguments),))


def _named(text: str, found: Iterable[File], *, two: bool) -> list[str]:
    """The references of the files that a text names: two that "and" joins, or one."""
    known = [*found]
    bare = _ON.sub("", text) if two else _SINCE.sub("", text)
    chosen: list[File] = []
    for name in _AND.split(bare, maxsplit=1) if two else [bare]:
        subject = ranking.subject(_NO_NAME.sub(" ", name))
        best = max((file for file in known if file not in chosen), key=lambda file: file.score(subject), default=None)
        if best is None or not subject or best.score(subject) < _FITS:
            return []
        chosen.append(best)
    return [file.reference for file in chosen]


def _answer(question: Question, output: JsonObject) -> Step | None:
    language = question.language
    if isinstance(skipped := output.get("skipped"), dict):
        return Step(answers.closed(markdown.quoted(str(skipped.get("reason") or "")), language))
    columns: list[JsonObject] = output.get("compared") or []
    rows: list[JsonObject] = output.get("rows") or []
    files = [File(str(one.get("file_id")), str(one.get("name")), str(one.get("url"))) for one in columns]
    notes = [markdown.quoted(str(one.get("text"))) for one in output.get("notes") or ()]
    count = output.get("differences") or 0
    names = ", ".join(dict.fromkeys(markdown.link(one) for one in files))
    said = [answers.say(language, "compared" if count else "compared_same", files=names, count=count)]
    footnotes: list[str] = []
    told = [(row["about"], " · ".join(_sides(row, columns, files, footnotes))) for row in rows[:_TOLD]]
    said += ["\n".join(f"- **{markdown.quoted(about)}** {sides}" for about, sides in told), *notes[:3]]
    return Step(answers.closed("\n\n".join(filter(None, [*said, "\n".join(footnotes)])), language))


def _sides(
    row: JsonObject, columns: Sequence[JsonObject], files: Sequence[File], footnotes: list[str]
) -> Iterable[str]:
    for cell, column, file in zip(row["cells"], columns, files, strict=True):
        version = str(column.get("version") or "")[:10]
        name = f"{markdown.quoted(file.name)}{f' ({version})' if version else ''}"
        if cell is None:
            yield f"{name}: –"
            continue
        quote, place = markdown.quoted(cell["quote"]), str(cell.get("part") or "")
        mark = ""
        if len(cell["quote"].split()) > 2:
            mark = f"[^{len(footnotes) + 1}]"
            footnotes.append(f"{mark}: “{quote}” — {markdown.place(file, place)}")
        yield f"{name}: {markdown.quoted(cell['value'] or markdown.shortened(cell['quote'], 160))}{mark}"
