"""A question taken apart: its links, the words of its subject, its language, and its kind."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from sandbox import ranking

Language = Literal["en", "de"]

MAX_QUERY_CHARACTERS = 120
_READ_CHARACTERS = 4000
"""How much of a message is taken for the question."""

URL = re.compile(r"(?:https?://|(?<![\w./@])(?:drive|docs)\.google\.com/)[^\s<>\"'`|\\^{}]+", re.IGNORECASE)
_FOLDER_PATH = re.compile(r"/folders/|folderview\b|/drive/(?:u/\d+/)?(?:my-drive|shared-with-me|shared-drives)\b")
_FILE_PATH = re.compile(r"/(?:document|spreadsheets|presentation|forms|drawings|file)/.*d/|/(?:uc|open|viewer|leaf)\b")
_GOOGLE_HOST = re.compile(r"(?:drive|docs|sheets|slides|drive\.usercontent)\.google\.com")
_WHOLE_DRIVE = re.compile(
    r"\b(?:my|the|this|meine?[mnr]?|diese[mnr]?|im|in) (?:google )?drive\b|\b(?:my|meine) (?:\w+ )?(?:files|documents"
    r"|dateien|dokumente)\b|\b(?:files|documents)\b.*\b(?:i|there)\b|\b(?:dateien|dokumente)\b.*\b(?:ich|es)\b",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"\W*(?:(?:hello|hi|hey|hallo|moin|good|guten|thanks?|danke|ok(?:ay)?|bye|test)\b"
    r"(?:\W+(?:there|morning|evening|day|tag|morgen|abend|leaf|a|so|much|very|schön|you|lot)\b)*\W*)*",
    re.IGNORECASE,
)
_IDENTITY = re.compile(r"^\W*(?:who are you|what can you do|wer bist du|was kannst du|help)\b\W*$", re.IGNORECASE)
_GOES_ON = re.compile(
    r"^\W*(?:and|und|also|then|what about|how about|was ist mit)\b|\b(?:its?|this|that|they|them|there|davon|dort)\b",
    re.IGNORECASE,
)
_SUMMARY = re.compile(r"\b(?:summar\w+|key points|zusammenfass\w*|fasse?\b.*\bzusammen)\b", re.IGNORECASE)
_ASKS_WHO = re.compile(r"\b(?:who|whom|whose|wer|wem|wen)\b", re.IGNORECASE)
_NAME = re.compile(r"\w\W+[A-ZÄÖÜ][a-zäöüß]+ [A-ZÄÖÜ][a-z]")
_ASKS_HOW_MUCH = re.compile(
    r"\b(?:how (?:much|many|long|high|large|often)|when|wann|wie (?:viele?|hoch|lange?|oft|groß))\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d|\b(?:two|three|four|five|six|ten|zwei|drei|vier|fünf|sechs|zehn)\b")
_GERMAN = re.compile(
    r"\b(?:der|die|das|den|dem|eine?n?|ist|sind|wer|wie|wo|wann|welche\w?|und|nicht|im|ich|mein\w*|fasse|zeige?|was"
    r"|hallo|guten|danke|bist|kannst)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"\b(?:the|a|an|is|are|who|how|where|when|which|what|and|not|of|in|my|me|hello|show)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Link:
    """A link to something in Drive, as it was pasted."""

    url: str
    kind: Literal["folder", "file"]


@dataclass(frozen=True)
class Question:
    """A question, taken apart."""

    text: str
    """The text without its links."""
    links: tuple[Link, ...]
    subject: Mapping[str, float]
    """The words that are looked for, each with its weight."""
    language: Language
    smalltalk: Literal["", "greeting", "identity"]
    follows_up: bool
    summary: bool

    @property
    def is_overview(self) -> bool:
        """Whether it only asks what is there: "What is in this folder?"."""
        return not self.subject and not self.summary

    @property
    def is_about_everything(self) -> bool:
        """Whether it asks what there is at all: "What is in my Drive?"."""
        return self.is_overview and not self.links and bool(_WHOLE_DRIVE.search(self.text))

    def fitness(self, text: str) -> float:
        """A factor above 1 for a text that has the number or the name for which the question asks."""
        sign = _NAME if _ASKS_WHO.search(self.text) else _NUMBER if _ASKS_HOW_MUCH.search(self.text) else None
        return 1.0 if sign is None else 1.15 if sign.search(text) else 0.85


def read(text: str, earlier: Sequence[str] = ()) -> Question:
    """Takes a question apart.

    Args:
        text: The message.
        earlier: The questions before it, the newest first: a short one goes on with their subject.
    """
    plain = URL.sub(" ", text).strip()[:_READ_CHARACTERS]
    found = tuple(dict.fromkeys(links(text)))
    subject = ranking.subject(plain)
    follows_up = len(subject) <= 2 and not found and bool(_GOES_ON.search(plain))
    if follows_up and earlier:
        before = read(earlier[0], earlier[1:5]).subject
        # "And for 2026?" replaces the year and keeps the rest.
        has_number = any(word[0].isdigit() for word in subject)
        kept = {word: weight for word, weight in before.items() if not (has_number and word[0].isdigit())}
        subject = {word: weight / 3 if subject else weight for word, weight in kept.items()} | subject
    smalltalk = "identity" if _IDENTITY.search(plain) else "greeting" if _GREETING.fullmatch(plain) else ""
    return Question(
        text=plain,
        links=found,
        subject=subject,
        language="de" if len(_GERMAN.findall(plain)) > len(_ENGLISH.findall(plain)) else "en",
        smalltalk="" if found else smalltalk,
        follows_up=follows_up,
        summary=bool(_SUMMARY.search(plain)),
    )


def query(subject: Mapping[str, float]) -> str:
    """The words to search for, as many as a search takes."""
    found = " ".join(subject)
    return found if len(found) <= MAX_QUERY_CHARACTERS else found[: MAX_QUERY_CHARACTERS + 1].rpartition(" ")[0]


def links(text: str) -> list[Link]:
    """The links to Drive in a text, in order."""
    found: list[Link] = []
    for match in URL.finditer(text):
        url = match[0].rstrip(".,;:!?*_~…”“’»]")
        while url.endswith(")") and url.count("(") < url.count(")"):
            url = url[:-1].rstrip(".,;:!?*_")
        kind = _link_kind(url)
        if kind:
            found.append(Link(url, kind))
    return found


def _link_kind(url: str) -> Literal["folder", "file"] | None:
    try:
        address = urlsplit(url if "://" in url else f"https://{url}")
    except ValueError:
        return None
    if _FOLDER_PATH.search(address.path):
        return "folder"
    return "file" if _FILE_PATH.search(address.path) or _GOOGLE_HOST.fullmatch(address.hostname or "") else None
