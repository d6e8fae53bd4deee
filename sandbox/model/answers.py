"""The final answer: Markdown that quotes, names its sources, and says what could not be read."""

import re
from collections.abc import Sequence

from sandbox.model import comparison, markdown, naming, passages, questions, quoting, ranking
from sandbox.model.questions import Question, Topic
from sandbox.model.ranking import Hit
from sandbox.model.sources import SETTINGS_PATH, File, Found, Listing, Reading

CLOSING = "*Sandbox model: I only quote; set LEAF_MODEL for real answers.*"
LISTED_FILES = 50
CLOSE = 0.25
"""A passage with this score says something of the subject, if not all: it is quoted first."""

_FOR_MODELS = re.compile(
    r"This file is long: [^.]*\.|(?:The part “.*?” has [^.]*?\. )?Go on with part “[^”]*”\."
    r"|The file goes on after this\.|\d+ passages? match(?:es)? “.*?”\.(?=\s|$)|The best \d+ of .*? within a part\."
    r"|Found nowhere in it: (?:“[^”]*”(?:, )?)+\.|None of these words stands .*? of the outline\."
    r"|Rows given, of .*?\.(?=\s|$)|Row 1 is: .*|“[^”]*” stands on [^.]*\."
)
"""What a tool says to a model, and no user needs."""
_IDS = re.compile(r" \(id [\w-]+\)|; list them by id(?=:)")
_HARMLESS = re.compile(r"Pages? [\d, -]+ ha(?:s|ve) no text layer [^.]*\.|\d+ pictures? in this document [^.]*\.")
"""What matters only where the answer may stand there."""

GREETING = (
    "Hello! I am the Sandbox model. I look for files in your Drive and quote what they say, and that is all I do. "
    "Paste a link to a Drive folder or file, or ask about something that your files tell.\n\n"
    "For real answers set `LEAF_MODEL`, such as `LEAF_MODEL=openai:<model>` together with `OPENAI_API_KEY`."
)
IDENTITY = (
    "I am the Sandbox model: a small program that stands in for a language model while no key is set. I find files in "
    "your Drive, quote the passages that match your words, and link to them. I do not understand or write text.\n\n"
    "For real answers set `LEAF_MODEL`, such as `LEAF_MODEL=anthropic:<model>` together with `ANTHROPIC_API_KEY`."
)
NO_TOOLS = (
    "I am the Sandbox model and can only quote, but no tool for reading files was offered to me, so there is nothing "
    "to quote from. Set `LEAF_MODEL` to ask a real model."
)
NO_DRIVE = (
    "I cannot look into a Google Drive here: no tool for it was offered to me. Whoever is signed in and has connected "
    "their Drive can ask about it."
)
ASK_FOR_MORE = (
    "I did not find words to look for in your message. Paste a link to a Drive folder or file, or name what you are "
    "looking for, such as “marketing budget 2026”."
)


def not_offered(tool: str) -> str:
    """For a question that needs a tool which the request does not offer."""
    return (
        f"I would need `{tool}` for this, and it was not offered to me, so there is nothing that I could quote.\n\n"
        f"{CLOSING}"
    )


def answer(question: Question, topics: tuple[Topic, ...], found: Found, readings: Sequence[Reading]) -> str:
    """The answer to a question from what was read.

    Args:
        question: What was asked.
        topics: What was looked for, which a follow-up question shares with the one before it.
        found: What the tools gave in this turn; its failures and notes are told.
        readings: What may be quoted.
    """
    parts = _parts(question, topics, found, readings)
    hits = ranking.rank(topics, question.wanted, readings)
    is_sure = bool(hits) and hits[0].score >= ranking.GOOD
    if not parts and not found.lasting_failures and not found.lasting_skips:
        parts = [_nothing_found(topics, found)]
    footnotes = [quoting.footnote(hits[0])] if any("[^1]" in part for part in parts) else []
    return "\n\n".join([*parts, *_reports(found, is_sure=is_sure), *footnotes, CLOSING])


def _parts(question: Question, topics: tuple[Topic, ...], found: Found, readings: Sequence[Reading]) -> list[str]:
    if not readings:
        return [_listed(listing) for listing in found.listings] or _found_only(found)
    compared = comparison.compared(question, topics, readings)
    if compared:
        return compared
    if question.summary or not topics:
        listed = [] if question.summary else [_listed(listing) for listing in found.listings]
        return listed + [_beginning(reading) for reading in _first_of_each(readings)[-4:]]
    hits = ranking.rank(topics, question.wanted, readings)
    if not hits or hits[0].score < ranking.WEAK:
        return _not_in(topics, hits, readings)
    return [quoting.lead(hits[0]), *quoting.sources(ranking.choose(hits))]


def _first_of_each(readings: Sequence[Reading]) -> list[Reading]:
    first: dict[str, Reading] = {}
    for reading in readings:
        first.setdefault(reading.file.key, reading)
    return list(first.values())


def _beginning(reading: Reading) -> str:
    """How a file begins, for questions that ask for nothing in particular."""
    told = [passage for passage in reading.passages if passage.kind != "heading"][:3] or reading.passages[:1]
    if not told:
        return f"{markdown.link(reading.file)} holds no text."
    lines = [f"This is how {markdown.link(reading.file)} begins:"]
    if told[0].kind == "row":
        rows = [list(passage.cells) for passage in reading.passages if passage.columns == told[0].columns]
        shown = [list(told[0].columns) or [""] * len(rows[0]), *rows[: quoting.TABLE_ROWS]]
        lines.append(markdown.table([[markdown.cell(cell) for cell in row] for row in shown]))
    else:
        places = [reading.passages.index(passage) for passage in told]
        lines.append(markdown.blockquote(passages.lines(reading.passages, places)))
    titles = [title for _, title in reading.outline if title] or [
        passage.text for passage in reading.passages if passage.kind == "heading"
    ]
    if len(titles) > 1:
        lines.append("It has these parts: " + "; ".join(markdown.quoted(title) for title in titles[:12]) + ".")
    lines.append(f"— {markdown.place(reading.file, told[0].label)}")
    return "\n\n".join(lines)


def _not_in(topics: tuple[Topic, ...], hits: list[Hit], readings: Sequence[Reading]) -> list[str]:
    files = [markdown.link(reading.file) + _read_parts(reading.file, readings) for reading in _first_of_each(readings)]
    sought = markdown.quoted(questions.query_of(topics))
    parts = [f"I read {_enumerated(files)}, but found no passage about “{sought}”."]
    if hits and hits[0].score >= CLOSE:
        where = markdown.link(hits[0].file)
        closest = f"The closest passage to “{sought}” stands in {where}; none of {_enumerated(files)} names it all."
        parts = [quoting.lead(hits[0]), quoting.quotation(hits[0])]
        parts += [f"— {markdown.place(hits[0].file, hits[0].label)}", closest]
    elif hits:
        parts += ["The closest one is:", quoting.quotation(hits[0])]
        parts.append(f"— {markdown.place(hits[0].file, hits[0].label)}")
    elif readings:
        parts.append(_beginning(max(readings, key=lambda reading: naming.name_score(topics, reading.file.name))))
    return parts


def _read_parts(file: File, readings: Sequence[Reading]) -> str:
    """Which parts of a long file were read; nothing where it was read whole."""
    mine = [reading for reading in readings if reading.file.key == file.key]
    if any(reading.complete and reading.part.lower() in {"", "all"} for reading in mine):
        return ""
    named = list(dict.fromkeys(markdown.quoted(reading.part) for reading in mine if reading.part))
    return f" ({', '.join(named)} only)" if named else ""


def _listed(listing: Listing) -> str:
    folder = listing.folder or File("", "The folder", "")
    if not listing.files:
        return f"{markdown.link(folder)} is empty, or nothing in it is shared with you."
    count = max(listing.total, len(listing.files))
    lines = [f"{markdown.link(folder)} holds {_how_many(listing, count)}:", ""]
    lines += [_bullet(file) for file in listing.files[:LISTED_FILES]]
    left = count - min(len(listing.files), LISTED_FILES)
    if left > 0:
        lines.append(f"- … and {left} more")
    return "\n".join(lines)


def _how_many(listing: Listing, count: int) -> str:
    folders = sum(file.is_folder for file in listing.files)
    files = count - folders
    shown = [f"{folders} folder{'s' * (folders != 1)}"] if folders else []
    return " and ".join([*shown, f"{files} file{'s' * (files != 1)}"] if files or not shown else shown)


def _bullet(file: File) -> str:
    told = [file.kind, f"modified {file.modified[:10]}" if file.modified else ""]
    about = ", ".join(markdown.quoted(each) for each in told if each)
    return f"- {markdown.link(file)}" + (f" — {about}" if about else "")


def _found_only(found: Found) -> list[str]:
    """What a search found, where no file was read."""
    files = list({file.key: file for search in found.searches for file in search.files}.values())
    if not files:
        return []
    return ["These files match, and I read none of them:\n\n" + "\n".join(map(_bullet, files[:LISTED_FILES]))]


def _nothing_found(topics: tuple[Topic, ...], found: Found) -> str:
    tried = [search.query or str(search.call.arguments.get("query", "")) for search in found.searches]
    if not tried:
        return f"I found nothing about “{markdown.quoted(questions.query_of(topics))}”." if topics else ASK_FOR_MORE
    quoted = " and for ".join(f"“{markdown.quoted(query)}”" for query in dict.fromkeys(tried))
    return f"I searched your Drive for {quoted}, and nothing was found. Other words, or a link to the file, may help."


def _reports(found: Found, *, is_sure: bool) -> list[str]:
    """What went wrong or is incomplete, told once each; what is not to be found in a file only where it may matter."""
    reports: list[str] = []
    for failure in found.lasting_failures:
        if failure.not_connected:
            settings = f"[Settings → Integrations]({SETTINGS_PATH})"
            said = failure.text.replace(f" ({SETTINGS_PATH})", "").replace(f"({SETTINGS_PATH})", "")
            reports.append(f"I cannot look into your Drive: {markdown.quoted(said)} Open {settings}.")
        else:
            said = markdown.quoted(markdown.shortened(failure.text, 500))
            reports.append(f"`{failure.call.name.replace('`', '')}` failed: {said}")
    reports += [
        f"I could not read {markdown.link(skip.file)}: {markdown.quoted(skip.reason)}" for skip in found.lasting_skips
    ]
    for listing in (*found.listings, *found.searches):
        if listing.partial and is_sure and listing.folder is None:
            continue
        if listing.partial:
            reports.append(f"The listing is partial: {markdown.quoted(listing.note or 'more files exist.')}")
        elif listing.note and listing.files:
            reports.append(f"Note: {markdown.quoted(_IDS.sub('', listing.note))}")
    for file in found.read_files:
        notes = [_FOR_MODELS.sub("", reading.note) for reading in found.readings if reading.file.key == file.key]
        notes = [" ".join((_HARMLESS.sub("", note) if is_sure else note).split()) for note in notes]
        if told := " ".join(filter(None, dict.fromkeys(notes))):
            reports.append(f"Note on {markdown.link(file)}: {markdown.quoted(told)}")
    return list(dict.fromkeys(reports))


def _enumerated(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
