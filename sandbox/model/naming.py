"""How well a passage, a title or the name of a file names the topics of a question."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from sandbox.model import words
from sandbox.model.passages import Passage
from sandbox.model.sources import File
from sandbox.model.topics import Topic

NAMES = 0.6
"""A likeness from which on a word is taken to be named."""
STATEMENT_WORDS = 6


def likenesses(topics: Sequence[Topic], text: str) -> tuple[float, ...]:
    """For each topic, how well a text names it: 0.0 to 1.0."""
    return _likenesses(tuple(topics), text, is_name=False)


def name_likenesses(topics: Sequence[Topic], name: str) -> tuple[float, ...]:
    """The same for the name of a file, whose parts count as words."""
    return _likenesses(tuple(topics), name, is_name=True)


@lru_cache(maxsize=30_000)
def _likenesses(topics: tuple[Topic, ...], text: str, *, is_name: bool) -> tuple[float, ...]:
    # Cached, because a step ranks the same passages several times, and every step of a turn starts afresh.
    stems = [word.stem for word in (words.split_name if is_name else words.split)(text)]
    distinct = set(stems)
    return tuple(_likeness(topic, stems, distinct) for topic in topics)


def name_score(topics: Sequence[Topic], name: str) -> float:
    """How well a file's name fits the topics; 0.0 where it does not."""
    return sum(topic.weight * value for topic, value in zip(topics, name_likenesses(topics, name), strict=True))


def whole(passage: Passage) -> str:
    return " ".join(passage.cells) if passage.kind == "row" else passage.text


def _likeness(topic: Topic, stems: list[str], distinct: set[str]) -> float:
    if topic.phrase:
        size = len(topic.phrase)
        return float(any(tuple(stems[at : at + size]) == topic.phrase for at in range(len(stems) - size + 1)))
    if topic.stem in distinct:
        return 1.0
    if topic.is_number:
        return 0.0
    if words.is_identifier(topic.stem):
        return _spelled_out(topic.stem, stems)
    return max((words.likeness(topic.stem, other) for other in distinct), default=0.0)


def _spelled_out(identifier: str, stems: list[str]) -> float:
    """Whether the parts of an identifier stand in a row: some PDFs show one with blanks where it is a title."""
    parts = [words.stem(part) for part in identifier.split("_") if part]
    size = len(parts)
    if size < 2:
        return 0.0
    return 1.0 * any(stems[at : at + size] == parts for at in range(len(stems) - size + 1))


def is_statement(topics: Sequence[Topic], heading: str) -> bool:
    """Whether a heading says something about the subject rather than naming it: "Page states stay in memory"."""
    spoken = words.split(heading)
    asked = [value for topic, value in zip(topics, likenesses(topics, heading), strict=True) if not topic.is_faint]
    return len(spoken) >= STATEMENT_WORDS and len(asked) > 1 and min(asked) >= NAMES


def said_above(topics: Sequence[Topic], file: File, passage: Passage) -> float:
    """The share of the topics that a passage names and its title or the name of its file names, too."""
    own = likenesses(topics, whole(passage))
    above = map(max, likenesses(topics, passage.heading), name_likenesses(topics, file.name))
    both = [topic.weight for topic, a, b in zip(topics, own, above, strict=True) if min(a, b) >= NAMES]
    return sum(both) / sum(topic.weight for topic in topics) if passage.kind != "row" else 0.0


def in_a_row(topics: Sequence[Topic], text: str) -> float:
    """The share of neighbouring topics that stand side by side in a text as well: "page states"."""
    stems = [word.stem for word in words.split(text)]
    pairs = {(first.stem, second.stem) for first, second in pairwise(topics) if not (first.phrase or second.phrase)}
    return len(pairs & set(pairwise(stems))) / len(pairs) if pairs else 0.0


def is_looked_up(topics: Sequence[Topic], row: Passage) -> bool:
    """Whether the topics name a row by its first cell, and one of its columns."""
    if not row.cells or not row.columns:
        return False
    said = words.split(row.cells[0])
    key = likenesses(topics, row.cells[0])
    if not said or sum(value >= NAMES for value in key) < len(said):
        return False
    others = [topic for topic, value in zip(topics, key, strict=True) if value < NAMES]
    columns = zip(row.columns[1:], row.cells[1:], strict=False)
    return bool(others) and any(cell and 1.0 in likenesses(others, column) for column, cell in columns)
