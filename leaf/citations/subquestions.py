"""Splits a question that asks several things into parts, and judges which parts the answer has answered. Pure.

A question is split only if its parts are certain: it has several sentences with a question mark, a numbered list, or
one sentence whose halves each begin with a question word. A part is answered if a sentence about it has a verified
quote or a computed figure, and missing if a sentence says that it was not found. In uncertain cases it is unknown.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from leaf.citations.blanks import blanked, without_code
from leaf.citations.markers import definitions
from leaf.citations.syntax import ADDRESS, MARK
from leaf.citations.verification import Citation
from leaf.documents.terms import fold
from leaf.parts import Chunk, Part
from leaf.parts.objects import object_of, objects_in

SUBQUESTIONS = "data-subquestions"
State = Literal["open", "answered", "missing", "unanswered", "unknown"]
"""The state of a part.

- `open`: It has not been judged yet.
- `answered`: A sentence about it has a verified quote or a computed figure.
- `missing`: The answer says that it was not found.
- `unanswered`: No sentence is about it.
- `unknown`: The program cannot judge it.
"""

MOST: Final = 8
"""The maximum number of parts. A question with more is probably a pasted text and is not split."""
_READ_CHARACTERS: Final = 4_000
_PART_CHARACTERS: Final = 400
_WORDS = (
    r"what|which|who|whom|whose|when|where|why|how"
    r"|was|wer|wem|wen|wessen|wann|wo|wohin|woher|warum|wieso|weshalb|wie|wieviel\w?|welche[rnsm]?|womit|wof[üu]r"
    r"|quel(?:le)?s?|qui|quand|o[ùu]|pourquoi|comment|combien|qu['’]est-ce"
    r"|qué|cu[aá]l(?:es)?|quién(?:es)?|cuándo|dónde|cómo|cuánt[oa]s?"
    r"|chi|quando|dove|perché|come|qual|quale|quali|quant[oaie]|cosa"
)
_QUESTION_WORD = re.compile(rf"(?<![\w'’-])(?:{_WORDS})(?![\w'’-])", re.IGNORECASE)
_BEFORE = (
    r"by|until|since|for|to|from|at|in|on|with|of|within|under|after|before|during"
    r"|bis|seit|ab|für|zu|mit|von|an|nach|vor|in|innerhalb|binnen|unter"
    r"|à|de|pour|depuis|jusqu['’]à|avec|en|dans|sous|avant|après|par|por|para|con|desde|hasta|a|di|da|per|entro|dopo"
)
"""Words that may precede a question word, as in "and within how many days …"."""
_JOINT = re.compile(
    rf",?\s+(?:and|und|et|y|e)\s+(?=(?:(?:{_BEFORE})\s+)?(?:{_WORDS})(?![\w'’-]))",
    re.IGNORECASE,
)
_ASKS_AMOUNT = re.compile(
    r"(?<![\w'’-])(?:how (?:many|much|high|long|large|old|far|often)|when"
    r"|wann|wie (?:viele?|hoch|lange?|groß|alt|weit|oft)|wieviele?"
    r"|combien|quand|cuánt\w+|cuándo|quant[oaie]|quando)(?![\w'’-])",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?:how (?:many|much)|wie ?viele?|combien|cuánt\w+|quant\w)\b", re.IGNORECASE)
_ENTRY = re.compile(r"[ \t]{0,8}(?:\d{1,2}|[a-hA-H])[.)][ \t]+(\S[^\n]*)")
_SENTENCE_END = re.compile(r"(?<=[?!])\s+|\n\s*|(?<=[^\W\d_]{2}\.)\s+(?=[^\W\d_a-zà-öø-ÿ]|¿)")
_CONTINUES = re.compile(r"\W{0,3}(?:and|und|et|y|e)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}|\d[\d.,]*")
_LEAST_WORDS = 3


def found(question: str) -> list[str]:
    """The parts of a question in their order; empty if it asks one thing, or if its parts are uncertain.

    Args:
        question: The question as the person wrote it.
    """
    text = ADDRESS.sub(" ", without_code(question[:_READ_CHARACTERS]).replace("\0", " "))
    listed = [one[1].strip() for line in text.splitlines() if (one := _ENTRY.fullmatch(line.rstrip()))]
    parts = listed if len(listed) > 1 else [part for asked in _questions(text) for part in _halves(asked)]
    parts = list(dict.fromkeys(one[:_PART_CHARACTERS] for one in parts))
    return parts if 1 < len(parts) <= MOST else []


def _questions(text: str) -> Iterator[str]:
    """Yields the sentences that end with a question mark."""
    for one in _SENTENCE_END.split(text):
        sentence = " ".join(one.split())
        if sentence.endswith("?") and (len(sentence.split()) >= _LEAST_WORDS or _CONTINUES.match(sentence)):
            yield sentence


def _halves(sentence: str) -> Iterator[str]:
    """Yields the questions that one sentence joins. Each has a question word of its own."""
    begin = 0
    for joint in _JOINT.finditer(sentence):
        left = sentence[begin : joint.start()]
        first = _QUESTION_WORD.search(left)
        following = _QUESTION_WORD.search(sentence, joint.end())
        if first is None or following is None or len(left[first.start() :].split()) < _LEAST_WORDS:
            continue
        if _COUNTED.match(left, first.start()) and len(left[first.start() :].split()) <= _LEAST_WORDS + 1:
            # The halves of "How many pallets and how many boxes did we order?" share a verb.
            continue
        later = {one[0].casefold() for one in _QUESTION_WORD.finditer(left, first.end())}
        if following[0].casefold() in later:
            # In "… the firm that delivers, who wrote, and who …", the second half continues a clause of the first.
            continue
        yield left.strip(" ,;") + "?"
        begin = joint.end()
    rest = sentence[begin:].strip(" ,;")
    yield rest[:1].upper() + rest[1:] if begin else rest


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence of an answer, with the results of the program's checks."""

    words: frozenset[str]
    label: int
    """The list number with which its paragraph begins; 0 if there is none."""
    proved: bool
    denies: bool
    cited: bool
    """Whether it has a citation."""
    has_figure: bool


_LABEL = re.compile(r"[ \t>]{0,8}(?:[-*+] )?(?:\*\*|__)?(\d{1,2})[.)](?:\*\*|__)?[ \t:]")
_CLAIM = re.compile(
    r"[^\n.!?…]{1,2000}(?:[.!?…](?=[\w)*_\"”“»])[^\n.!?…]{0,1000}){0,40}[.!?…]*(?:\[\^[^\]\s\[]{1,40}\]| )*"
)
_DENIED = re.compile(
    r"\b(?:not|no|nothing|none|never|neither|cannot|\w+n['’]t|nicht|kein\w{0,2}|nichts|weder|pas|aucune?|rien|ni|ning[uú]n\w?"
    r"|nada|non|nessun\w?|niente)\b",
    re.IGNORECASE,
)


def judged(
    asked: Sequence[str], texts: Mapping[int, str], cited: Sequence[Citation], *, whole: bool = True,
    only_failed: bool = False,
) -> list[dict[str, Any]]:  # fmt: skip
    """Judges each part of a question. Returns each part's `text` and `state`.

    Args:
        asked: The parts of the question.
        texts: The texts of the answer by slot.
        cited: The checked quotes and computed figures of the answer.
        whole: Whether the answer is complete. The parts of an incomplete answer are `unknown`.
        only_failed: Whether all calls that look for sources failed (`coverage.has_only_failed`). If so, no part is
            `missing`.
    """
    if not whole:
        return [{"text": one, "state": "unknown"} for one in asked]
    found = [one for slot, text in sorted(texts.items()) for one in _statements(slot, text, cited)]
    distinct = _distinct_stems(asked)
    about: list[list[_Statement]] = [[] for _ in asked]
    rest: list[_Statement] = []
    labels = {one.label for one in found} & {*range(1, len(asked) + 1)}
    for one in found:
        at = one.label - 1 if len(labels) > 1 and one.label in labels else _part_of(one, distinct)
        (rest if at is None else about[at]).append(one)
    # A sentence with a citation or a denial that belongs to no part may answer any of the parts.
    is_open = any(one.proved or one.denies or one.cited for one in rest)
    has_proof = any(one.proved for one in found)
    states = [
        _state(text, statements, is_open=is_open, has_proof=has_proof)
        for text, statements in zip(asked, about, strict=True)
    ]
    if only_failed:
        states = ["unknown" if state == "missing" else state for state in states]
    return [{"text": text, "state": state} for text, state in zip(asked, states, strict=True)]


def _state(text: str, about: Sequence[_Statement], *, is_open: bool, has_proof: bool) -> State:
    if any(one.proved for one in about):
        # Words alone do not answer a question for an amount or a date.
        tells = not _ASKS_AMOUNT.search(text) or any(one.has_figure for one in about)
        return "answered" if tells else "unknown"
    if any(one.denies for one in about):
        return "missing"
    if about or is_open or not has_proof:
        return "unknown"
    is_question = _QUESTION_WORD.search(text) is not None or _CONTINUES.match(text) is not None
    return "unanswered" if is_question else "unknown"


def _statements(slot: int, text: str, cited: Sequence[Citation]) -> Iterator[_Statement]:
    """Yields the sentences of a text outside of code and footnotes."""
    bare = blanked(without_code(text), [(begin, end) for _, begin, end in definitions(text)])
    marks = [(begin, one.verified) for one in cited for at, begin, _ in one.at if at == slot]
    label = 0
    line = -1
    for one in _CLAIM.finditer(bare):
        begin = bare.rfind("\n", 0, one.start()) + 1
        if begin != line:
            numbered = _LABEL.match(bare, begin)
            blank = begin >= 2 and bare[begin - 2 : begin].strip() == ""
            if numbered:
                label = int(numbered[1])
            elif blank and not bare.startswith((" ", "\t", ">"), begin):
                # A line that is indented or quoted belongs to the paragraph above it.
                label = 0
            line = begin
        words = stems(one[0])
        if not words:
            continue
        inside = [verified for place, verified in marks if one.start() <= place <= one.end()]
        denies = bool(_DENIED.search(one[0])) and not any(inside)
        yield _Statement(words, label, any(inside), denies, bool(inside), _states_amount(MARK.sub(" ", one[0])))


def _states_amount(sentence: str) -> bool:
    """Whether a sentence has a digit, or a word such as a number or a month."""
    bare = _LABEL.sub(" ", sentence)
    return any(map(str.isdigit, bare)) or not _amounts().isdisjoint(_WORD.findall(fold(bare)))


@cache
def _amounts() -> frozenset[str]:
    return frozenset(tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["amounts"].split())


def _distinct_stems(asked: Sequence[str]) -> list[frozenset[str]]:
    """For each part, the stems of the words that no other part has."""
    words = [stems(_QUESTION_WORD.sub(" ", one)) for one in asked]
    return [
        frozenset(one for one in own if not any(is_in(one, other) for at, other in enumerate(words) if at != place))
        for place, own in enumerate(words)
    ]


def _part_of(one: _Statement, distinct: Sequence[Collection[str]]) -> int | None:
    """The index of the part that a sentence is about; None if that is not clear. It is the part with the most of its
    own words in the sentence.
    """
    scores = [sum(is_in(word, one.words) for word in own) for own in distinct]
    best = max(scores, default=0)
    return scores.index(best) if best and scores.count(best) == 1 else None


def stems(text: str) -> frozenset[str]:
    """The words of a text in lower case, without accents and endings; numbers keep all digits."""
    return frozenset(word if word[0].isdigit() else word[:_STEM] for word in _WORD.findall(fold(text)))


_STEM: Final = 7
_LIKE_LETTERS: Final = 4


def is_in(word: str, others: Collection[str]) -> bool:
    """Whether the words contain a word, or another form of it."""
    return word in others or (len(word) >= _LIKE_LETTERS and any(_alike(word, other) for other in others))


def _alike(one: str, other: str) -> bool:
    """Whether two words begin with the same five letters, or one begins with the other. Both have at least four
    letters.
    """
    if one[0].isdigit() or len(other) < _LIKE_LETTERS:
        return False
    letters = min(len(one), len(other), _LIKE_LETTERS + 1)
    return one[:letters] == other[:letters]


def stored(message_parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The parts of the question as stored with an answer, each with `text` and `state`."""
    data = next((one.get("data") for one in reversed(message_parts) if one["type"] == SUBQUESTIONS), None)
    return read(object_of(data).get("asked"))


def read(asked: Any) -> list[dict[str, Any]]:
    """Reads the parts of a question from the `asked` field of a stored message part."""
    return [
        {"text": one["text"], "state": one["state"] if one.get("state") in _STATES else "unknown"}
        for one in objects_in(asked)
        if isinstance(one.get("text"), str)
    ]


_STATES: Final = frozenset({"open", "answered", "missing", "unanswered", "unknown"})


def listed(asked: Sequence[str]) -> Chunk:
    """The chunk that lists the parts before the search. A chunk with their states replaces it later."""
    parts = [{"text": one, "state": "open"} for one in asked]
    return {"type": SUBQUESTIONS, "id": "subquestions", "data": {"asked": parts}}
