"""Two sides next to each other: rows that two tables have in common, or the best passage of each side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from sandbox.model import markdown, naming, questions, quoting, ranking
from sandbox.model.passages import Passage
from sandbox.model.questions import Question, Topic
from sandbox.model.ranking import Hit
from sandbox.model.sources import File, Reading

MIN_COMMON_ROWS = 2
MAX_COMMON_ROWS = 20
MAX_FILES = 4


@dataclass(frozen=True)
class _Table:
    """The rows of one table, by their first cell."""

    reading: Reading
    label: str
    columns: tuple[str, ...]
    rows: dict[str, Passage]


def compared(question: Question, topics: tuple[Topic, ...], readings: Sequence[Reading]) -> list[str]:
    """A comparison as parts of an answer; empty where the question compares nothing, or nothing can be compared."""
    if not question.compares:
        return []
    tables = _common_rows(question, topics, readings)
    if tables:
        return tables
    columns = _columns(question, topics, readings)
    if not any(hit for _, hit in columns):
        return []
    return _side_by_side(question, columns)


def _common_rows(question: Question, topics: tuple[Topic, ...], readings: Sequence[Reading]) -> list[str]:
    best: tuple[int, _Table, _Table] | None = None
    for left, right in _pairs(question, topics, readings):
        common = len(left.rows.keys() & right.rows.keys())
        if common >= MIN_COMMON_ROWS and (best is None or common > best[0]):
            best = (common, left, right)
    return _rows_side_by_side(question, best[1], best[2]) if best else []


def _pairs(question: Question, topics: tuple[Topic, ...], readings: Sequence[Reading]) -> list[tuple[_Table, _Table]]:
    """The tables to look at: of the files that the two sides name, or of those that were linked."""
    if question.sides:
        named = [[reading for reading in readings if _names_file(side, reading.file)] for side in question.side_names]
        found = product(named[0], named[1])
    else:
        found = combinations(readings, 2) if not topics else iter(())
    return [
        (left, right)
        for first, second in found
        if first.file.key != second.file.key
        for left, right in product(_tables(first), _tables(second))
    ]


def _names_file(side: str, file: File) -> bool:
    topics = questions.topics_of(side)
    return bool(topics) and min(naming.name_likenesses(topics, file.name)) >= 0.6


def _tables(reading: Reading) -> list[_Table]:
    found: dict[int, _Table] = {}
    for passage in reading.passages:
        if passage.kind == "row" and len(passage.columns) > 1 and len(passage.cells) > 1 and passage.cells[0]:
            table = found.setdefault(passage.block, _Table(reading, passage.label, passage.columns, {}))
            table.rows.setdefault(passage.cells[0].casefold(), passage)
    return list(found.values())


def _rows_side_by_side(question: Question, left: _Table, right: _Table) -> list[str]:
    asked = question.topics
    places = (_column(left, asked), _column(right, asked))
    head = [markdown.cell(left.columns[0]), *(
        f"{markdown.cell(table.reading.file.name)}: {markdown.cell(table.columns[at])}"
        for table, at in zip((left, right), places, strict=True)
    )]  # fmt: skip
    common = [key for key in left.rows if key in right.rows][:MAX_COMMON_ROWS]
    rows = [
        [markdown.cell(left.rows[key].cells[0]), _cell(left.rows[key], places[0]), _cell(right.rows[key], places[1])]
        for key in common
    ]
    first, second = (markdown.link(table.reading.file) for table in (left, right))
    parts = [f"{first} and {second} have {len(common)} rows in common:", markdown.table([head, *rows])]
    parts += [f"— {markdown.place(table.reading.file, table.label)}" for table in (left, right)]
    return parts


def _column(table: _Table, topics: tuple[Topic, ...]) -> int:
    """The column that the question names, or else the last one, where totals stand."""
    scores = [(naming.name_score(topics, column), at) for at, column in enumerate(table.columns) if at]
    return max(scores)[1]


def _cell(row: Passage, at: int) -> str:
    return markdown.cell(row.cells[at]) if at < len(row.cells) else ""


def _columns(
    question: Question, topics: tuple[Topic, ...], readings: Sequence[Reading]
) -> list[tuple[str, Hit | None]]:
    """The sides, each with its best passage."""
    if question.sides:
        named = zip(question.side_names, question.sides, strict=True)
        return [(markdown.cell(name), _best(side, question, readings)) for name, side in named]
    files = list({reading.file.key: reading.file for reading in readings}.values())[:MAX_FILES]
    if len(files) < 2 or not topics:
        return []
    return [
        (markdown.link(file), _best(topics, question, [each for each in readings if each.file.key == file.key]))
        for file in files
    ]


def _best(topics: tuple[Topic, ...], question: Question, readings: Sequence[Reading]) -> Hit | None:
    hits = ranking.rank(topics, question.wanted, readings)
    return hits[0] if hits and hits[0].score >= ranking.WEAK else None


def _side_by_side(question: Question, columns: list[tuple[str, Hit | None]]) -> list[str]:
    def row(title: str, draw: Callable[[Hit], str]) -> list[str]:
        return [title, *(draw(hit) if hit else "nothing found" for _, hit in columns)]

    named = " and ".join(f"“{name}”" for name in question.side_names) or "this"
    head = ["", *(name for name, _ in columns)]
    says = row("Says", lambda hit: markdown.cell(quoting.said(hit)))
    source = row("Source", lambda hit: markdown.place(hit.file, hit.label).replace("|", "\\|"))
    parts = [f"Here is what your files say about {markdown.quoted(named)}, side by side:"]
    parts.append(markdown.table([head, says, source]))
    shown = {(hit.file.key, hit.reading.part, hit.place): hit for _, hit in columns if hit}
    return parts + quoting.sources(list(shown.values()))
