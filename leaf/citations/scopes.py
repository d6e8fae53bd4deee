"""Compares the scope of two statements: their years, periods, things and people."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from leaf.citations.fact_words import is_head, is_paper, synonym_group
from leaf.citations.facts import ABOUT, Fact, contrast, words_of
from leaf.citations.subquestions import is_in
from leaf.documents.terms import fold

if TYPE_CHECKING:
    from leaf.citations.compared_files import File

_PART = re.compile(
    r"\b(?:of which|of this|thereof|davon|hiervon|darin|dont|de los cuales|de ellos|di cui)\b[^.,;]{0,25}\Z",
    re.IGNORECASE,
)
"""Words before a quantity that is a part of another one."""
_PART_OF = re.compile(
    r"\W{1,2}(?:of (?:the|its|our|this|these|all)|von (?:den|dem|der|diesen|insgesamt))\b", re.IGNORECASE
)
_CHANGE = re.compile(
    r"\b(?:by|um|(?:augment|dépass|excéd|diminu|rédui|baiss|major|relev)\w{1,6} de"
    r"|(?:aument|super|exced|redu[cj]|disminu|rebaj|increment)\w{1,6} en"
    r"|(?:aument|super|ecced|rid[ou]|diminui|increment)\w{1,6} di)\s+\Z",
    re.IGNORECASE,
)
"""Words before a quantity by which something changes: `rises by`, `um`, `dépassé de`."""
_TOTAL = re.compile(r"\b(?:total|sum|overall|altogether|summe|gesamt\w*|insgesamt|totale|somme|suma)\b", re.IGNORECASE)
_FOR = re.compile(
    r"\b(?:for|für|pour|para|with|mit|avec|con)\s+(?:(?:the|our|die|das|den|der|dem|les?|las?|los|el|gli|il|i)\s+)?"
    r"([^\W\d_]{4,30})",
    re.IGNORECASE,
)
"""The group of people or things for which an amount is valid: `for children`, `mit Balkon`."""
_HEAD = re.compile(
    r"\A(?:(?:in|at|on|for|im|am|in|an|beim|zum|zur|auf|en|a|al|à|dans|pour|nel|alla|per)\s+)?"
    r"(?:(?:the|der|die|das|dem|den|les?|las?|los|el|il|gli|lo|i)\s+|l['’]|am\s+|im\s+|beim\s+|all['’])([^\W\d_]{4,30})",
    re.IGNORECASE,
)
"""The noun with which a statement begins."""


def _is_part(fact: Fact) -> bool:
    """Whether the words before or after a quantity say that it is a part of another one."""
    before, _, behind = fact.sentence.partition(fact.value)
    return _PART.search(before) is not None or (fact.kind != "percent" and _PART_OF.match(behind) is not None)


def _is_change(fact: Fact) -> bool:
    """Whether the words before a quantity say that something changes by it."""
    before = ABOUT.sub(" ", fact.sentence.partition(fact.value)[0])
    return fact.kind != "date" and _CHANGE.search(before) is not None


def same(a: Fact, b: Fact, one: "File", other: "File") -> bool:
    """Whether nothing in two sentences says that they are about different years, periods, things or names."""
    # A model that both papers are about, such as the Titan 40, need not be named again.
    titled = one.numbered & other.numbered
    if a.years != b.years or a.numbered - titled != b.numbered - titled or contrast(a, b):
        return False
    if a.periods and b.periods and not a.periods & b.periods:
        return False
    roles = {(_is_part(fact), _is_change(fact)) for fact in (a, b)}
    if len(roles) > 1 or _is_of_another(a, b, other) or _is_of_another(b, a, one):
        return False
    totals = {bool(_TOTAL.search(fact.sentence)) for fact in (a, b)}
    if len(totals) > 1 and words_of(one.head) != words_of(other.head):
        return False
    if a.names and b.names and not a.names & b.names:
        return False
    missing = ((fact.names - against.names, file) for fact, against, file in ((a, b, other), (b, a, one)))
    return all(file.names(fold(name)[:7]) for names, file in missing for name in names)


def _is_of_another(fact: Fact, against: Fact, file: "File") -> bool:
    """Whether a fact limits its value to something that neither the other fact nor the other file names."""
    others = against.words | file.opening
    named = {word for one in _FOR.finditer(fact.sentence.replace(fact.value, " \0 ")) for word in words_of(one[1])}
    return any(not is_in(word, others) and not is_paper(word) and not is_head(word) for word in named)


def is_about_another(fact: Fact, against: Fact, file: "File", asked: Collection[str]) -> bool:
    """Whether a fact's sentence begins with a thing that neither the other fact, nor the other file, nor the question
    names.
    """
    head = _HEAD.match(fact.sentence)
    own = file.opening | frozenset(asked)
    others = {*map(synonym_group, against.words | own)} | own
    return head is not None and any(
        not is_in(synonym_group(word), others) and not is_in(word, others) and not is_paper(word) and not is_head(word)
        for word in words_of(head[1])
    )
