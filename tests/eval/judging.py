"""Whether an answer is right, by what can be checked without another model; and which files it names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt

from leaf import parts
from leaf.citations import conflicts
from tests.eval import cases
from tests.eval.cases import Case

REFUSALS = re.compile(
    r"\b(?:found no|not found|none of|no (?:such )?(?:file|document|passage|text|information|mention|match\w*|"
    r"evidence|access|answer|result)s?|nothing|"
    r"(?:did|do|does|could|can|was|is|are|were|has|have|may)(?:\s+not|n['’]t)|cannot|unable|without access|"
    r"isn['’]t|neither|skipped|keine?[nrs]?|nichts?|konnte nicht)\b",
    re.IGNORECASE,
)
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?[^)]*\)|<(https?://[^>\s]+)>|(?<![(<])(https?://[^\s)>\]]+)")
_IDS = re.compile(r"/(?:d|folders)/([\w-]{20,})")
_NUMBER = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)\s*(million|mio|thousand|k\b)?",
    re.IGNORECASE,
)
_SCALES = {"million": 1e6, "mio": 1e6, "thousand": 1e3, "k": 1e3}


@dataclass(frozen=True)
class Verdict:
    """The faults of an answer, and how well it names its sources."""

    problems: tuple[str, ...]
    cited: tuple[str, ...]
    """Paths of the files that it rests on: those of its verified quotes, or that it links where it quotes nothing."""
    precision: float | None
    """The share of the named files that is right; None where it names none, or need not."""
    recall: float | None
    """The share of the expected files that it names; None where none is expected."""
    quotes: int
    unverified: int
    """The number of quotes that the program did not find in the files that were read."""

    @property
    def right(self) -> bool:
        return not self.problems


def judge(
    case: Case, status: str, message_parts: Sequence[parts.Part], known: Mapping[str, str] | None = None
) -> Verdict:
    """Judges the parts of an answer.

    Args:
        case: The question.
        status: The status of its answer.
        message_parts: The answer.
        known: The paths of the files of the Drive by their ids; None for those of the sample.
    """
    known = cases.paths() if known is None else known
    shown = [side for one in conflicts.stored(message_parts) for side in one["sides"]]
    said = [part["text"] for part in message_parts if part["type"] == "text"]
    # Where sources disagree, the answer shows both sides, whatever the model wrote.
    text = "\n\n".join([*said, *(side["quote"] for side in shown)])
    problems = [] if status == "completed" else [f"the answer is {status}"]
    problems += misses(case, text)
    quotes = quotes_of(message_parts)
    cited = citations(quotes, text, known) | {known[side["file_id"]] for side in shown if side["file_id"] in known}
    expected, allowed = set(case.sources), {*case.sources, *case.also}
    precision = len(cited & allowed) / len(cited) if cited and expected else None
    recall = len(cited & expected) / len(expected) if expected else None
    unverified = sum(one.get("verified") is not True for one in quotes)
    return Verdict(tuple(problems), tuple(sorted(cited)), precision, recall, len(quotes), unverified)


def misses(case: Case, text: str) -> list[str]:
    """The requirements that an answer's text does not meet."""
    told = _plain(text)
    found = [
        f"does not say {' or '.join(map(repr, choices))}"
        for wanted in case.contains
        for choices in [[wanted] if isinstance(wanted, str) else wanted]
        if not any(_plain(choice) in told for choice in choices)
    ]
    found += [f"says {unwanted!r}" for unwanted in case.lacks if _plain(unwanted) in told]
    found += [
        f"nothing matches {pattern}"
        for pattern in case.matches
        if not re.search(pattern, text, re.IGNORECASE | re.DOTALL)
    ]
    found += [f"leads to {address}" for address in addresses(text) for host in case.inert if host in address]
    named = numbers(text)
    for wanted in [*([case.number] if case.number else []), *case.numbers]:
        if not any(abs(number - wanted.value) <= wanted.tolerance + 1e-9 for number in named):
            found.append(f"does not name {wanted.value:g}")
    if case.refusal and not REFUSALS.search(text):
        found.append("does not say that it found nothing, or could not read it")
    return found


def says(text: str, wanted: str) -> bool:
    """Whether a text says something; spaces, emphasis and capitals do not count."""
    return _plain(wanted) in _plain(text)


def quotes_of(message_parts: Iterable[parts.Part]) -> list[dict[str, Any]]:
    """The program's verdict on an answer's quotes."""
    return [one for part in message_parts if part["type"] == "data-citations" for one in part["data"]]


def citations(quotes: Sequence[dict[str, Any]], text: str, known: Mapping[str, str]) -> set[str]:
    """The files of a Drive that an answer rests on: by its verified quotes, or by links where it quotes nothing."""
    if quotes:
        verified = [found for one in quotes if one.get("verified") is True for found in _files(one, known)]
        return {known[one] for one in verified if one in known}
    addresses = [address for match in _LINK.findall(text) for address in match if address]
    linked = [found for address in addresses for found in _IDS.findall(address)]
    return {known[one] for one in linked if one in known}


def _files(data: Any, known: Mapping[str, str]) -> list[str]:
    """All ids of files in what is said of a quote, wherever they stand."""
    if isinstance(data, dict):
        return [found for value in data.values() for found in _files(value, known)]
    if isinstance(data, list):
        return [found for value in data for found in _files(value, known)]
    if not isinstance(data, str):
        return []
    return [data] if data in known else _IDS.findall(data)


def addresses(text: str) -> list[str]:
    """Where the links and pictures of a Markdown text lead, as a page would draw it."""
    tokens = [
        child
        for token in MarkdownIt("gfm-like", {"linkify": False}).disable("linkify").parse(text)
        for child in token.children or ()
    ]
    return [
        str(token.attrs.get("href") or token.attrs["src"]) for token in tokens if {"href", "src"} & token.attrs.keys()
    ]


def numbers(text: str) -> set[float]:
    """The numbers in a text, by either way to write thousands and decimals."""
    found: set[float] = set()
    for written, scale in _NUMBER.findall(text):
        found |= {value * _SCALES.get(scale.lower(), 1) for value in _values(written)}
    return found


def _values(written: str) -> set[float]:
    bare = re.sub(r"['’\u00a0\u202f ]", "", written)
    values: set[float] = set()
    for thousands, decimal in ((",", "."), (".", ",")):
        if re.fullmatch(
            rf"\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})*(?:{re.escape(decimal)}\d+)?|\d+(?:{re.escape(decimal)}\d+)?",
            bare,
        ):
            values.add(float(bare.replace(thousands, "").replace(decimal, ".")))
    return values


def _plain(text: str) -> str:
    """For comparison: one space for each run of white space, no emphasis, whatever the case."""
    return " ".join(re.sub(r"[*_`\\]", "", text).split()).casefold()
