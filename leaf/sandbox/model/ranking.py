"""Which passages answer a question: an overlap of words, weighed by how rare they are and by where they stand."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from leaf.sandbox.model import definitions, expected, passages, words
from leaf.sandbox.model.questions import Topic, Wanted
from leaf.sandbox.model.sources import File, Reading

GOOD = 0.6
"""A passage with at least this score is taken for an answer."""
WEAK = 0.34
"""Below this a passage is not about the question."""

_ABOUT_AS_GOOD, _ADDS = 0.85, 0.6
"""The share of the best score that another quotation needs: on its own merit, or because it names what is missing."""

_HEADING_WEIGHT, _PATH_WEIGHT, _COLUMN_WEIGHT, _NAME_WEIGHT = 0.7, 0.55, 0.85, 0.4
_NEIGHBOUR_WEIGHT, _PLACE_WEIGHT, _SCOPE_WEIGHT = 0.35, 0.2, 0.85
_FOCUS_BONUS = 0.15
_OUTNAMED = 0.8
"""The factor of a file whose name says less of what is asked than that of another one."""
_NAMES = 0.6
"""A likeness from which on a word is taken to be named."""
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True)
class Hit:
    """A passage that speaks of the question."""

    reading: Reading
    place: int
    score: float
    matched: frozenset[str]
    """The stems of the topics that it names, itself or by its heading or columns."""
    asked: tuple[Topic, ...]
    """All topics that were looked for."""
    wanted: Wanted

    @property
    def passage(self) -> passages.Passage:
        return self.reading.passages[self.place]

    @property
    def file(self) -> File:
        return self.reading.file

    @property
    def label(self) -> str:
        """Where it stands within the file, such as `page 3`, or nothing."""
        part = self.reading.part
        return self.passage.label or ("" if part.lower() in {"all", ""} else part)

    @property
    def on_page(self) -> bool:
        """Whether its place is a page or slide."""
        return expected.is_page(self.label)


def rank(topics: Sequence[Topic], wanted: Wanted, readings: Iterable[Reading]) -> list[Hit]:
    """The passages that name at least one topic, the best first."""
    if not topics:
        return []
    by_reading = [
        (reading, [likenesses(topics, _whole(passage)) for passage in reading.passages]) for reading in readings
    ]
    weights = _weights(topics, [own for _, table in by_reading for own in table])
    named_by_best = max(
        (sum(value >= _NAMES for value in scope(topics, reading.file.name)) for reading, _ in by_reading), default=0
    )
    hits: list[Hit] = []
    for reading, table in by_reading:
        name = scope(topics, reading.file.name)
        rival = _OUTNAMED if named_by_best > max(2, sum(value >= _NAMES for value in name)) else 1.0
        places = _by_place(reading, table, len(topics))
        for place, own in enumerate(table):
            around = _context(topics, reading, table, place)
            # A sentence under a heading that names the subject may not name it again, nor in a file of that name.
            above = max(around) >= _HEADING_WEIGHT or (wanted == "definition" and max(name) >= _SCOPE_WEIGHT)
            if any(own) or (above and reading.passages[place].kind == "sentence"):
                wide = tuple(_PLACE_WEIGHT * value for value in places[reading.passages[place].label])
                known = [max(values) for values in zip(own, around, name, wide, strict=True)]
                score = sum(weight * value for weight, value in zip(weights, known, strict=True)) / sum(weights)
                score *= rival * _fitness(topics, wanted, reading, place, known)
                matched = frozenset(topic.stem for topic, value in zip(topics, known, strict=True) if value >= 0.5)
                hits.append(Hit(reading, place, score, matched, tuple(topics), wanted))
    # Sorting is stable, so of two equal passages the one that stands first is quoted.
    return sorted(hits, key=lambda hit: -hit.score)


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


def scope(topics: Sequence[Topic], name: str) -> tuple[float, ...]:
    """How much of each topic the name of a file takes care of: two or more of its words say where to look."""
    known = name_likenesses(topics, name)
    says_where = sum(value >= _NAMES for value in known) >= 2
    return tuple(_SCOPE_WEIGHT if says_where and value >= _NAMES else _NAME_WEIGHT * value for value in known)


def choose(hits: list[Hit], limit: int = 4) -> list[Hit]:
    """The passages to quote: the best one, those about as good, and those that speak of what is still missing."""
    chosen: list[Hit] = []
    covered: set[str] = set()
    seen: set[str] = set()
    for hit in hits:
        text = " ".join(word.stem for word in words.split(hit.passage.text))
        if chosen and (hit.passage.kind == "heading" or expected.is_furniture(hit.passage, hit.wanted)):
            continue
        near = any(
            other.reading is hit.reading
            and other.passage.block == hit.passage.block
            and abs(other.place - hit.place) <= 2
            for other in chosen
            if hit.passage.kind != "row"
        )
        if text in seen or (near and hit.matched <= covered):
            continue
        best = hits[0].score
        if hit.score >= _ABOUT_AS_GOOD * best or (hit.score >= _ADDS * best and not hit.matched <= covered):
            chosen.append(hit)
            covered |= hit.matched
            seen.add(text)
        if len(chosen) == limit:
            break
    return chosen


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


def _whole(passage: passages.Passage) -> str:
    return " ".join(passage.cells) if passage.kind == "row" else passage.text


def _weights(topics: Sequence[Topic], table: list[tuple[float, ...]]) -> list[float]:
    """Each topic's weight, higher where few passages name it: those words tell passages apart."""
    weights: list[float] = []
    for number, topic in enumerate(topics):
        count = sum(1 for own in table if own[number] >= 0.6)
        rarity = 1.0 if count == 0 else 0.5 + math.log((len(table) + 1) / count) / math.log(len(table) + 2)
        weights.append(topic.weight * rarity)
    return weights


def _scaled(values: tuple[float, ...], factor: float) -> tuple[float, ...]:
    return tuple(factor * value for value in values)


def _by_place(reading: Reading, table: list[tuple[float, ...]], count: int) -> dict[str, tuple[float, ...]]:
    """For each page or sheet, how well any passage on it names each topic."""
    found: dict[str, tuple[float, ...]] = {}
    for passage, own in zip(reading.passages, table, strict=True):
        known = found.get(passage.label, (0.0,) * count)
        found[passage.label] = tuple(map(max, known, own))
    return found


def _context(
    topics: Sequence[Topic], reading: Reading, table: list[tuple[float, ...]], place: int
) -> tuple[float, ...]:
    """How well a passage's surroundings name each topic: heading, columns, label, and its neighbours."""
    passage = reading.passages[place]
    heading = _scaled(likenesses(topics, passage.heading), _HEADING_WEIGHT)
    found = tuple(map(max, heading, _scaled(likenesses(topics, f"{passage.path} {passage.label}"), _PATH_WEIGHT)))
    if passage.kind == "row":
        return tuple(map(max, found, _scaled(likenesses(topics, " ".join(passage.columns)), _COLUMN_WEIGHT)))
    for near in (place - 1, place + 1):
        if 0 <= near < len(table) and reading.passages[near].block == passage.block:
            found = tuple(map(max, found, _scaled(table[near], _NEIGHBOUR_WEIGHT)))
    return found


def _fitness(topics: Sequence[Topic], wanted: Wanted, reading: Reading, place: int, known: Sequence[float]) -> float:
    """A factor for the kind of passage: whether it holds what is asked for, and not another year's number."""
    passage = reading.passages[place]
    text = passage.text
    # Half of a question answered is worth less than half: whatever names all of it comes first.
    named = sum(topic.weight for topic, value in zip(topics, known, strict=True) if value >= _NAME_WEIGHT)
    factor = 0.4 + 0.6 * named / sum(topic.weight for topic in topics)
    if passage.kind == "heading":
        factor *= 0.55
    if passage.kind == "row":
        factor *= (1.15 if wanted == "amount" else 1.0) * (1.75 if _is_looked_up(topics, passage) else 1.0)
    if expected.is_furniture(passage, wanted):
        factor *= 0.35
    if any(value < _PATH_WEIGHT for topic, value in zip(topics, known, strict=True) if words.is_identifier(topic.stem)):
        factor *= 0.5
    if passage.kind == "sentence":
        # Of two sentences that name the same, the one that says little else is about it.
        named = sum(value >= _NAMES for value in likenesses(topics, text))
        factor *= 1 + _FOCUS_BONUS * named / max(1, sum(not words.is_stopword(word) for word in words.split(text)))
    if text.endswith("?"):
        factor *= 0.3
    said = [topic for topic, value in zip(topics, known, strict=True) if value >= _PATH_WEIGHT]
    if said and all(topic.is_number or expected.DATE.match(topic.text) for topic in said) and len(said) < len(topics):
        # A date alone is no answer to a question that has a subject.
        factor *= 0.7
    asked = {topic.stem for topic in topics if topic.is_number}
    numbers = {word.stem for word in words.split(text) if word.is_number}
    missing = any(topic.is_number and value < _NAME_WEIGHT for topic, value in zip(topics, known, strict=True))
    if missing and any(_YEAR.fullmatch(number) for number in numbers - asked):
        factor *= 0.6
    if wanted in {"definition", "page"}:
        named = scope(topics, reading.file.name)
        term = [topic for topic, value in zip(topics, named, strict=True) if value < _SCOPE_WEIGHT] or topics
        told = definitions.factor(term, reading.passages, place, likenesses)
        factor *= told if wanted == "definition" else max(1.0, told)
    return factor * expected.factor(wanted, passage, bool(numbers - asked))


def _is_looked_up(topics: Sequence[Topic], row: passages.Passage) -> bool:
    """Whether the topics name a row by its first cell, and one of its columns."""
    if not row.cells or not row.columns:
        return False
    said = words.split(row.cells[0])
    key = likenesses(topics, row.cells[0])
    if not said or sum(value >= _NAMES for value in key) < len(said):
        return False
    others = [topic for topic, value in zip(topics, key, strict=True) if value < _NAMES]
    columns = zip(row.columns[1:], row.cells[1:], strict=False)
    return bool(others) and any(cell and 1.0 in likenesses(others, column) for column, cell in columns)
