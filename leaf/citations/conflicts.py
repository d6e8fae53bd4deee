"""Current sources that state a fact differently, found by the program. Pure; slow, so callers use a thread.

Two facts disagree if they are of the same kind and differ by more than rounding, are about the same subject and
attribute, and neither file is an earlier version of the other one. Precision comes first: files whose titles name
different things, and sentences with other years, periods, numbered things or names, are not compared. A conflict is
reported only if the answer rests on one of its sides: it quotes or states it, or the question asks for it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from leaf.citations import dates, scopes
from leaf.citations.facts import (
    Fact,
    Stated,
    facts,
    is_of_taxes,
    is_paper,
    is_short,
    names_of,
    numbered,
    pairs_of_names,
    same,
    values,
    words_of,
)  # fmt: skip
from leaf.citations.quote_search import Passage
from leaf.citations.subquestions import is_in, stems
from leaf.citations.tokens import words
from leaf.documents.terms import fold
from leaf.parts import Part

CONFLICTS = "data-conflicts"
MOST: Final = 5
"""Conflicts that one answer shows."""
MOST_FILES: Final = 16
"""Files that are compared with one another."""
_TEXTS: Final = ("file_id", "name", "url", "part", "quote", "value", "date")


def stored(message_parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The conflicts that a stored answer has, each with `about` and its `sides`.

    A side has `file_id`, `name`, `url`, `part`, `quote`, `value`, `date` (of the file's last change, as ISO 8601, or
    empty), and whether it is the `newer` one.
    """
    return read(next((one.get("data") for one in reversed(message_parts) if one["type"] == CONFLICTS), None))


def read(data: Any) -> list[dict[str, Any]]:
    """The conflicts in the data of a part."""
    found = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    made = [{"about": str(one.get("about") or ""), "sides": _sides(one.get("sides"))} for one in found]
    return [one for one in made if len(one["sides"]) > 1]


def _sides(data: Any) -> list[dict[str, Any]]:
    sides = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    return [{key: str(one.get(key) or "") for key in _TEXTS} | {"newer": one.get("newer") is True} for one in sides]


def files_of(data: Any) -> set[str]:
    """The ids of the files whose text conflicts hold."""
    return {side["file_id"] for one in read(data) for side in one["sides"] if side["file_id"]}


def without(data: Any, files: Mapping[str, str]) -> list[dict[str, Any]]:
    """The conflicts without those that rest on one of some files: nobody learns that such a file disagrees."""
    return [one for one in read(data) if files.keys().isdisjoint(side["file_id"] for side in one["sides"])]


def day_of(text: str) -> date | None:
    """The day of a moment in ISO 8601; None for other texts."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


@dataclass(frozen=True)
class File:
    """A file of which the answer was given passages."""

    id: str
    name: str
    url: str
    modified: str
    """The time of its last change, in ISO 8601; empty if it is not known."""
    passages: Sequence[Passage]
    """The whole text of the file if that is known, else the passages that the model had."""
    whole: bool = False

    @cached_property
    def head(self) -> str:
        """The first line of its text; of an e-mail its subject."""
        text = self._begin[:1_000]
        subject = _SUBJECT.search(text)
        return (subject[1] if subject else text.strip().partition("\n")[0])[:200]

    @property
    def _begin(self) -> str:
        """The begin of its text, without the name of the place above it: `[picture 1, read by OCR]`."""
        return _PLACE.sub("", self.passages[0].text[:2_000]) if self.passages else ""

    @cached_property
    def is_german(self) -> bool:
        """Whether its nouns are capitalised."""
        return _is_german(" ".join(one.text[:2_000] for one in self.passages[:4]))

    @cached_property
    def facts(self) -> list[Fact]:
        """The facts that it states."""
        return facts(self.passages, nouns=self.is_german)

    @cached_property
    def title(self) -> frozenset[str]:
        """The stems of its name and its first line, without versions, days and numbers."""
        text = f"{_ENDING.sub('', self.name)} {self.head}"
        return frozenset(one for one in words_of(_DATED.sub(" ", _VERSION.sub(" ", text))))

    @cached_property
    def tokens(self) -> frozenset[str]:
        """The words and numbers of its name, without versions and days."""
        text = _DATED.sub(" ", _VERSION.sub(" ", _ENDING.sub("", self.name)))
        return frozenset(fold(one) for one in re.findall(r"[^\W_]+", text))

    @cached_property
    def subject(self) -> frozenset[str]:
        """The names in its name and its first line, or else in its first lines: those of people who have a role in it
        are what it states, and not what it is about.
        """
        named, opening = f"{_ENDING.sub('', self.name)} | {self.head}", self._opening
        if found := pairs_of_names(named):
            return found
        for fact in self.facts:
            opening = opening.replace(fact.value, "|")
        return pairs_of_names(opening.replace("\n", " | "))

    @cached_property
    def _opening(self) -> str:
        """The first lines of its text."""
        lines = self._begin[:_OPENING].splitlines()
        return "\n".join(" ".join(line.split()) for line in lines)

    @cached_property
    def opening(self) -> frozenset[str]:
        """The stems of its title and its first lines."""
        return self.title | words_of(self._opening)

    @cached_property
    def version(self) -> int:
        """The number of its version: -1 for a draft, 0 without one."""
        text = f"{_ENDING.sub('', self.name)} {self.head}"
        if _DRAFT.search(text):
            return -1
        return max((int(one[1]) for one in _VERSION.finditer(text) if one[1]), default=0)

    @cached_property
    def days(self) -> frozenset[str]:
        """The days, years and long numbers in its name, or else in its first line."""
        name = _ENDING.sub("", self.name)
        return frozenset(_DATED.findall(name)) or frozenset(_LONG_NUMBER.findall(self.head)) | dates.named(self.head)

    @cached_property
    def codes(self) -> frozenset[str]:
        """The names of models and the like in its name and its first line."""
        return frozenset(_CODE.findall(f"{_ENDING.sub('', self.name)} {self.head}"))

    @cached_property
    def numbered(self) -> frozenset[tuple[str, str]]:
        """The things with a number or a letter in its name and its first line."""
        return numbered(f"{_ENDING.sub('', self.name)} | {self.head}")

    def names(self, word: str) -> bool:
        """Whether the title or text contains the stem of a word, or another form of the word."""
        return word in self._vocabulary or (len(word) > 4 and word[: max(4, len(word) - 2)] in self._vocabulary)

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        """The stems of the words at the beginning of its text, and the beginnings of these stems."""
        found, left = set(self.title), _VOCABULARY_CHARACTERS
        for passage in self.passages:
            found |= stems(passage.text[: max(0, left)])
            left -= len(passage.text)
        return frozenset(word[:end] for word in found for end in range(min(4, len(word)), len(word) + 1))


_GERMAN = re.compile(
    r"\b(?:der|die|das|und|ist|sind|wird|werden|nicht|mit|von|für|auf|eine|dem|den|im|bei|wie|welche\w?|sich)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:the|and|is|of|for|what|how|le|la|les|et|est|des|quel\w*|el|los|del|en|il|di|che|una?)\b", re.IGNORECASE
)


def _is_german(text: str) -> bool:
    """Whether nouns of a text are capitalised, or may be."""
    return len(_GERMAN.findall(text)) >= len(_OTHERS.findall(text))


_SUBJECT = re.compile(r"^(?:Subject|Betreff|Objet|Asunto|Oggetto):[ \t]*(\S[^\n]*)", re.MULTILINE)
_PLACE = re.compile(r"\A\s*\[[^\]\n]{1,200}\][ \t]*\n")
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
_VERSION = re.compile(
    r"(?<![^\W_])(?:v|ver|version|versión|versione|rev|revision|fassung|edition)[ ._-]?(\d{1,3})(?!\w)", re.IGNORECASE
)
_DRAFT = re.compile(r"(?<![^\W_])(?:draft|entwurf|brouillon|borrador|bozza|obsolete|veraltet)(?![^\W_])", re.IGNORECASE)
_DATED = re.compile(r"\b(?:19|20)\d\d(?:[-_.]\d{1,2}(?:[-_.]\d{1,2})?)?\b")
_LONG_NUMBER = re.compile(r"(?<![\w.,/-])\d{3,}(?![\w.,/-])")
_CODE = re.compile(r"(?<![^\W_])[A-Z]{1,4}-?\d{1,5}(?![^\W_])")
"""The name of a model, a room or a case."""
_OPENING: Final = 400
_VOCABULARY_CHARACTERS: Final = 100_000
_MOST_OF_A_KIND: Final = 24
"""Facts of one kind in one file that are compared."""
_ROUNDING: Final = Decimal("0.01")


def found(
    question: str, texts: Iterable[str], quotes: Sequence[tuple[str, str]], files: Sequence[File]
) -> list[dict[str, Any]]:
    """The conflicts that an answer shows, as data of its part.

    Args:
        question: What was asked.
        texts: The texts of the answer.
        quotes: The file's id and the words of each verified quote.
        files: The files of which it was given passages.
    """
    current = _current(files)[:MOST_FILES]
    rests = _Rests(question, " ".join(texts), quotes)
    kinds = [{fact.kind for fact in file.facts if rests.has(file, fact, alike=True)} for file in current]
    groups: list[dict[str, tuple[File, Fact]]] = []
    for at, one in enumerate(current):
        for to, other in enumerate(current[at + 1 :], at + 1):
            relevant = kinds[at] | kinds[to]
            if not relevant or not _comparable(one, other, rests):
                continue
            alike = _alike(one, other)
            for mine, theirs in _pairs(one, other, relevant, rests.telling):
                if rests.has(one, mine, alike=alike) or rests.has(other, theirs, alike=alike):
                    _grouped(groups, (one, mine), (other, theirs))
    return [_conflict([*group.values()]) for group in groups[:MOST]]


def _grouped(groups: list[dict[str, tuple[File, Fact]]], *pair: tuple[File, Fact]) -> None:
    """Puts a pair with those that share one of its facts: of three files that disagree one conflict is shown."""
    group = next((one for one in groups if any(one.get(file.id, (None, None))[1] is fact for file, fact in pair)), None)
    if group is None:
        group = {}
        groups.append(group)
    for file, fact in pair:
        group.setdefault(file.id, (file, fact))


def _conflict(sides: Sequence[tuple[File, Fact]]) -> dict[str, Any]:
    ordered = sorted(sides, key=lambda side: side[0].modified)
    days = [day_of(file.modified) for file, _ in ordered]
    has_newest = None not in days and days.count(max(day for day in days if day is not None)) == 1
    shared = frozenset.intersection(*(fact.words for _, fact in ordered))
    return {
        "about": _about(ordered[0][1], shared),
        "sides": [
            {
                "file_id": file.id, "name": file.name, "url": file.url, "value": fact.value, "quote": fact.sentence,
                "part": "" if fact.place == "all" else fact.place, "date": file.modified,
                "newer": has_newest and at == len(ordered) - 1,
            }
            for at, (file, fact) in enumerate(ordered)
        ],
    }  # fmt: skip


_TOLD = re.compile(r"[^\W\d_]{4,}|\d{4}")


def _about(fact: Fact, shared: Collection[str]) -> str:
    """The words and years of a sentence that the other sides of the conflict also have."""
    distinct = _TOLD.findall(fact.sentence.replace(fact.value, " "))
    shown = " ".join(dict.fromkeys(one for one in distinct if one in fact.years or is_in(fold(one)[:7], shared)))[:80]
    return shown[:1].upper() + shown[1:]


class _Rests:
    """The sources on which an answer rests."""

    def __init__(self, question: str, answer: str, quotes: Sequence[tuple[str, str]]) -> None:
        self.telling = words_of(question)
        """The words of the question."""
        named = names_of(question, nouns=_is_german(question))
        self.names = frozenset(one for one in named if not is_short(fold(one)))
        self.may_miss = max(len(self.names) // 3, int(_is_german(question) and len(self.names) > 1))
        """The number of these names that a file about the same thing may not have."""
        named = frozenset(fold(name)[:7] for name in self.names)
        self._asked = frozenset(word for word in self.telling if word not in named)
        self._stated = values(answer)
        self._quotes = [(file, words(quote)) for file, quote in quotes]

    def has(self, file: File, fact: Fact, *, alike: bool) -> bool:
        """Whether the answer quotes a fact, or states its value, or the question clearly asks for it.

        Args:
            file: The file.
            fact: What it states.
            alike: Whether the file that states something else is of the same kind.
        """
        own = [quote for cited, quote in self._quotes if cited == file.id]
        sentence, value = words(fact.sentence), words(fact.value)
        if any(value in quote and (quote in sentence or _share(sentence, quote) >= _QUOTED) for quote in own):
            return True
        asked = sum(is_in(word, self._asked) for word in fact.words - file.title)
        is_stated = any((fact.kind, one) in self._stated for one in fact.readings)
        # Things are counted everywhere: the question has to name them.
        is_named = fact.kind[0] != "#" or _is_counted(fact.kind, self._asked)
        return (asked > 1 and alike and is_named) or (is_stated and (bool(own) or asked > 0))


_QUOTED: Final = 0.6


def _share(sentence: str, quote: str) -> float:
    """The share of the words of a sentence that a quote has."""
    own, quoted = sentence.split(), frozenset(quote.split())
    return sum(word in quoted for word in own) / len(own) if own else 0.0


def _current(files: Sequence[File]) -> list[File]:
    """The files without those of which another one is a later version."""
    return [one for one in files if not any(_is_later(other, one) for other in files if other is not one)]


def _is_later(one: File, other: File) -> bool:
    return one.version > other.version and _alike(one, other)


def _alike(one: File, other: File) -> bool:
    """Whether two files are of the same kind about the same thing, as far as their titles tell."""
    return bool(one.title) and (one.title <= other.title or other.title <= one.title)


def _comparable(one: File, other: File, rests: "_Rests") -> bool:
    """Whether two files may be about the same subject."""
    if one.days and other.days and one.days != other.days and _alike(one, other):
        # Files of a series, such as the budgets of two years.
        return False
    if one.codes and other.codes and not one.codes & other.codes:
        return False
    for file in (one, other):
        # German names have a noun before them, such as "Firma".
        if sum(not file.names(fold(name)[:7]) for name in rests.names) > rests.may_miss:
            return False
    if one.subject and other.subject and not one.subject & other.subject and not _are_named(one, other, rests):
        return False
    if _are_of_a_series(one, other) or one.subject & other.subject:
        # The other words of their titles say what papers they are.
        return not _are_of_a_series(one, other)
    mine = [word for word in one.title if not is_in(word, other.opening) and not is_paper(word)]
    theirs = [word for word in other.title if not is_in(word, one.opening) and not is_paper(word)]
    return not mine or not theirs


def _is_counted(kind: str, asked: Collection[str]) -> bool:
    """Whether words name what is counted, or something that is the same."""
    return is_in(kind[1:], {*map(same, asked), *asked})


def _are_named(one: File, other: File, rests: "_Rests") -> bool:
    """Whether the names in both titles have a word that the question names: `Statuto Nettuno`, `Circolare Nettuno`."""
    mine, theirs = ({word for name in file.subject for word in name.split()} for file in (one, other))
    return any(name in mine and name in theirs for name in rests.names)


def _are_of_a_series(one: File, other: File) -> bool:
    """Whether two papers of one kind each name something else: the contract about gas, and the one about power."""
    shared = {word for word in one.tokens & other.tokens if is_paper(word[:7])}
    return bool(shared) and bool(_named_alone(one, other)) and bool(_named_alone(other, one))


def _named_alone(file: File, other: File) -> list[str]:
    """The words of a file's name that another file is not about: nor a number, where that has none in its name."""
    has_number = any(word.isdigit() for word in other.tokens)
    return [
        word
        for word in file.tokens - other.tokens
        if not is_paper(word[:7]) and (has_number if word.isdigit() else not is_in(word[:7], other.opening))
    ]


def _pairs(
    one: File, other: File, relevant: Collection[str], telling: Collection[str]
) -> Iterator[tuple[Fact, Fact]]:  # fmt: skip
    """The facts of two files that state the same thing differently: each is the other's best match.

    Args:
        one: A file.
        other: Another one about the same subject.
        relevant: The kinds of facts on which the answer rests.
        telling: The words of the question.
    """
    kinds = {fact.kind for fact in one.facts} & {fact.kind for fact in other.facts} & {*relevant}
    if not _alike(one, other):
        # Things that are counted are everywhere: in different papers they have to be asked for.
        kinds = {kind for kind in kinds if kind[0] != "#" or _is_counted(kind, telling)}
    for kind in sorted(kinds):
        mine, theirs = ([fact for fact in file.facts if fact.kind == kind][:_MOST_OF_A_KIND] for file in (one, other))
        places = [(at, to) for at in range(len(mine)) for to in range(len(theirs))]
        likenesses = [(_likeness(mine[at], theirs[to], one, other, telling), -at, -to) for at, to in places]
        scored = [(score, mine[-at], theirs[-to]) for score, at, to in sorted(likenesses, reverse=True)]
        used = {id(fact) for a, b in ((mine, theirs), (theirs, mine)) for fact in a if _is_agreed(fact, b)}
        for score, a, b in scored:
            if id(a) in used or id(b) in used:
                continue
            only = _is_only(a, b, mine, theirs, used) and one.whole and other.whole and _alike(one, other)
            if score < (_ENOUGH_ALONE if only else _ENOUGH):
                continue
            used |= {id(a), id(b)}
            others = ((a, b, other), (b, a, one))
            if any(scopes.is_about_another(*each, telling) for each in others):
                continue
            if differ(a, b) and scopes.same(a, b, one, other):
                yield a, b


def _is_agreed(fact: Fact, others: Sequence[Fact]) -> bool:
    """Whether the other file has the same value."""
    return any(set(fact.readings) & set(other.readings) for other in others)


_ENOUGH: Final = 1.0
_ENOUGH_ALONE: Final = 0.5


def _is_only(a: Fact, b: Fact, mine: Sequence[Fact], theirs: Sequence[Fact], used: Collection[int]) -> bool:
    """Whether two facts are the only ones of their kind that are left in their files."""
    return (
        not a.is_label
        and not b.is_label
        and all(
            [fact for fact in several if not fact.is_label and id(fact) not in used] == [own]
            for own, several in ((a, mine), (b, theirs))
        )
    )


def _is_said(word: str, others: Collection[str]) -> bool:
    """Whether one of the words is the same, another form of it, or one of the same meaning."""
    return is_in(word, others) or same(word) in map(same, others)


def _likeness(a: Fact, b: Fact, one: File, other: File, telling: Collection[str]) -> float:
    """The share that two sentences have in common: 1.0 or more if they speak of the same attribute."""
    titles = one.title | other.title
    if not _alike(one, other):
        titles |= {word for word in a.words | b.words if is_of_taxes(word) and word not in telling}
    # What is counted is a word of both, if it is asked for.
    counted = {a.kind[1:]} if a.kind[0] == "#" and _is_counted(a.kind, telling) else set[str]()
    named = {word for word in a.words & b.words if is_in(word, telling)}
    mine, theirs = ({word for word in fact.words if not is_in(word, titles)} | counted | named for fact in (a, b))
    if a.is_label != b.is_label and a.kind == "date":
        return 0.0
    if not mine or not theirs:
        # They say nothing that the titles do not say.
        return 0.0 if a.is_label or b.is_label else _ENOUGH_ALONE
    shared = [word for word in mine if _is_said(word, theirs)]
    part = len(shared) / min(len(mine), len(theirs))
    asked = any(_is_said(word, telling) for word in shared)
    return part + (0.5 if len(shared) > 1 else 0.0) + (0.5 if asked else 0.0)


def differ(a: Fact | Stated, b: Fact | Stated) -> bool:
    """Whether two values of a kind differ by more than rounding and the sizes of months and years."""
    return not any(_equal(x, y, a, b) for x in a.readings for y in b.readings)


def _equal(x: Decimal, y: Decimal, a: Fact | Stated, b: Fact | Stated) -> bool:
    if a.kind == "date" or a.kind.startswith("person ") or x == y:
        return x == y
    most = max(abs(x), abs(y))
    tolerance = Decimal("0.1") if a.about or b.about else Decimal("0.03") if a.kind == "days" else Decimal(0)
    if abs(x - y) <= most * tolerance:
        return True
    return abs(x - y) <= most * _ROUNDING and (_is_rounded(x, y) or _is_rounded(y, x))


def _is_rounded(x: Decimal, y: Decimal) -> bool:
    """Whether one value is the other one with fewer digits."""
    exponent = x.normalize().as_tuple().exponent
    return isinstance(exponent, int) and y.quantize(Decimal(1).scaleb(exponent)) == x if abs(y) < 10**20 else False
