"""Writes a chat as Markdown for people, for an editor or a page of another program. Pure.

Questions and answers keep their Markdown, but cannot affect the text around them. Open constructs are closed, and HTML
is escaped, because Leaf shows it as text too. Pictures become links, because their addresses may hold text of documents
and Leaf loads none either.
"""

import base64
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from markdown_it import MarkdownIt

from leaf import charts, citations, parts, texts
from leaf.comparison import words
from leaf.parts.portable.format import Asked, Citation, Disagreement, Message, Part, Side, Text, Tool
from leaf.parts.portable.receipts import receipt

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~])")
_TAG: Final = re.compile(r"(\\.)|<(?!https?://)(?=[A-Za-z/!?])|!(?=\[)")
"""Matches an escaped character (group 1), or the beginning of an HTML tag or of a picture."""
_CHECKED_CHARACTERS: Final = 10_000
"""Maximum length of a text that is parsed to find out whether a tag within a line is code."""
_CHARACTERS = 80
_UNSAFE = re.compile(r"[^\w .,()&+-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
"""Reserved device names of Windows, with or without an extension."""
_BYTES = 180
"""Maximum length of a file name in bytes. Most file systems allow 255; the rest is for the extension and a number."""
_END: Final = "leaf-end-of-text"
_COMPUTE: Final = "compute"


def head(title: str, updated_at: datetime, others: int, language: str) -> str:
    """The heading of the file.

    Args:
        title: Title of the chat; may be empty.
        updated_at: Time of its last change.
        others: Number of messages on other branches, which are omitted.
        language: Language of the text that Leaf adds.
    """
    say = texts.of(language)
    lines = [f"# {plain(title) or say('exchange.untitled')}", say("exchange.exported", time=_time(updated_at))]
    if others:
        lines.append(say("exchange.other_branches", count=others))
    return "\n\n".join(lines) + "\n"


def message(one: Message, language: str) -> str:
    """A question, or an answer with its sources."""
    say = texts.of(language)
    who = say("exchange.question") if one.role == "user" else say("exchange.answer")
    blocks = [f"## {who} · {_time(one.at)}"]
    paragraphs = [*_texts(one, say)]
    if one.role == "user":
        blocks += ["\n".join(f"> {line}".rstrip() for line in text.splitlines()) for text in paragraphs]
    else:
        blocks += paragraphs
    if one.status != "completed":
        blocks.append(f"*{say('exchange.stopped') if one.status == 'stopped' else say('exchange.failed')}*")
    if one.asked:
        blocks.append(
            f"**{say('subquestions.parts')}**\n\n" + "\n".join(_question_part(part, say) for part in one.asked)
        )
    blocks += [_comparison(compared.model_dump(), say) for compared in one.comparisons]
    blocks += [_disagreement(disagreed, say) for disagreed in one.conflicts]
    if sourced := [cited for cited in one.citations if cited.reason != citations.CUT_OFF]:
        sources = "\n".join(_source(cited, say) for cited in sourced)
        blocks.append(f"**{say('exchange.sources')}**\n\n{sources}")
    if line := _receipt(one, say):
        blocks.append(f"*{line}*")
    return "\n" + "\n\n".join(blocks) + "\n"


def plain(text: str) -> str:
    """A text on one line, with Markdown characters escaped, and without controls of the text direction."""
    return _SPECIAL.sub(r"\\\1", " ".join(texts.without_bidi_controls(text).split()))


def _texts(one: Message, say: texts.Texts) -> Iterator[str]:
    marks: dict[int, list[tuple[int, int, str]]] = {}
    for cited in one.citations:
        for slot, begin, end in cited.at:
            marks.setdefault(slot, []).append((begin, end, _mark(cited)))
    narration = parts.narration([_stored(part) for part in one.parts]) if one.role == "assistant" else frozenset[int]()
    for slot, part in enumerate(one.parts):
        if isinstance(part, Tool) and part.name == _COMPUTE and (chart := charts.of(part.output)) is not None:
            yield _chart(chart, say)
        if isinstance(part, Text) and slot not in narration:
            text = citations.shown(part.text, marks.get(slot, ())).strip()
            if text:
                yield closed(text)


def _question_part(part: Asked, say: texts.Texts) -> str:
    """A part of the question as a list item: ticked if it was answered, otherwise with a remark."""
    state = f" ({say(f'subquestions.{part.state}')})" if part.state in {"missing", "unanswered"} else ""
    return f"- [{'x' if part.state == 'answered' else ' '}] {plain(part.text)}{state}"


def _disagreement(one: Disagreement, say: texts.Texts) -> str:
    """The values on which sources disagree, each with its source, date and passage."""
    about = f": {plain(one.about)}" if one.about else ""
    return f"**{say('conflicts.heading')}**{about}\n\n" + "\n".join(_side(side, say) for side in one.sides)


def _comparison(one: Mapping[str, Any], say: texts.Texts) -> str:
    """A comparison as a table of differences, with a column for each file that shows its passage and place."""
    names = words.names(one["compared"], say)
    heads = [
        f"[{plain(name)}]({_address(file['url'])})" if file["url"] else plain(name)
        for name, file in zip(names, one["compared"], strict=True)
    ]
    lines = [["", *heads], ["---"] * (len(heads) + 1)]
    lines += [[plain(row["about"]), *(_passage(cell, say) for cell in row["cells"])] for row in one["rows"]]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    about = [say("comparisons.on", subject=one["on"])] if one["on"] else []
    notes = " ".join(plain(note) for note in (*about, *words.notes(one, say)))
    title = f"**{plain(words.title(names, say))}**: {words.count(one, say)}"
    return "\n\n".join(filter(None, (title, notes, table if one["rows"] else "")))


def _passage(cell: Mapping[str, Any] | None, say: texts.Texts) -> str:
    """A passage on one line, with the differing words in bold."""
    if cell is None:
        return f"*{say('comparisons.missing')}*"
    shown = "".join(_bold(text) if marked else _inside(text) for text, marked in citations.comparisons.pieces(cell))
    value = f"{plain(cell['value'])}: " if cell["value"] else ""
    return f"{value}“{shown}”" + (f" ({plain(cell['part'])})" if cell["part"] else "")


def _bold(text: str) -> str:
    bare = text.strip()
    return f"**{plain(bare)}**" if bare else text


def _inside(text: str) -> str:
    """A stretch of a line, with Markdown characters escaped and blanks kept."""
    return _SPECIAL.sub(r"\\\1", re.sub(r"\s", " ", texts.without_bidi_controls(text)))


def _side(side: Side, say: texts.Texts) -> str:
    name = plain(side.name) or say("trust.drive_file")
    named = f"[{name}]({_address(side.url)})" if side.url else name
    where = f", {plain(side.part)}" if side.part else ""
    notes = [day.isoformat()] if (day := citations.conflicts.day_of(side.date)) else []
    notes += [say("conflicts.newer")] if side.newer else []
    about = f" ({', '.join(notes)})" if notes else ""
    quote = f": “{plain(side.quote)}”" if side.quote else ""
    return f"- {plain(side.value)} — {named}{where}{about}{quote}"


def _chart(chart: charts.Chart, say: texts.Texts) -> str:
    """A chart as an embedded picture, above the table of its values."""
    words = charts.summary(chart, say)
    drawn = base64.b64encode(charts.markup(charts.picture(chart, say.language, words)).encode()).decode()
    heads, rows = charts.table(chart, say)
    lines = [heads, ["---"] * len(heads), *rows]
    table = "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)
    return f"![{plain(words)}](data:image/svg+xml;base64,{drawn})\n\n{table}"


def _cell(text: str) -> str:
    return text if text == "---" else plain(text)


def _stored(part: Part) -> parts.Part:
    """The fields of a part that `narration` needs."""
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": f"tool-{part.name}" if isinstance(part, Tool) else part.type}


def _mark(cited: Citation) -> str:
    if cited.reason == citations.CUT_OFF:
        return ""
    number = f"{cited.n}" if cited.verified else f"{cited.n}?"
    return f" \\[[{number}]({_address(cited.url)})\\]" if cited.url else f" \\[{number}\\]"


def _source(cited: Citation, say: texts.Texts) -> str:
    if cited.reason in citations.redaction.TEXTS:
        status = say(citations.redaction.TEXTS[cited.reason]).rstrip(".")
        return f"{cited.n}. {say('trust.drive_file')} ({status})"
    name = plain(cited.name) or say("exchange.unknown_source")
    named = f"[{name}]({_address(cited.url)})" if cited.url else name
    where = f", {plain(cited.part)}" if cited.part else ""
    words = cited.formula.get(say.language) or cited.quote
    quote = f": “{plain(words)}”" if words else ""
    if cited.verified and cited.kind == citations.figures.COMPUTED:
        status = say("computed.shared")
    elif cited.verified:
        status = say("exchange.verified")
    elif cited.reason == "imported":
        status = say("exchange.cited_imported")
    else:
        status = say("exchange.unverified")
    return f"{cited.n}. {named}{where}{quote} ({status})"


def _address(url: str) -> str:
    """A web address in which characters that could end the link are percent-encoded."""
    escaped = "".join(f"%{byte:02X}" if byte <= 32 or byte in b'<>()\\"`' else chr(byte) for byte in url.encode())
    return escaped.encode("latin-1").decode()


def _receipt(one: Message, say: texts.Texts) -> str:
    data = receipt(one.receipt)
    if data is None:
        return ""
    counts = (
        ("trust.searched", len(data["searches"])),
        ("trust.listed", len(data["folders"])),
        ("exchange.read", len(data["read"]) + len(data["chat_files"])),
        ("trust.skipped", len(data["skipped"])),
        ("trust.searched_web", len(data["web"]["searches"])),
        ("trust.read_pages", len(data["web"]["pages"])),
        ("trust.failed", len(data["failed"])),
        ("trust.incomplete", data["partial"]),
    )
    line = " · ".join(say(key, count=number) for key, number in counts if number)
    return line[:1].upper() + line[1:]


@lru_cache(maxsize=1)
def _blocks() -> MarkdownIt:
    """A parser for blocks only. It skips the text in them, which would be most of the work."""
    return MarkdownIt("commonmark").disable("inline")


@lru_cache(maxsize=1)
def _blocks_without_html() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).disable(["html_block", "inline"])


def closed(text: str) -> str:
    """Markdown whose open constructs are closed, so that a paragraph after it stays separate."""
    text = _without_tags(text.replace("\r\n", "\n").replace("\r", "\n"))
    for ending in ("", "\n```", "\n~~~"):
        if _ends(text + ending):
            return text + ending
    fences = [token for token in _blocks().parse(text) if token.type == "fence"]
    if fences and _ends(f"{text}\n{fences[-1].markup}"):
        return f"{text}\n{fences[-1].markup}"
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _ends(text: str) -> bool:
    """Whether a paragraph after the text would be parsed as separate."""
    tokens = _blocks().parse(f"{text}\n\n{_END}\n")[-3:]
    return (
        [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
        and tokens[0].level == 0
        and tokens[1].content == _END
    )


def _without_tags(text: str) -> str:
    """Markdown with HTML tags and pictures escaped, except in code, where the backslash would be visible."""
    lines = text.split("\n")
    code: set[int] = set()
    for token in _blocks_without_html().parse(text):
        if token.type in {"fence", "code_block"} and token.map:
            code |= {*range(*token.map)}
    everywhere = "\n".join(line if number in code else _escaped(line) for number, line in enumerate(lines))
    made = "\n".join(line if number in code else _escaped_beside_code(line) for number, line in enumerate(lines))
    # A backtick that begins no code, such as one in an address, makes a tag look like code.
    is_certain = made == everywhere or (len(text) <= _CHECKED_CHARACTERS and not _has_tags(made))
    return made if is_certain else everywhere


def _escaped_beside_code(line: str) -> str:
    pieces = re.split(r"((?<!`)`+[^`]+`+)", line)
    return "".join(piece if at % 2 else _escaped(piece) for at, piece in enumerate(pieces))


def _escaped(text: str) -> str:
    return _TAG.sub(lambda found: found[1] or f"\\{found[0]}", text)


def _has_tags(text: str) -> bool:
    """Whether Markdown has HTML or pictures, or is nested so deeply that the parser does not look for it."""
    parser = MarkdownIt("commonmark")
    tokens = parser.parse(text)
    deepest = parser.options["maxNesting"] - 1
    return any(
        one.type in {"html_block", "html_inline", "image"} or one.level >= deepest
        for token in tokens
        for one in (token, *(token.children or ()))
    )


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def file_name(title: str, ending: str) -> str:
    """A file name made from a title, valid on every system; `chat` if no character of the title is usable.

    Args:
        title: Any text.
        ending: File extension with its dot.
    """
    bare = _UNSAFE.sub(" ", parts.normalized("NFC", title))
    bare = " ".join(bare.split())[:_CHARACTERS].strip(" .-")
    bare = bare.encode()[:_BYTES].decode(errors="ignore").strip(" .-")
    if not bare or _RESERVED.fullmatch(bare):
        bare = f"chat {bare}".strip()
    return bare + ending
