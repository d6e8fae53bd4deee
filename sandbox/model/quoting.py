"""Passages as Markdown: the sentence that leads, quotations source by source, rows as a small table."""

import re

from leaf import citations
from sandbox.model import markdown, naming, passages
from sandbox.model.questions import Topic
from sandbox.model.ranking import Hit

TABLE_ROWS = 8
LEAD_CHARACTERS = 420

_POINTS_BACK = re.compile(r"(?:such|this|these|those|it|they|that|diese[rsmn]?|solche[rsnm]?|sie|es)\b", re.IGNORECASE)


def lead(hit: Hit) -> str:
    """A sentence that answers with the best passage."""
    where = markdown.link(hit.file)
    if hit.label:
        where += f" ({markdown.quoted(hit.label)})"
    if hit.passage.kind == "row":
        return f"{where} says: **{markdown.quoted(row_in_words(hit))}**{_mark(hit)}"
    opening = f"According to {where}"
    if hit.wanted == "page" and hit.label:
        opening = f"{'On' if hit.on_page else 'In'} {markdown.quoted(hit.label)} of {markdown.link(hit.file)}"
    return f"{opening}: “{markdown.quoted(_led(hit))}”{_mark(hit)}"


def _led(hit: Hit) -> str:
    """What the leading sentence quotes."""
    text = markdown.shortened(_self_contained(hit), LEAD_CHARACTERS)
    if hit.passage.kind == "heading":
        following = hit.reading.passages[hit.place + 1 : hit.place + 2]
        text = " — ".join([text, *(markdown.shortened(passage.text, 240) for passage in following)])
    return text


def footnote(hit: Hit) -> str:
    """What `lead` rests on, as the footnote that it refers to; empty where too little is quoted."""
    cells = ", ".join(filter(None, hit.passage.cells))
    quoted = cells if hit.passage.kind == "row" and cells else _led(hit)
    if not citations.long_enough(quoted):
        return ""
    return f"[^1]: “{markdown.quoted(quoted)}” — {markdown.place(hit.file, hit.label)}"


def _mark(hit: Hit) -> str:
    return "[^1]" if footnote(hit) else ""


def _self_contained(hit: Hit) -> str:
    """A passage, after the one before it where it only points back to what that says: "Such uploads are called …"."""
    before = hit.reading.passages[hit.place - 1] if hit.place else None
    if before is None or before.kind != "sentence" or before.block != hit.passage.block:
        return hit.passage.text
    text = f"{before.text} {hit.passage.text}"
    return text if _POINTS_BACK.match(hit.passage.text) and len(text) <= LEAD_CHARACTERS else hit.passage.text


def sources(hits: list[Hit]) -> list[str]:
    """The passages source by source, each followed by the link to where it stands."""
    parts: list[str] = []
    by_file: dict[str, list[Hit]] = {}
    for hit in hits:
        by_file.setdefault(hit.file.key, []).append(hit)
    shown: set[tuple[str, str]] = set()
    for group in by_file.values():
        for hit in group:
            if hit.passage.kind == "row" or (hit.file.key, hit.passage.text) in shown:
                continue
            # A long file is read twice, from the beginning and by words, so a passage may be there twice.
            around = passages.window(hit.reading.passages, hit.place)
            shown |= {(hit.file.key, hit.reading.passages[place].text) for place in around}
            parts += [quotation(hit, around), f"— {markdown.place(hit.file, hit.label)}"]
        rows = [hit for hit in group if hit.passage.kind == "row"]
        if rows:
            parts += [_rows(rows), f"— {markdown.place(rows[0].file, rows[0].label)}"]
    return parts


def quotation(hit: Hit, around: range | None = None) -> str:
    """A blockquote of a passage with its neighbours."""
    places = around or passages.window(hit.reading.passages, hit.place)
    return markdown.blockquote(passages.lines(hit.reading.passages, places))


def row_in_words(hit: Hit) -> str:
    """A row as `Marketing, 2026: 48,000` where the question names a column, or else all its cells."""
    columns, cells = hit.passage.columns, hit.passage.cells
    full = [at for at, (column, cell) in enumerate(zip(columns, cells, strict=False)) if at and column and cell]
    named = [at for at in full if _named(hit.asked, columns[at])]
    if not named or not cells[0]:
        return hit.passage.text
    shown = [at for at in full if at in named or _named(hit.asked, cells[at])]
    return ", ".join([cells[0], *(f"{columns[at]}: {cells[at]}" for at in shown)])


def said(hit: Hit) -> str:
    """A passage in words, whatever it is."""
    return row_in_words(hit) if hit.passage.kind == "row" else hit.passage.text


def _named(topics: tuple[Topic, ...], text: str) -> bool:
    return any(value == 1.0 for value in naming.likenesses(topics, text))


def _rows(hits: list[Hit]) -> str:
    columns = hits[0].passage.columns
    rows = [[markdown.cell(cell) for cell in hit.passage.cells] for hit in hits if hit.passage.columns == columns]
    return markdown.table([[markdown.cell(column) for column in columns] or [""] * len(rows[0]), *rows[:TABLE_ROWS]])
