"""Which passage says what a term is: "A lease is …", "… are called uploads", or what stands right under its title."""

import re
from collections.abc import Callable, Sequence

from sandbox.model import words
from sandbox.model.passages import Passage
from sandbox.model.questions import Topic

Likenesses = Callable[[Sequence[Topic], str], tuple[float, ...]]

_SAYS_WHAT = re.compile(
    r"\b(?:is|are|was|were|means?|refers? to|stands? for|denotes?|describes?|contains?|has|have|heißt|ist|sind|bedeutet"
    r"|bezeichnet|beschreibt|creates?|returns?|gives?|makes?)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:is|are|was|were) (?:called|known as|named|termed|referred to as)\b|\b(?:nennt man|heißen|genannt)\b",
    re.IGNORECASE,
)
_ARTICLES = re.compile(r"^(?:an?|the|each|every|eine?[rn]?|der|die|das|jede[rs]?)\s+", re.IGNORECASE)
_INDEFINITE = re.compile(r"(?:an?|eine?)\s", re.IGNORECASE)
_EXPLAINED = re.compile(r"\w:\s+\w")
_METADATA = re.compile(r"(?:version|edition|date|datum|owner|written by|kept by|prepared by|stand)\b", re.IGNORECASE)
_PROSE = re.compile(r"[\"“„(]?[A-ZÄÖÜ][^\n]*[.:!)”\"]")
_LABELLED = re.compile(r"[\w ]{1,30}:\s")
_SUBJECT_CHARACTERS = 100
_LIKE = 0.8

DEFINES, BENEATH_TITLE, UNDER_TITLE, ELSEWHERE, EXPLAINED = 1.5, 1.45, 1.15, 0.8, 2.4
"""The factors of a sentence that says what the term is, of the first one under its title, of the others there, of
any other passage, and of a title that explains itself after a colon, which else counts little."""


def factor(topics: Sequence[Topic], passages: Sequence[Passage], place: int, likenesses: Likenesses) -> float:
    """How much more or less a passage is worth to somebody who asks what a term is.

    Args:
        topics: The words of the term.
        passages: All passages of the content.
        place: Which of them it is.
        likenesses: How well a text names each topic.
    """
    passage = passages[place]
    if passage.kind == "sentence" and _defines(topics, passage.text, likenesses):
        return DEFINES
    if passage.kind == "heading" and _EXPLAINED.search(passage.text):
        return EXPLAINED if is_title_of(topics, passage.text, likenesses) else ELSEWHERE
    if passage.kind != "sentence":
        return ELSEWHERE
    if not is_title_of(topics, passage.heading, likenesses):
        return _opening(topics, passages, place, likenesses)
    if not is_prose(passage.text):
        return 0.9
    first = place
    while first and passages[first - 1].kind == "sentence" and passages[first - 1].heading == passage.heading:
        first -= 1
    return UNDER_TITLE if any(is_prose(before.text) for before in passages[first:place]) else BENEATH_TITLE


def _opening(topics: Sequence[Topic], passages: Sequence[Passage], place: int, likenesses: Likenesses) -> float:
    """The factor of the first sentence of a text about the term: it often says what that is ("A dry cider from …")."""
    title = next((passage.text for passage in passages[:place] if passage.kind == "heading"), "")
    if not is_title_of(topics, title, likenesses) or not is_prose(passages[place].text):
        return ELSEWHERE
    if any(is_prose(before.text) for before in passages[:place] if before.kind == "sentence"):
        return ELSEWHERE
    return DEFINES if _INDEFINITE.match(passages[place].text) else UNDER_TITLE


def is_title_of(topics: Sequence[Topic], title: str, likenesses: Likenesses) -> bool:
    """Whether a title names the whole term, and little else."""
    known = likenesses(topics, title)
    told = [word for word in words.split(title) if not words.is_stopword(word) and not word.is_number]
    size = sum(len(re.findall(r"[^\W_]+", topic.text)) for topic in topics)
    return bool(title) and min(known) >= _LIKE and len(told) <= size + 2


def is_prose(text: str) -> bool:
    """Whether a text is a sentence, and not a signature, a parameter or a caption."""
    return (
        bool(_PROSE.fullmatch(text)) and len(text.split()) >= 4 and not (_LABELLED.match(text) or _METADATA.match(text))
    )


def _defines(topics: Sequence[Topic], text: str, likenesses: Likenesses) -> bool:
    named = _NAMED.search(text)
    if named and min(likenesses(topics, text[named.end() : named.end() + _SUBJECT_CHARACTERS])) >= _LIKE:
        return True
    says = _SAYS_WHAT.search(text)
    if says is None or says.start() > _SUBJECT_CHARACTERS:
        return False
    subject = _ARTICLES.sub("", re.sub(r"\([^)]*\)", "", text[: says.start()]).strip())
    told = [word for word in words.split(subject) if not words.is_stopword(word)]
    return bool(told) and min(likenesses(topics, subject)) >= _LIKE and len(told) <= len(topics) + 1
