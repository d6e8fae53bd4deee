"""Analyses a question: its links, the words of its subject, its names, its language, and its kind."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from sandbox import ranking
from sandbox.model import words

Language = Literal["en", "de"]
Smalltalk = Literal["", "greeting", "identity"]

MAX_QUERY_CHARACTERS, MAX_WORDINGS = 200, 4
_READ_CHARACTERS = 4000
_OWN_LANGUAGE = 0.3
"""A text with fewer than this share of the question's lower-case words is in another language."""

URL = re.compile(r"(?:https?://|(?<![\w./@])(?:drive|docs)\.google\.com/)[^\s<>\"'`|\\^{}]+", re.IGNORECASE)
_FOLDER_PATH = re.compile(r"/folders/|folderview\b|/drive/(?:u/\d+/)?(?:my-drive|shared-with-me|shared-drives)\b")
_FILE_PATH = re.compile(r"/(?:document|spreadsheets|presentation|forms|drawings|file)/.*d/|/(?:uc|open|viewer|leaf)\b")
_GOOGLE_HOST = re.compile(r"(?:drive|docs|sheets|slides|drive\.usercontent)\.google\.com")
PROPER = re.compile(r"(?<=[^\W_] )[A-ZÀ-ÖØ-Þ][\w'’]+(?: [A-ZÀ-ÖØ-Þ][\w'’]+)+")
"""A name of at least two words. Single capitalised words do not count, because all German nouns are capitalised."""
_QUOTED = re.compile(r"[“„«]\s*([^”“»\n]{3,80}?)\s*[”“»]")


@dataclass(frozen=True)
class Link:
    """A link to a file or folder in Drive, as it was pasted."""

    url: str
    kind: Literal["folder", "file"]


@dataclass(frozen=True)
class Question:
    """The analysis of a question."""

    text: str
    """The text without its links."""
    links: tuple[Link, ...]
    subject: Mapping[str, float]
    """The words to search for, each with its weight."""
    language: Language
    smalltalk: Smalltalk
    follows_up: bool
    summary: bool
    names: tuple[str, ...] = ()
    """The names in it, or for a follow-up question those in the question before. An answering text is about them."""
    quoted: tuple[str, ...] = ()
    """The names in quotation marks."""
    limits: tuple[str, ...] = ()
    """The bounds of amounts in SQL, such as `> 100` (`rows.limited`)."""
    most: int = 1
    """The number of rows of a ranking (`rows.ranked`)."""

    @property
    def wanted(self) -> dict[str, float]:
        """The words by which passages are scored. They exclude names, which a text about them need not repeat."""
        named = {word for name in self.names if name not in self.quoted for word in ranking.words(name)}
        asked = {word: weight for word, weight in self.subject.items() if word not in named}
        return asked or dict(self.subject)

    @property
    def wording(self) -> str:
        """The text to search for: the question, or the words of its subject if it is long or a follow-up question."""
        plain = " ".join(self.text.split())
        goes_on = self.follows_up or len(plain) > MAX_QUERY_CHARACTERS
        return query(self.subject) if goes_on else plain

    @property
    def wordings(self) -> list[str]:
        """The names and the single words of the question, for a second search."""
        single = sorted(self.wanted, key=lambda word: (word[0].isdigit(), -self.subject[word], -len(word)))
        return [*self.names, *single][:MAX_WORDINGS]

    @property
    def marks(self) -> tuple[str, ...]:
        """The names of the question or, without names, its capitalised words. An answering text may be about them."""
        return self.names or tuple(
            word for word in self.subject if word[0].isupper() and not self.text.startswith(word)
        )

    @property
    def papers(self) -> frozenset[int]:
        """The kinds of papers that it names."""
        return words.papers(" ".join(self.subject)) | words.papers(self.text)

    @property
    def is_overview(self) -> bool:
        """Whether it only asks for the contents of something, such as "What is in this folder?"."""
        return not self.subject and not self.summary

    @property
    def is_about_everything(self) -> bool:
        """Whether it asks for the contents of the whole Drive, such as "What is in my Drive?"."""
        return self.is_overview and not self.links and bool(words.find("whole_drive", self.text))

    def fits(self, text: str) -> bool | None:
        """Whether a text has the day, amount, count or name for which the question asks; None if it asks for none."""
        counted = words.pattern("counted").search(self.text)
        if counted is not None and len(counted[1]) > 2:
            noun = ranking.stem(counted[1])
            return any(ranking.named(noun, found) for found in words.pattern("numbered").findall(text))
        signs = next((has for asks, has in words.fitting() if asks.search(self.text)), None)
        return None if signs is None else bool(signs.search(text))

    def is_named(self, text: str) -> bool:
        """Whether a text has all names of the question."""
        return all(name.casefold() in text.casefold() for name in self.names)

    def is_foreign(self, text: str) -> bool:
        """Whether a text has too few lower-case words of the question to be in the same language."""
        small = {word for word in ranking.words(self.text) if word.islower()}
        found = {word.casefold() for word in ranking.words(text[:_READ_CHARACTERS])}
        return len(small & found) < _OWN_LANGUAGE * len(small)


def read(text: str, earlier: Sequence[str] = ()) -> Question:
    """Analyses a question. A short follow-up question keeps the subject of the questions before it (newest first)."""
    plain = URL.sub(" ", text).strip()[:_READ_CHARACTERS]
    found = tuple(dict.fromkeys(links(text)))
    subject = ranking.subject(plain)
    quoted = _QUOTED.findall(plain)
    names = tuple(dict.fromkeys([*quoted, *PROPER.findall(_QUOTED.sub(" ", plain))]))
    goes_on = words.pattern("goes_on").match(plain.lstrip("¿ ")) or words.find("points_back", plain)
    follows_up = len(subject) <= 3 and not found and not names and bool(goes_on)
    if follows_up and earlier:
        first = read(earlier[0], earlier[1:5])
        before, names = first.subject, first.names
        # "And for 2026?" replaces the year and keeps the rest.
        has_number = any(word[0].isdigit() for word in subject)
        kept = {word: weight for word, weight in before.items() if not (has_number and word[0].isdigit())}
        subject = {word: weight / 3 if subject else weight for word, weight in kept.items()} | subject
    german, english = (len(words.pattern(name).findall(plain)) for name in ("german", "english"))
    return Question(
        text=plain,
        links=found,
        subject=subject,
        language="de" if german > english else "en",
        smalltalk="" if found else _smalltalk(plain.strip(" .,;:!?¿")),
        follows_up=follows_up,
        summary=bool(words.find("summary", plain)),
        names=names,
        quoted=tuple(quoted),
    )


def _smalltalk(bare: str) -> Smalltalk:
    if not bare or words.pattern("greeting").fullmatch(bare):
        return "greeting"
    return "identity" if words.pattern("identity").fullmatch(bare) else ""


def query(subject: Mapping[str, float]) -> str:
    """The words of a subject as a search query of at most `MAX_QUERY_CHARACTERS`."""
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
