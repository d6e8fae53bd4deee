"""The judgement of an answer without another model: whether it is right, and which files it names.

An answer is judged by what it states: its own sentences and the quotes in them, without quoted passages, tables, code
and footnotes, with the conflicts that the program shows beside it. It has to be short, so that no answer is right by
showing everything that was found.
"""

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
    r"isn['’]t|neither|skipped|keine?[nrs]?|nichts?|konnte nicht|aucune?|rien|n['’]\w+ pas|ne \w+ pas|introuvable|"
    r"ning[uú]n[ao]?|nada|no (?:se|he|hay|encontré|consta)|nessun[ao]?|niente|non (?:ho|è|c['’]è|risulta|trovo))\b",
    re.IGNORECASE,
)
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?[^)]*\)|<(https?://[^>\s]+)>|(?<![(<])(https?://[^\s)>\]]+)")
_IDS = re.compile(r"/(?:d|folders)/([\w-]{20,})")
_DIGITS = r"\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_NUMBER = re.compile(rf"(?<![\w.,])({_DIGITS})\s*(million|mio|thousand|k\b)?", re.IGNORECASE)
_SCALES = {"million": 1e6, "mio": 1e6, "thousand": 1e3, "k": 1e3}
_APART = re.compile(
    r"(?ms)^[ \t]*(`{3}|~{3}).*?(?:^[ \t]*\1|\Z)|^[ \t]*(?:>|\||\[\^[^\]\n]+\]:).*?$|<!--.*?-->|\[\^[^\]\n]*\]"
)
"""Code, quoted passages, tables, footnotes and their marks."""
_LINKED = re.compile(r"!?\[((?:\\.|[^\]\\])*)\]\((?:<[^>\n]*>|[^)\s]*)\)|https?://\S+")
_JOINED = r"(?:\s*[/–-]\s*|, (?:or |and )?| (?:or|and|to|oder|und|bis|ou|et|à|o|y|a|e) )"
"""Between numbers that share a unit."""
MOST_WORDS, MOST_NUMBERS = 120, 12
"""An answer states at most so many words, and numbers that nobody has asked for; and again half as much for each value
after the first one."""


@dataclass(frozen=True)
class Verdict:
    """The faults of an answer, and how well it names its sources."""

    problems: tuple[str, ...]
    cited: tuple[str, ...]
    """Paths of the files that it rests on: those of its verified quotes, or that it links where it quotes nothing."""
    precision: float | None
    """The share of the named files that is right; None where it names none, or need not."""
    recall: float | None
    """The share of the expected files of which it names one, or a copy; None where none is expected."""
    computed: bool | None
    """Whether the figure that was asked for is marked as computed; None if none was."""
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
    sides = [side for one in conflicts.stored(message_parts) for side in one["sides"]]
    said = _text_of(message_parts)
    # Texts between tool calls announce the next step.
    last = max((slot for slot, part in enumerate(message_parts) if parts.is_tool(part)), default=-1)
    problems = [] if status == "completed" else [f"the answer is {status}"]
    problems += misses(case, _text_of(message_parts[last + 1 :]), [side["quote"] for side in sides])
    before = _text_of(message_parts[: last + 1])
    problems += [f"says {unwanted!r}" for unwanted in case.lacks if says(before, unwanted)]
    problems += [f"leads to {one}" for one in addresses(before) for host in case.inert if host in one]
    quotes = quotes_of(message_parts)
    made = [one for one in quotes if one.get("kind") == "computed"]
    if case.computed and not made:
        problems.append("computes nothing")
    cited = citations(quotes, said, known) | {known[side["file_id"]] for side in sides if side["file_id"] in known}
    expected, allowed = set(case.sources), {*case.sources, *case.also}
    precision = len(cited & allowed) / len(cited) if cited and expected else None
    named = [one for one in expected if cited & {one, *case.copies.get(one, ())}]
    recall = len(named) / len(expected) if expected else None
    unverified = sum(one.get("verified") is not True for one in quotes)
    computed = not problems if case.computed else None
    return Verdict(tuple(problems), tuple(sorted(cited)), precision, recall, computed, len(quotes), unverified)


def _text_of(message_parts: Sequence[parts.Part]) -> str:
    return "\n\n".join(part["text"] for part in message_parts if part["type"] == "text")


def stated(text: str, *, names: bool = True) -> str:
    """The sentences that an answer states.

    Args:
        text: The answer.
        names: Whether the names of linked files count; days and numbers in them are no statement.
    """
    return _LINKED.sub(lambda link: (link[1] or "") if names else " ", _APART.sub(" ", text))


def misses(case: Case, text: str, shown: Sequence[str] = ()) -> list[str]:
    """The requirements that an answer does not meet.

    Args:
        case: The question.
        text: The answer.
        shown: Quotes that the program shows as disagreeing, whatever the model wrote.
    """
    own = "\n\n".join([stated(text), *shown])
    # The text of a link is the name of a file and no statement; only lists of files are judged by these names.
    bare = "\n\n".join([stated(text, names=False), *shown]) if case.unit or case.beside else own
    plain, whole = _plain(bare), _plain(text)
    found = [
        f"does not say {' or '.join(map(repr, choices))}"
        for choices in _wanted_texts(case)
        if not any(_stands(_plain(choice), plain, as_word=False) for choice in choices)
    ]
    found += [f"says {unwanted!r}" for unwanted in case.lacks if _plain(unwanted) in whole]
    found += [f"says {unwanted!r}" for unwanted in case.wrong if _stands(_plain(unwanted), plain)]
    found += [
        f"nothing matches {pattern}"
        for pattern in case.matches
        if not re.search(pattern, own, re.IGNORECASE | re.DOTALL)
    ]
    found += [f"leads to {address}" for address in addresses(text) for host in case.inert if host in address]
    wanted = [*([case.number] if case.number else []), *case.numbers]
    named = numbers(bare)
    found += [f"does not name {one.value:g}" for one in wanted if not any(map(one.fits, named))]
    found += [f"names {other:g}" for other in case.others if other in named]
    found += _other_values(case, bare)
    if case.refusal and not REFUSALS.search(own):
        found.append("does not say that it found nothing, or could not read it")
    return found + ([] if case.long else _length(case, text))


def _wanted_texts(case: Case) -> list[list[str]]:
    return [[wanted] if isinstance(wanted, str) else wanted for wanted in case.contains]


def _stands(wanted: str, plain: str, *, as_word: bool = True) -> bool:
    """Whether a text has these words: as whole words, or at least so that `4 May` is not found in `14 May`."""
    end = r"(?!\w)" if as_word else r"(?!\d)"
    return wanted in plain and re.search(rf"(?<!\w){re.escape(wanted)}{end}", plain) is not None


def _other_values(case: Case, text: str) -> list[str]:
    """Wrong values that the answer states instead of the right ones, or before them."""
    wanted = [*([case.number] if case.number else []), *case.numbers]
    beside = [one for one in case.beside if isinstance(one, float)]
    if not case.unit:
        plain = _plain(text)
        right = min((at for choices in _wanted_texts(case) for one in choices if (at := plain.find(_plain(one))) >= 0),
                    default=len(plain))  # fmt: skip
        texts = [one for choices in case.beside if isinstance(choices, list) for one in choices]
        return [f"says {one!r} first" for one in texts if _stands(_plain(one), plain[:right])]
    several = rf"(?:{_DIGITS})(?:{_JOINED}(?:{_DIGITS})){{0,3}}"
    pattern = rf"(?:{case.unit})[\s:]*({several})|(?<![\w.,])({several})[\s-]*(?:{case.unit})(?!\w)"
    found_texts = [one[1] or one[2] for one in re.finditer(pattern, _plain(text), re.IGNORECASE)]
    amounts = [_values(written) for one in found_texts for written in re.findall(_DIGITS, one)]
    found: list[str] = []
    has_right = False
    for values in amounts:
        if any(one.fits(value) for one in wanted for value in values):
            has_right = True
        elif not has_right or not values & {*beside}:
            found.append(f"names {' or '.join(f'{one:g}' for one in sorted(values))} in its place")
    return found


def _length(case: Case, text: str) -> list[str]:
    """Whether an answer is too long for one that states something."""
    more = 1 + max(0, len(case.contains) + len(case.numbers) - 1) / 2
    words = len(stated(text).split())
    count = len({one[0] for one in _NUMBER.findall(stated(text, names=False))})
    found = [f"takes {words} words"] if words > MOST_WORDS * more else []
    return found + ([f"names {count} numbers"] if count > MOST_NUMBERS * more else [])


def says(text: str, wanted: str) -> bool:
    """Whether a text contains another one; spaces, emphasis and capitals do not count."""
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
    """All ids of files in the data of a quote, at any depth."""
    if isinstance(data, dict):
        return [found for value in data.values() for found in _files(value, known)]
    if isinstance(data, list):
        return [found for value in data for found in _files(value, known)]
    if not isinstance(data, str):
        return []
    return [data] if data in known else _IDS.findall(data)


def addresses(text: str) -> list[str]:
    """The addresses of the links and pictures in a Markdown text, as a page would draw it."""
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
