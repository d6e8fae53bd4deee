"""What a question is about: its words and phrases, each with a weight."""

import re
from dataclasses import dataclass

from sandbox.model import words
from sandbox.model.words import Word

QUOTED = re.compile(r"[\"“„«»]([^\"“”„«»]{2,80})[\"“”«»]")
_ASKING = frozenset("which what how whose welche welcher welches welchem welchen wie".split())  # noqa: SIM905 - short
_FAINT, _NOUN = 0.4, 0.8


@dataclass(frozen=True)
class Topic:
    """One thing that is looked for: a word, or a quoted phrase."""

    text: str
    stem: str
    weight: float
    is_number: bool = False
    phrase: tuple[str, ...] = ()
    is_faint: bool = False
    """Whether it is a word such as `keep` or `take`, which a file may well put in another way."""


def topics_of(text: str) -> tuple[Topic, ...]:
    """The words and phrases of the subject, each once, in order; numbers and names weigh more."""
    found: dict[str, Topic] = {}
    for phrase in QUOTED.findall(text):
        stems = tuple(word.stem for word in words.split(phrase))
        if len(stems) > 1:
            found[" ".join(stems)] = Topic(phrase.strip(), " ".join(stems), 3.0, phrase=stems)
    rest = QUOTED.sub(lambda match: match[0] if len(words.split(match[1])) < 2 else " ", text)
    spoken = words.split(rest)
    subjects = _nouns(spoken) if found else _subjects(spoken)
    for place, word in enumerate(spoken):
        if place not in subjects:
            continue
        topic = Topic(word.text, word.stem, _weight(word, place), word.is_number, is_faint=words.is_faint(word))
        known = found.get(word.stem)
        if known is None or known.weight < topic.weight:
            found[word.stem] = topic
    return tuple(found.values())


def strong(topics: tuple[Topic, ...]) -> tuple[Topic, ...]:
    """The topics that a file about the subject is sure to name; all of them where that leaves fewer than two."""
    kept = tuple(topic for topic in topics if not topic.is_faint)
    return kept if len(kept) > 1 else topics


def _nouns(spoken: list[Word]) -> set[int]:
    return {place for place, word in enumerate(spoken) if not words.is_stopword(word) and not words.is_meta(word)}


def _subjects(spoken: list[Word]) -> set[int]:
    """The places of the words of the subject: a word such as `page` or `state` counts where little else is named, and
    it stands beside another one, as in `page states`.
    """
    told = _nouns(spoken)
    if not told or sum(not words.is_faint(spoken[place]) for place in told) > 1:
        return told
    nouns = {place for place, word in enumerate(spoken) if words.is_noun(word)}
    beside = {place for place in nouns if {place - 1, place + 1} & (nouns | told)}
    return told | {place for place in beside if not place or spoken[place - 1].text.casefold() not in _ASKING}


def _weight(word: Word, place: int) -> float:
    if words.is_identifier(word.stem):
        return 2.0
    if words.is_faint(word):
        return _FAINT
    if words.is_meta(word):
        return _NOUN
    # The first word of a sentence has its capital from the place where it stands.
    return 1.6 if word.is_number else 1.5 if word.is_name and place > 0 else 1.0
