"""What a user asks: links, words of the subject, and the kind of question."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from sandbox.model import links, words
from sandbox.model.links import Link
from sandbox.model.topics import Topic, strong, topics_of

__all__ = ["Question", "Topic", "Wanted", "read", "topics_of"]

Wanted = Literal["person", "time", "amount", "page", "cause", "place", "definition", "any"]

MAX_QUERY_CHARACTERS = 120
MAX_FIND_CHARACTERS = 300
MAX_CHAIN = 5
"""How many earlier questions a follow-up question may go on with."""
_READ_CHARACTERS = 4000
"""How much of a message is taken for the question; what is pasted after it is not taken apart."""

_COMPARED_CHARACTERS = 600
"""The same for the two sides of a comparison, whose patterns take quadratic time."""

_WHOLE_DRIVE = re.compile(
    r"\b(?:my|the|this|meine?[mnr]?|diese[mnr]?|im|in) (?:google )?drive\b"
    r"|\b(?:my|meine) (?:\w+ )?(?:files|documents|folders|dateien|dokumente|ordner)\b"
    r"|\b(?:files|documents|folders)\b.*\b(?:i have|there)\b|\b(?:dateien|dokumente|ordner)\b.*\b(?:ich|es)\b"
    r"|\b(?:files|documents|folders)\b.*\bdo i have\b",
    re.IGNORECASE,
)

_SMALLTALK = frozenset(
    """
    hello hi hey hallo moin servus good morning evening afternoon day guten tag morgen abend thanks thank you
    danke schön vielen dank very much so a lot ok okay great cool nice super perfect bye goodbye tschüss cheers
    there how are doing wie geht es dir test testing ping yes no please dear leaf again everyone
    for that the your help it this was you've been helpful very
    """.split()  # noqa: SIM905 - quoted one by one they would fill a page
)
_GREETING = frozenset(
    """
    hello hi hey hallo moin servus good guten thanks thank danke dank ok okay great cool nice super perfect bye
    goodbye tschüss cheers how test testing ping
    """.split()  # noqa: SIM905 - as above
)
"""One of these must be among the words of a greeting."""
_WHO_ARE_YOU = re.compile(
    r"^\W*(?:hi|hello|hey|hallo)?\W*(?:who|what) are you\b(?! \w+ \w+ \w+)|\bwhat can you do\b|\bwhat do you do\b|"
    r"\bwhich model are you\b|\bare you (?:an? )?(?:ai|bot|model|real)\b|^\W*help\W*$|"
    r"\bwer bist du\b|\bwas kannst du\b",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:who|whom|whose|wer|wem|wen|wessen)\b", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:when(?! should (?:i|we|you|one)\b)|what date|which day|deadline|due|since|until|wann|bis wann|datum)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?:how (?:much|many|long|high|big|large|often)|budgets?|costs?|prices?|amount|total|revenue|salary|rent|fee|"
    r"number of|percent\w*|wie (?:viel\w*|hoch|lange|oft|gro(?:ß|ss))|kosten|kostet|preis|miete|umsatz)\b",
    re.IGNORECASE,
)
_PAGE = re.compile(r"\b(?:which|what) (?:page|slide|sheet)s?\b|\b(?:welche\w*) (?:seite|folie|blatt)\b", re.IGNORECASE)
_DEFINITION = re.compile(
    r"^\W*(?:(?:and|so|und|please|can you|tell me)\W+)*"
    r"(?:what(?:['’]s|\s+(?:is|are|was|were|does|do))\b|define\b|explain\b|describe\b|meaning of\b|definition of\b"
    r"|was\s+(?:ist|sind|bedeutet|heißt|macht|tut)\b|wofür steht\b|erkläre?\b)|\bstands? for\b",
    re.IGNORECASE,
)
_DEFINED_WORDS = 4
"""A longer subject is not a term that something defines."""
_PLACE = re.compile(r"\b(?:where|wo|wohin)\b", re.IGNORECASE)
_CAUSE = re.compile(r"\b(?:why|caus\w+|reasons?|warum|weshalb|wieso|ursachen?|grund|gründe)\b", re.IGNORECASE)
_GOES_ON = re.compile(
    r"^\W*(?:and|und|also|then|what about|how about|was ist mit|wie sieht es mit|same for|now)\b", re.IGNORECASE
)
_POINTS_BACK = re.compile(
    r"\b(?:its?|(?:that|this|the same|the other) one|the same|those|they|them|there|these|davon|darin|dort|"
    r"(?:this|that|the) (?:file|folder|document|spreadsheet|presentation|list))\b",
    re.IGNORECASE,
)
_NOUN = r"(?:\s+(?:one|file|document|doc|sheet|spreadsheet|presentation|link|result|datei|dokument)\b|\W*$)"
_ORDINALS = tuple(
    (re.compile(rf"\b(?:the|der|die|das|den)\s+(?:{word}){_NOUN}", re.IGNORECASE), place)
    for word, place in (
        (r"first|erste\w?", 0),
        (r"second|zweite\w?", 1),
        (r"third|dritte\w?", 2),
        (r"fourth|vierte\w?", 3),
        (r"fifth|fünfte\w?", 4),
        (r"last|letzte\w?", -1),
    )
)
_SUMMARY = re.compile(
    r"\b(?:summar\w+|gist|tl;?dr|key points|main points|zusammenfass\w*|fasse?\b.*\bzusammen)\b", re.IGNORECASE
)
_KINDS: tuple[tuple[Wanted, re.Pattern[str]], ...] = (
    ("page", _PAGE), ("cause", _CAUSE), ("person", _PERSON), ("time", _TIME), ("amount", _AMOUNT), ("place", _PLACE),
)  # fmt: skip
_COMPARES = re.compile(r"\b(?:compar\w+|differ\w*|versus|vs|vergleich\w*|unterschied\w*)\b", re.IGNORECASE)
_COMPARE = (
    re.compile(r"\bcompar\w+ (?P<a>.+?)\s+(?:with|to|against|and|vs\.?|versus) (?P<b>.+)", re.IGNORECASE | re.DOTALL),
    re.compile(
        r"\bdifferences? (?:is there )?between (?P<a>.+?) and (?P<b>.+)|\bdiffer\w* (?P<c>.+?) from (?P<d>.+)",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(r"\bvergleich\w* (?P<a>.+?)\s+(?:mit|und) (?P<b>.+)", re.IGNORECASE | re.DOTALL),
    re.compile(r"\bunterschiede? zwischen (?P<a>.+?) und (?P<b>.+)", re.IGNORECASE | re.DOTALL),
    re.compile(r"(?P<a>[^.?!]+?)\s+(?:vs\.?|versus)\s+(?P<b>.+)", re.IGNORECASE | re.DOTALL),
)


@dataclass(frozen=True)
class Question:
    """A question, taken apart."""

    text: str
    """The text without its links."""
    links: tuple[Link, ...]
    topics: tuple[Topic, ...]
    wanted: Wanted
    smalltalk: Literal["", "greeting", "identity"]
    follows_up: bool
    ordinal: int | None
    summary: bool
    compares: bool
    sides: tuple[tuple[Topic, ...], ...]
    """The topics of each side of a comparison; empty where nothing is compared."""
    side_names: tuple[str, ...]

    @property
    def is_overview(self) -> bool:
        """Whether it only asks what is there: "What is in this folder?"."""
        return not self.topics and not self.summary

    @property
    def is_about_everything(self) -> bool:
        """Whether it asks what there is at all: "What is in my Drive?", "Which files do I have?"."""
        return self.is_overview and not self.links and bool(_WHOLE_DRIVE.search(self.text))


def read(text: str) -> Question:
    """Takes a question apart. Never fails, whatever the text."""
    pasted = tuple(dict.fromkeys(links.found_in(text)))
    plain = links.URL.sub(" ", text).strip()[:_READ_CHARACTERS]
    sides, side_names = _sides(plain)
    topics = topics_of(plain)
    ordinal = next((place for pattern, place in _ORDINALS if pattern.search(plain)), None)
    goes_on = bool(_GOES_ON.search(plain)) or ordinal is not None
    return Question(
        text=plain,
        links=pasted,
        topics=topics,
        wanted=_wanted(plain, topics),
        smalltalk="" if pasted else _smalltalk(plain),
        follows_up=goes_on or (len(topics) <= 2 and bool(_POINTS_BACK.search(plain))),
        ordinal=ordinal,
        summary=bool(_SUMMARY.search(plain)),
        compares=bool(sides) or bool(_COMPARES.search(plain)),
        sides=sides,
        side_names=side_names,
    )


def query_of(topics: tuple[Topic, ...]) -> str:
    """The search words for these topics, as many as a search takes."""
    query = ""
    topics = strong(topics)
    for topic in topics:
        longer = f"{query} {topic.text}".strip()
        if len(longer) > MAX_QUERY_CHARACTERS:
            break
        query = longer
    return query or topics[0].text[:MAX_QUERY_CHARACTERS] if topics else ""


def find_words(topics: tuple[Topic, ...]) -> str:
    """The words to look for inside a file, phrases in quotation marks."""
    return " ".join(f"“{topic.text}”" if topic.phrase else topic.text for topic in topics)[:MAX_FIND_CHARACTERS]


def merged(earlier: tuple[Topic, ...], later: tuple[Topic, ...]) -> tuple[Topic, ...]:
    """An earlier subject with what a short question changes: "and for 2026?" replaces the year and keeps the rest."""
    has_number = any(topic.is_number for topic in later)
    kept = [topic for topic in earlier if not (topic.is_number and has_number)]
    known = {topic.stem for topic in later}
    return (*(topic for topic in kept if topic.stem not in known), *later)


def continued(question: Question, earlier: list[str]) -> tuple[Topic, ...]:
    """What is looked for: a follow-up question goes on with the subject of those before it.

    Args:
        question: The question at hand.
        earlier: The texts of the questions before it, the newest first.
    """
    if not question.follows_up or question.links or question.sides or len(question.topics) > 2:
        return question.topics
    chain: list[tuple[Topic, ...]] = [question.topics]
    for text in earlier[:MAX_CHAIN]:
        before = read(text)
        chain.append(before.topics)
        if before.topics and not before.follows_up:
            break
    topics: tuple[Topic, ...] = ()
    for later in reversed(chain):
        topics = merged(_halved(topics) if later else topics, later)
    return topics


def single_words(topics: tuple[Topic, ...]) -> list[str]:
    """The words to search for one by one: phrases and names before other words, the longer before the shorter."""
    if len(topics) < 2:
        return []
    topics = strong(topics)
    plain = [topic for topic in topics if not topic.is_number] or list(topics)
    return [topic.text for topic in sorted(plain, key=lambda topic: (-topic.weight, -len(topic.text)))[:3]]


def other_words(topics: tuple[Topic, ...]) -> list[str]:
    """Other forms of the words that were asked for, and other words, which a file in another language may have."""
    forms = [words.base(topic.text) for topic in topics if words.base(topic.text) != topic.text.casefold()]
    return [*forms, *(word for topic in topics for word in words.synonyms(topic.text)[:3])][:3]


def _smalltalk(text: str) -> Literal["", "greeting", "identity"]:
    if _WHO_ARE_YOU.search(text):
        return "identity"
    spoken = [word.text.casefold() for word in words.split(text)]
    if not spoken:
        return "greeting"
    if len(spoken) <= 8 and _SMALLTALK.issuperset(spoken) and not _GREETING.isdisjoint(spoken):
        return "greeting"
    return ""


def _wanted(text: str, topics: tuple[Topic, ...]) -> Wanted:
    for wanted, pattern in _KINDS:
        if pattern.search(text):
            return wanted
    return "definition" if len(topics) <= _DEFINED_WORDS and _DEFINITION.search(text) else "any"


def _sides(text: str) -> tuple[tuple[tuple[Topic, ...], ...], tuple[str, ...]]:
    for pattern in _COMPARE:
        match = pattern.search(text[:_COMPARED_CHARACTERS])
        if match is None:
            continue
        first, second = [part for part in match.groups() if part][:2]
        left, right = topics_of(first), topics_of(second)
        if not left or not right:
            return (), ()
        # "The marketing budget of 2025 with 2026": the shorter side leaves out what it shares with the longer one.
        if len(left) != len(right):
            left, right = (
                (left, merged(_halved(left), right))
                if len(left) > len(right)
                else (merged(_halved(right), left), right)
            )
        return (left, right), (first.strip(" \t\n?.!,;:"), second.strip(" \t\n?.!,;:"))
    return (), ()


def _halved(topics: tuple[Topic, ...]) -> tuple[Topic, ...]:
    return tuple(replace(topic, weight=topic.weight / 2) for topic in topics)
