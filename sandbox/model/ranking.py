"""Which passages answer a question: an overlap of words, weighed by how rare they are and by where they stand."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sandbox.model import definitions, expected, naming, passages, words
from sandbox.model.questions import Topic, Wanted
from sandbox.model.sources import File, Reading

GOOD = 0.6
"""A passage with at least this score is taken for an answer."""
WEAK = 0.34
"""Below this a passage is not about the question."""

_ABOUT_AS_GOOD, _ADDS = 0.85, 0.6
"""The share of the best score that another quotation needs: on its own merit, or because it names what is missing."""

_HEADING_WEIGHT, _PATH_WEIGHT, _COLUMN_WEIGHT, _NAME_WEIGHT = 0.7, 0.55, 0.85, 0.4
_NEIGHBOUR_WEIGHT, _PLACE_WEIGHT, _SCOPE_WEIGHT = 0.35, 0.2, 0.85
_FOCUS_BONUS, _ABOUT_BONUS = 0.15, 0.3
_IN_A_ROW_BONUS = 0.5
_STATEMENT, _TITLE, _REMARK = 1.0, 0.55, 0.85
_OUTNAMED = 0.8
"""The factor of a file whose name says less of what is asked than that of another one."""
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
        (reading, [naming.likenesses(topics, naming.whole(passage)) for passage in reading.passages])
        for reading in readings
    ]
    weights = _weights(topics, [own for _, table in by_reading for own in table])
    named_by_best = max(
        (sum(value >= naming.NAMES for value in scope(topics, reading.file.name)) for reading, _ in by_reading),
        default=0,
    )
    hits: list[Hit] = []
    for reading, table in by_reading:
        name = scope(topics, reading.file.name)
        rival = _OUTNAMED if named_by_best > max(2, sum(value >= naming.NAMES for value in name)) else 1.0
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


def scope(topics: Sequence[Topic], name: str) -> tuple[float, ...]:
    """How much of each topic the name of a file takes care of: two or more of its words say where to look."""
    known = naming.name_likenesses(topics, name)
    says_where = sum(value >= naming.NAMES for value in known) >= 2
    return tuple(_SCOPE_WEIGHT if says_where and value >= naming.NAMES else _NAME_WEIGHT * value for value in known)


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
    heading = _scaled(naming.likenesses(topics, passage.heading), _HEADING_WEIGHT)
    found = tuple(
        map(max, heading, _scaled(naming.likenesses(topics, f"{passage.path} {passage.label}"), _PATH_WEIGHT))
    )
    if passage.kind == "row":
        return tuple(map(max, found, _scaled(naming.likenesses(topics, " ".join(passage.columns)), _COLUMN_WEIGHT)))
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
    factor *= _form(topics, wanted, reading, passage)
    if expected.is_furniture(passage, wanted):
        factor *= 0.35
    if any(value < _PATH_WEIGHT for topic, value in zip(topics, known, strict=True) if words.is_identifier(topic.stem)):
        factor *= 0.5
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
        told = definitions.factor(term, reading.passages, place, naming.likenesses)
        factor *= told if wanted == "definition" else max(1.0, told)
    is_counted = any(word.text.casefold() in words.NUMBER_WORDS for word in words.split(text))
    return factor * expected.factor(wanted, passage, is_counted or bool(numbers - asked))


def _form(topics: Sequence[Topic], wanted: Wanted, reading: Reading, passage: passages.Passage) -> float:
    """A factor for how a passage names the topics: as a title, in a row, or in a sentence about little else."""
    # A date, a sum or a name that is asked for stands beside the subject at best.
    factor = 1 + _IN_A_ROW_BONUS * naming.in_a_row(topics, passage.text) if wanted in {"any", "place"} else 1.0
    if wanted not in {"definition", "page"}:
        factor *= 1 + _ABOUT_BONUS * naming.said_above(topics, reading.file, passage)
    if passage.kind == "heading":
        # A title that states something says that, and not why.
        tells = wanted not in {"cause", "definition", "page"} and naming.is_statement(topics, passage.text)
        return factor * (_STATEMENT if tells else _TITLE)
    if passage.kind == "row":
        key = f"{' '.join(passage.columns)} {passage.cells[0] if passage.cells else ''}"
        # What a row says is about its key, and about its columns.
        factor *= (1.15 if wanted == "amount" else 1.0) if any(naming.likenesses(topics, key)) else _REMARK
        return factor * (1.75 if naming.is_looked_up(topics, passage) else 1.0)
    # Of two sentences that name the same, the one that says little else is about it.
    named = sum(value >= naming.NAMES for value in naming.likenesses(topics, passage.text))
    said = sum(not words.is_stopword(word) for word in words.split(passage.text))
    return factor * (1 + _FOCUS_BONUS * named / max(1, said))
