"""The files that are compared for conflicts: their titles, names, versions and facts. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from leaf.citations import dates
from leaf.citations.facts import Fact, facts, numbered, pairs_of_names, words_of
from leaf.citations.quote_search import Passage
from leaf.citations.subquestions import stems
from leaf.documents.terms import fold


@dataclass(frozen=True)
class File:
    """A file from which the model received passages for its answer."""

    id: str
    name: str
    url: str
    modified: str
    """The time of the last change in ISO 8601; empty if it is unknown."""
    passages: Sequence[Passage]
    """The whole text of the file if it is known, else the passages that the model received."""
    whole: bool = False

    @cached_property
    def head(self) -> str:
        """The first line of the text, or the subject of an e-mail; at most 200 characters."""
        text = self._begin[:1_000]
        subject = _SUBJECT.search(text)
        return (subject[1] if subject else text.strip().partition("\n")[0])[:200]

    @property
    def _begin(self) -> str:
        """The beginning of the text, without a line for its place, such as `[picture 1, read by OCR]`."""
        return _PLACE.sub("", self.passages[0].text[:2_000]) if self.passages else ""

    @cached_property
    def is_german(self) -> bool:
        """Whether the text is in German, where all nouns are capitalised."""
        return is_german(" ".join(one.text[:2_000] for one in self.passages[:4]))

    @cached_property
    def facts(self) -> list[Fact]:
        """The facts that the file states."""
        return facts(self.passages, nouns=self.is_german)

    @property
    def _bare_name(self) -> str:
        """The name of the file without its extension."""
        return _EXTENSION.sub("", self.name)

    @property
    def _heading(self) -> str:
        """The name without its extension, and the first line."""
        return f"{self._bare_name} {self.head}"

    @cached_property
    def title(self) -> frozenset[str]:
        """The stems of the words in its name and its first line, without versions, days and numbers."""
        return words_of(_DATED.sub(" ", _VERSION.sub(" ", self._heading)))

    @cached_property
    def tokens(self) -> frozenset[str]:
        """The words and numbers of its name, without versions and days."""
        text = _DATED.sub(" ", _VERSION.sub(" ", self._bare_name))
        return frozenset(fold(one) for one in re.findall(r"[^\W_]+", text))

    @cached_property
    def subject(self) -> frozenset[str]:
        """The names of companies and people in the file's name and first line, or else in its first lines.

        A name in the first lines does not count if it is the value of a fact: a file that states who has a role is not
        about that person.
        """
        if found := pairs_of_names(f"{self._bare_name} | {self.head}"):
            return found
        opening = self._opening
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
        """The version number; -1 for a draft, 0 if no version is stated."""
        if _DRAFT.search(self._heading):
            return -1
        return max((int(one[1]) for one in _VERSION.finditer(self._heading) if one[1]), default=0)

    @cached_property
    def days(self) -> frozenset[str]:
        """The days, years and long numbers in its name, or else in its first line."""
        dated = frozenset(_DATED.findall(self._bare_name))
        return dated or frozenset(_LONG_NUMBER.findall(self.head)) | dates.named(self.head)

    @cached_property
    def codes(self) -> frozenset[str]:
        """Codes, such as names of models, in its name and its first line."""
        return frozenset(_CODE.findall(self._heading))

    @cached_property
    def numbered(self) -> frozenset[tuple[str, str]]:
        """The things with a number or a letter in its name and its first line."""
        return numbered(f"{self._bare_name} | {self.head}")

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


def is_german(text: str) -> bool:
    """Whether a text is German, or too short to tell. It needs as many German function words as foreign ones."""
    return len(_GERMAN.findall(text)) >= len(_OTHERS.findall(text))


_SUBJECT = re.compile(r"^(?:Subject|Betreff|Objet|Asunto|Oggetto):[ \t]*(\S[^\n]*)", re.MULTILINE)
_PLACE = re.compile(r"\A\s*\[[^\]\n]{1,200}\][ \t]*\n")
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
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
