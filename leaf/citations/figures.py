"""The figures of an answer: computed by the program, from a quoted source, or the model's own. Pure.

A figure counts as computed if it equals a value in the result of a `compute` call of the same answer, as it is or
rounded to the digits that it is stated with. It counts as quoted if it stands in a verified quote, or in the read text
of a source of which a quote was verified. Years, dates, places and numbers in names are no figures.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any, Final, cast

from leaf import parts
from leaf.citations.blanks import blanked, without_code
from leaf.citations.markers import definitions
from leaf.citations.reads import Library
from leaf.citations.syntax import ADDRESS, LINK, MARK, PLACE
from leaf.citations.verification import MOST_MARKS, QUOTE_CHARACTERS, Citation, Source

FIGURES = "data-figures"
COMPUTED = "computed"
TOOL = "compute"
MAX_FIGURES = 1_000
"""Figures of one answer that are looked at."""
_FIGURE = re.compile(
    r"(?<![\w#./:,'’-])(?P<money>[€$£¥]\s?)?(?P<sign>[-−])?(?<![\w-]-)"
    r"(?P<digits>\d{1,3}(?:[,.'’\u00a0\u202f]\d{3}){1,8}(?:[.,]\d{1,15})?|\d{1,30}(?:[.,]\d{1,15})?)"
    r"(?P<rest>[ \u00a0]?(?:%|‰|(?:percent|Prozent|million|Mio|billion|Mrd|EUR|USD|GBP|CHF|JPY)\b|[€$£¥]))?"
    r"(?![\w/:-]|[.,]\d)"
)
_READ = re.compile(r"\d[\d.,'’\u00a0\u202f]{0,40}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTH = r"(?:Jan|Feb|M[aä]r|Apr|Ma[iy]|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz])[a-z]{0,8}"
_APART = re.compile(
    rf"^[ >]{{0,8}}(?:[-+*] )?\d{{1,3}}[.)] |^#{{1,6}} .*$"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\.? {_MONTH}\b|\b{_MONTH} \d{{1,2}}\b"
    r"|\b\d{1,4}[./]\d{1,2}[./]\d{2,4}\b",
    re.MULTILINE,
)
"""Numbers of lists, headings, and dates."""
_BRACKETS = re.compile(r"\[[^\[\]\n]{0,200}\]")
"""Texts and names of links that name their address elsewhere: a mark within them would end the link."""
_SCALES: Final = {"million": 6, "Mio": 6, "billion": 9, "Mrd": 9}
_GERMAN: Final = str.maketrans(",.", ".,")
_MONEY: Final = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY"}


@dataclass(frozen=True)
class _Figure:
    """A figure in a text, and what it may mean."""

    slot: int
    start: int
    end: int
    """The end of its digits, before a unit."""
    behind: int
    """The end of its unit."""
    readings: Sequence[tuple[Decimal, int]]
    """Values, each with the number of digits behind the decimal sign."""
    signed: bool
    percent: bool
    scale: int
    unit: str


def check(
    texts: Mapping[int, str], message_parts: Sequence[parts.Part], cited: Sequence[Citation], words: Iterable[str],
    library: Library,
) -> tuple[list[Citation], list[list[int]]]:  # fmt: skip
    """The citations of an answer with those of its computed figures, numbered in the order of the text; and the
    model's own figures, each as slot, begin and end.

    Args:
        texts: The texts of the answer by slot.
        message_parts: All parts of the answer.
        cited: Its checked quotes.
        words: What people wrote in the chat: figures in it are not the model's.
        library: What was read.
    """
    found = [*islice(_figures(texts), MAX_FIGURES)]
    # A later result is the one that the answer is about.
    computations = [*_computations(message_parts)][::-1]
    marked: dict[str, list[_Figure]] = {}
    others: list[_Figure] = []
    for figure in found:
        call = next((one for one in computations if _is_of(figure, one["output"])), None)
        if call is not None:
            marked.setdefault(str(call["toolCallId"]), []).append(figure)
        else:
            others.append(figure)
    made = [_citation(one, marked[one["toolCallId"]]) for one in computations if one["toolCallId"] in marked]
    known = _known(cited, words, library) if others else frozenset[Decimal]()
    own = [[one.slot, one.start, one.end] for one in others if not any(value in known for value, _ in one.readings)]
    return _numbered([*cited, *made]) if made else [*cited], own


def _figures(texts: Mapping[int, str]) -> Iterator[_Figure]:
    for slot, text in sorted(texts.items()):
        bare = without_code(text)
        bare = blanked(bare, [(begin, end) for _, begin, end in definitions(text)])
        for pattern in (LINK, ADDRESS, MARK, PLACE, _BRACKETS, _APART):
            bare = blanked(bare, [one.span() for one in pattern.finditer(bare)])
        for one in _FIGURE.finditer(bare):
            rest = (one["rest"] or "").strip()
            money = (one["money"] or "").strip()
            if _YEAR.fullmatch(one["digits"]) and not rest and not money:
                continue
            unit = _MONEY.get(money) or _MONEY.get(rest) or (rest if rest.isupper() and len(rest) == 3 else "")
            yield _Figure(
                slot, one.start(), one.end("digits"), one.end(), _readings(one["digits"]), one["sign"] is not None,
                rest in {"%", "percent", "Prozent"}, _SCALES.get(rest, 0), unit,
            )  # fmt: skip


def _readings(digits: str) -> list[tuple[Decimal, int]]:
    """The values that digits may mean, with separators of thousands or a decimal sign."""
    digits = digits.rstrip(".,'’\u00a0\u202f")
    signs = [sign for sign in digits if not sign.isdigit()]
    bare = re.sub(r"\D", "", digits)
    if not signs or not bare:
        return [(Decimal(bare), 0)] if bare else []
    groups = re.split(r"\D", digits)
    found: list[tuple[Decimal, int]] = []
    if all(len(one) == 3 for one in groups[1:]) and len(groups[0]) <= 3 and len({*signs}) == 1:
        found.append((Decimal(bare), 0))
    if signs[-1] in ".," and signs[-1] not in signs[:-1] and all(len(one) == 3 for one in groups[1:-1]):
        found.append((Decimal("".join(groups[:-1]) + "." + groups[-1]), len(groups[-1])))
    return found


def _computations(message_parts: Iterable[parts.Part]) -> Iterator[parts.Part]:
    """The finished computations of an answer that have a result."""
    for part in message_parts:
        if parts.is_tool(part) and parts.tool_name(part) == TOOL and part["state"] == "output-available":
            output = part.get("output")
            if isinstance(output, dict) and output.get("rows") and not output.get("withheld"):
                yield part


def _is_of(figure: _Figure, output: Mapping[str, Any]) -> bool:
    """Whether a figure is a value of a result, as it is or rounded."""
    columns = cast("list[dict[str, Any]]", output.get("columns") or [])
    for row in output["rows"]:
        for column, value in zip(columns, row, strict=False):
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            unit = str(column.get("unit") or "")
            if figure.unit and unit and figure.unit != unit:
                continue
            exact = Decimal(str(value))
            if any(_equals(figure, x, digits, exact) for x, digits in figure.readings):
                return True
            # A share of 0.16 is stated as 16 %.
            if (
                figure.percent
                and not unit
                and any(_equals(figure, x, digits, exact * 100) for x, digits in figure.readings)
            ):
                return True
    return False


def _equals(figure: _Figure, stated: Decimal, digits: int, exact: Decimal) -> bool:
    exact = exact.scaleb(-figure.scale)
    if not figure.signed:
        # “38,000 less” states the size of a difference.
        exact = abs(exact)
    elif stated:
        stated = -stated
    if stated == exact:
        return True
    rounded = abs(stated - exact) <= Decimal(5).scaleb(-digits - 1)
    return rounded and len(str(abs(stated)).replace(".", "").strip("0")) >= 2


def _citation(part: parts.Part, figures: Sequence[_Figure]) -> Citation:
    output = cast("dict[str, Any]", part["output"])
    files = {str(one["id"]): one for one in output.get("files") or () if isinstance(one, dict) and one.get("id")}
    tables = [one for one in output.get("tables") or () if isinstance(one, dict)]
    used = list(dict.fromkeys(str(one.get("file_id")) for one in tables))
    first = files.get(used[0], {}) if used else {}
    name = ", ".join(str(files[one]["name"]) for one in used if one in files)
    source = Source(
        COMPUTED, used[0] if used else "", str(first.get("revision") or ""), name, str(first.get("url") or "")
    )
    places = "; ".join(dict.fromkeys(f"{one.get('part')}, {_cells(one)}" for one in tables))
    at = [(one.slot, one.behind, one.behind) for one in figures][:MOST_MARKS]
    formula = {language: words_of(output, language)[:QUOTE_CHARACTERS] for language in output.get("formula") or ()}
    return Citation(
        0,
        True,
        "",
        source,
        places[:400],
        formula.get("en", ""),
        at,
        call=part["toolCallId"],
        files=used,
        formula=formula,
    )


def _cells(table: Mapping[str, Any]) -> str:
    cells = [str(one) for one in table.get("cells") or ()]
    return ", ".join(cells[:4]) + (" …" if len(cells) > 4 else "")


def words_of(output: Mapping[str, Any], language: str) -> str:
    """The formula of a result in words, with its condition, and its value if it is a single one."""
    formula = output.get("formula")
    said = str(formula.get(language) or "") if isinstance(formula, dict) else ""
    tables = output.get("tables") or []
    conditions = dict.fromkeys(
        str(one.get("condition")) for one in tables if isinstance(one, dict) and one.get("condition")
    )
    said += f" ({'; '.join(conditions)})" if conditions else ""
    rows, columns = output.get("rows") or [], output.get("columns") or []
    if len(rows) == 1 and len(rows[0]) == 1 and isinstance(rows[0][0], int | float):
        unit = str(columns[0].get("unit") or "") if columns else ""
        shown = f"{rows[0][0]:,}"
        shown = shown.translate(_GERMAN) if language == "de" else shown
        said += f" = {shown}" + (f" {unit}" if unit else "")
    return said


def _known(cited: Sequence[Citation], words: Iterable[str], library: Library) -> Collection[Decimal]:
    """The values of figures that people wrote or that stand in quoted sources."""
    texts = [*words]
    sources: set[tuple[str, str]] = set()
    for one in cited:
        if one.verified:
            texts += one.quote, one.before, one.after
            sources.add((one.source.kind, one.source.file_id))
    for (kind, key), material in library.read.items():
        if (kind, key) in sources:
            texts += [passage.text for stretch in material.texts for passage in stretch]
    return {value for text in texts for one in _READ.finditer(text) for value, _ in _readings(one[0])}


def _numbered(cited: Sequence[Citation]) -> list[Citation]:
    """Citations in the order in which their numbers stand in the text; those without a number come last."""
    last = (1 << 31, 0, 0)
    ordered = sorted(cited, key=lambda one: min(one.at, default=last))
    return [replace(one, n=n) for n, one in enumerate(ordered, 1)]
