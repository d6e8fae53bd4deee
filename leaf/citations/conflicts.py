"""Finds facts that current sources state differently. Pure; slow, so callers use a thread.

Two facts are in conflict if they have the same kind, subject and attribute, if they differ by more than rounding, and
if neither file is an earlier version of the other. Precision matters more than recall. Files are not compared if their
titles name different things. Sentences are not compared if they name different years, periods, numbered things or
names. A conflict is reported only if the answer quotes or states one of its sides, or if the question asks for it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import product
from typing import Any, Final

from leaf.citations import scopes
from leaf.citations.compared_files import File, is_german
from leaf.citations.fact_words import is_of_taxes, is_paper, is_short, synonym_group
from leaf.citations.facts import Fact, Stated, names_of, pairs_of_names, values, words_of
from leaf.citations.subquestions import is_in
from leaf.citations.tokens import words
from leaf.documents.terms import fold
from leaf.parts import Part
from leaf.parts.objects import objects_in

CONFLICTS = "data-conflicts"
MOST: Final = 5
"""The maximum number of conflicts that one answer shows."""
MOST_FILES: Final = 16
"""The maximum number of files that are compared with one another."""
_TEXTS: Final = ("file_id", "name", "url", "part", "quote", "value", "date")


def stored(message_parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The conflicts of a stored answer, each with `about` and its `sides`.

    A side has `file_id`, `name`, `url`, `part`, `quote`, `value`, `date` (of the file's last change, as ISO 8601, or
    empty), and whether it is the `newer` one.
    """
    return read(next((one.get("data") for one in reversed(message_parts) if one["type"] == CONFLICTS), None))


def read(data: Any) -> list[dict[str, Any]]:
    """The conflicts with at least two sides in the data of a part."""
    made = [{"about": str(one.get("about") or ""), "sides": _sides(one.get("sides"))} for one in objects_in(data)]
    return [one for one in made if len(one["sides"]) > 1]


def _sides(data: Any) -> list[dict[str, Any]]:
    return [
        {key: str(one.get(key) or "") for key in _TEXTS} | {"newer": one.get("newer") is True}
        for one in objects_in(data)
    ]


def files_of(data: Any) -> set[str]:
    """The ids of the files whose text occurs in the conflicts."""
    return {side["file_id"] for one in read(data) for side in one["sides"] if side["file_id"]}


def without(data: Any, files: Mapping[str, str]) -> list[dict[str, Any]]:
    """Returns the conflicts that have no side in any of the files, so that nobody learns that such a file disagrees."""
    return [one for one in read(data) if files.keys().isdisjoint(side["file_id"] for side in one["sides"])]


def day_of(text: str) -> date | None:
    """The day of a date or time in ISO 8601; None for other texts."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


_MOST_OF_A_KIND: Final = 24
"""The maximum number of facts of one kind that are compared in one file."""
_ROUNDING: Final = Decimal("0.01")


def found(
    question: str, texts: Iterable[str], quotes: Sequence[tuple[str, str]], files: Sequence[File]
) -> list[dict[str, Any]]:
    """The conflicts that an answer shows, as data of its part.

    Args:
        question: The question.
        texts: The texts of the answer.
        quotes: The file's id and the words of each verified quote.
        files: The files from which the model received passages.
    """
    current = _current(files)[:MOST_FILES]
    basis = _Basis(question, " ".join(texts), quotes)
    named = pairs_of_names(question)
    # If a file is about whom the question names, two files about somebody else say nothing about the answer.
    is_named = any(file.subject & named for file in current)
    others = [is_named and bool(file.subject) and not file.subject & named for file in current]
    kinds = [{fact.kind for fact in file.facts if basis.has(file, fact, alike=True)} for file in current]
    groups: list[dict[str, tuple[File, Fact]]] = []
    for at, one in enumerate(current):
        for to, other in enumerate(current[at + 1 :], at + 1):
            relevant = kinds[at] | kinds[to]
            if not relevant or (others[at] and others[to]) or not _comparable(one, other, basis):
                continue
            alike = _alike(one, other)
            for mine, theirs in _pairs(one, other, relevant, basis.question_words):
                if basis.has(one, mine, alike=alike) or basis.has(other, theirs, alike=alike):
                    _grouped(groups, (one, mine), (other, theirs))
    return [_conflict([*group.values()]) for group in groups[:MOST]]


def _grouped(groups: list[dict[str, tuple[File, Fact]]], *pair: tuple[File, Fact]) -> None:
    """Adds a pair to the group that shares one of its facts, so that three files that disagree make one conflict."""
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


_WORDS_OF_SUBJECT = re.compile(r"[^\W\d_]{4,}|\d{4}")


def _about(fact: Fact, shared: Collection[str]) -> str:
    """Returns the words of a sentence that all sides share, and its years, in at most 80 characters."""
    distinct = _WORDS_OF_SUBJECT.findall(fact.sentence.replace(fact.value, " "))
    shown = " ".join(dict.fromkeys(one for one in distinct if one in fact.years or is_in(fold(one)[:7], shared)))[:80]
    return shown[:1].upper() + shown[1:]


class _Basis:
    """The question, values and quotes on which an answer rests."""

    def __init__(self, question: str, answer: str, quotes: Sequence[tuple[str, str]]) -> None:
        self.question_words = words_of(question)
        named = names_of(question, nouns=is_german(question))
        self.names = frozenset(one for one in named if not is_short(fold(one)))
        self.may_miss = max(len(self.names) // 3, int(is_german(question) and len(self.names) > 1))
        """The number of the question's names that may be missing in a file about the same thing."""
        named = frozenset(fold(name)[:7] for name in self.names)
        self._asked = frozenset(word for word in self.question_words if word not in named)
        self._stated = values(answer)
        self._quotes = [(file, words(quote)) for file, quote in quotes]

    def has(self, file: File, fact: Fact, *, alike: bool) -> bool:
        """Whether the answer quotes a fact, or states its value, or the question clearly asks for it.

        Args:
            file: The file.
            fact: A fact that the file states.
            alike: Whether the titles of this file and of the other side's file are alike.
        """
        own = [quote for cited, quote in self._quotes if cited == file.id]
        sentence, value = words(fact.sentence), words(fact.value)
        if any(value in quote and (quote in sentence or _share(sentence, quote) >= _LEAST_SHARE) for quote in own):
            return True
        asked = sum(is_in(word, self._asked) for word in fact.words - file.title)
        is_stated = any((fact.kind, one) in self._stated for one in fact.readings)
        # Counts occur in every paper, so the question has to name the counted noun.
        is_named = fact.kind[0] != "#" or _is_counted(fact.kind, self._asked)
        return (asked > 1 and alike and is_named) or (is_stated and (bool(own) or asked > 0))


_LEAST_SHARE: Final = 0.6


def _share(sentence: str, quote: str) -> float:
    """The share of a sentence's words that a quote contains, from 0 to 1."""
    own, quoted = sentence.split(), frozenset(quote.split())
    return sum(word in quoted for word in own) / len(own) if own else 0.0


def _current(files: Sequence[File]) -> list[File]:
    """The files without those of which a later version is among them."""
    return [one for one in files if not any(other.version > one.version and _alike(other, one) for other in files)]


def _alike(one: File, other: File) -> bool:
    """Whether all title words of one file are in the title of the other. Such files count as papers of one kind about
    the same thing.
    """
    return bool(one.title) and (one.title <= other.title or other.title <= one.title)


def _comparable(one: File, other: File, basis: _Basis) -> bool:
    """Whether two files may be about the same subject."""
    is_of_two_periods = one.days and other.days and one.days != other.days and _alike(one, other)
    # Files of a series, such as the budgets of two years, are about different things.
    if is_of_two_periods or _are_of_series(one, other):
        return False
    if one.codes and other.codes and not one.codes & other.codes:
        return False
    for file in (one, other):
        # In German, a noun before a name, such as "Firma", looks like a name. `may_miss` allows for it.
        if sum(not file.names(fold(name)[:7]) for name in basis.names) > basis.may_miss:
            return False
    if one.subject and other.subject and not one.subject & other.subject and not _are_named(one, other, basis):
        return False
    if one.subject & other.subject:
        # The other words of their titles only say what kind of paper they are.
        return True
    mine = [word for word in one.title if not is_in(word, other.opening) and not is_paper(word)]
    theirs = [word for word in other.title if not is_in(word, one.opening) and not is_paper(word)]
    return not mine or not theirs


def _is_counted(kind: str, asked: Collection[str]) -> bool:
    """Whether the words contain the counted noun of a kind such as `#boxes`, or a synonym."""
    return is_in(kind[1:], {*map(synonym_group, asked), *asked})


def _are_named(one: File, other: File, basis: _Basis) -> bool:
    """Whether the subjects of both files contain the same name from the question, as in `Statuto Nettuno` and
    `Circolare Nettuno`.
    """
    mine, theirs = ({word for name in file.subject for word in name.split()} for file in (one, other))
    return any(name in mine and name in theirs for name in basis.names)


def _are_of_series(one: File, other: File) -> bool:
    """Whether two papers of one kind name different things, such as a contract about gas and a contract about power."""
    shared = {word for word in one.tokens & other.tokens if is_paper(word[:7])}
    return bool(shared) and bool(_named_alone(one, other)) and bool(_named_alone(other, one))


def _named_alone(file: File, other: File) -> list[str]:
    """The words of a file's name that are missing in the title and first lines of the other file. Numbers count only if
    the other file's name has a number too.
    """
    has_number = any(word.isdigit() for word in other.tokens)
    return [
        word
        for word in file.tokens - other.tokens
        if not is_paper(word[:7]) and (has_number if word.isdigit() else not is_in(word[:7], other.opening))
    ]


def _pairs(
    one: File, other: File, relevant: Collection[str], question_words: Collection[str]
) -> Iterator[tuple[Fact, Fact]]:  # fmt: skip
    """Yields pairs of facts of `relevant` kinds in which two files state the same thing differently."""
    kinds = {fact.kind for fact in one.facts} & {fact.kind for fact in other.facts} & {*relevant}
    if not _alike(one, other):
        # Counts occur in every paper. In different papers they are compared only if the question names the counted
        # noun.
        kinds = {kind for kind in kinds if kind[0] != "#" or _is_counted(kind, question_words)}
    for kind in sorted(kinds):
        for a, b in _best_matches(kind, one, other, question_words):
            is_about_another = any(
                scopes.is_about_another(fact, against, file, question_words)
                for fact, against, file in ((a, b, other), (b, a, one))
            )
            if not is_about_another and differ(a, b) and scopes.same(a, b, one, other):
                yield a, b


def _best_matches(
    kind: str, one: File, other: File, question_words: Collection[str]
) -> Iterator[tuple[Fact, Fact]]:  # fmt: skip
    """Yields pairs of facts of a kind, the most alike first. Each fact is the best match of the other, and neither file
    has a fact with the value of the other's.
    """
    mine, theirs = ([fact for fact in file.facts if fact.kind == kind][:_MOST_OF_A_KIND] for file in (one, other))
    used = {id(fact) for fact in mine if _is_agreed(fact, theirs)}
    used |= {id(fact) for fact in theirs if _is_agreed(fact, mine)}
    are_whole_and_alike = one.whole and other.whole and _alike(one, other)
    scored = [(_likeness(a, b, one, other, question_words), a, b) for a, b in product(mine, theirs)]
    for score, a, b in sorted(scored, key=lambda entry: -entry[0]):
        if used & {id(a), id(b)}:
            continue
        only = are_whole_and_alike and _is_only(a, b, mine, theirs, used)
        if score >= (_LEAST_LIKENESS_ALONE if only else _LEAST_LIKENESS):
            used |= {id(a), id(b)}
            yield a, b


def _is_agreed(fact: Fact, others: Sequence[Fact]) -> bool:
    """Whether one of the other facts may have the same value."""
    return any(set(fact.readings) & set(other.readings) for other in others)


_LEAST_LIKENESS: Final = 1.0
_LEAST_LIKENESS_ALONE: Final = 0.5


def _is_only(a: Fact, b: Fact, mine: Sequence[Fact], theirs: Sequence[Fact], used: Collection[int]) -> bool:
    """Whether two facts are the only ones of their kind that are left in their files."""
    if a.is_label or b.is_label:
        return False
    return all(
        [fact for fact in several if not fact.is_label and id(fact) not in used] == [own]
        for own, several in ((a, mine), (b, theirs))
    )


def _occurs_in(word: str, others: Collection[str]) -> bool:
    """Whether the others contain the word, another form of it, or a synonym."""
    return is_in(word, others) or synonym_group(word) in map(synonym_group, others)


def _likeness(a: Fact, b: Fact, one: File, other: File, question_words: Collection[str]) -> float:
    """The share of the words that two sentences have in common. It grows by 0.5 for a second shared word, and by 0.5
    for a shared word of the question. At 1.0 or more, the sentences are about the same attribute.
    """
    titles = one.title | other.title
    if not _alike(one, other):
        titles |= {word for word in a.words | b.words if is_of_taxes(word) and word not in question_words}
    # The counted noun counts as a word of both sentences if the question names it.
    counted = {a.kind[1:]} if a.kind[0] == "#" and _is_counted(a.kind, question_words) else set[str]()
    named = {word for word in a.words & b.words if is_in(word, question_words)}
    mine, theirs = ({word for word in fact.words if not is_in(word, titles)} | counted | named for fact in (a, b))
    if a.is_label != b.is_label and a.kind == "date":
        return 0.0
    if not mine or not theirs:
        # One of the sentences has no words beyond those of the titles.
        return 0.0 if a.is_label or b.is_label else _LEAST_LIKENESS_ALONE
    shared = [word for word in mine if _occurs_in(word, theirs)]
    part = len(shared) / min(len(mine), len(theirs))
    asked = any(_occurs_in(word, question_words) for word in shared)
    return part + (0.5 if len(shared) > 1 else 0.0) + (0.5 if asked else 0.0)


def differ(a: Fact | Stated, b: Fact | Stated) -> bool:
    """Whether two values of one kind differ by more than rounding, and by more than the varying lengths of months and
    years.
    """
    return not any(_equal(x, y, a, b) for x in a.readings for y in b.readings)


def _equal(x: Decimal, y: Decimal, a: Fact | Stated, b: Fact | Stated) -> bool:
    if a.kind == "date" or a.kind.startswith("person ") or x == y:
        return x == y
    most = max(abs(x), abs(y))
    # Months and years vary in length.
    tolerance = Decimal("0.03") if a.kind == "days" else Decimal(0)
    if a.is_approximate or b.is_approximate:
        tolerance = Decimal("0.1")
    if abs(x - y) <= most * tolerance:
        return True
    return abs(x - y) <= most * _ROUNDING and (_is_rounded(x, y) or _is_rounded(y, x))


def _is_rounded(x: Decimal, y: Decimal) -> bool:
    """Whether the first value is the second one, rounded to fewer digits."""
    exponent = x.normalize().as_tuple().exponent
    if not isinstance(exponent, int) or abs(y) >= 10**20:
        return False
    return y.quantize(Decimal(1).scaleb(exponent)) == x
