"""Sorts the figures of an answer into computed, quoted and the model's own. Pure.

A figure counts as computed if it equals a value in the result of a `compute` call of the same answer. It may be rounded
to the digits that the answer states. The value must rest on cells: a constant in the statement of the call is not
computed. A figure counts as quoted if it is in a verified quote, or in the text that was read of a source with a
verified quote. Years, dates, places and numbers in names are not figures.
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
from leaf.documents.tables import unit_names
from leaf.parts.objects import objects_in
from leaf.texts import of as in_language

FIGURES = "data-figures"
COMPUTED = "computed"
TOOL = "compute"
MAX_FIGURES = 1_000
"""The maximum number of figures of one answer that are checked."""
_FIGURE = re.compile(
    r"(?<![\w#./:,'’-])(?P<money>[€$£¥₹₽₺]\s?)?(?P<sign>[-−])?(?<![\w-]-)"
    r"(?P<digits>\d{1,3}(?:[,.'’\u00a0\u202f]\d{3}){1,8}(?:[.,]\d{1,15})?|\d{1,30}(?:[.,]\d{1,15})?)(?![.,]?\d)"
)
_END = re.compile(r"(?!\w|[/:]\d|-\w)")
_CURRENCY_BEFORE = re.compile(r"(?:^|[^\w€$£¥₹₽₺])([^\W\d_]{1,3}[$.]?|[€$£¥₹₽₺])[ \u00a0\u202f]?\Z")
"""A currency before a number."""
_AFTER = re.compile(
    r"\*{0,3}[ \u00a0\u202f]?\*{0,3}((?:[^\W\d_]{1,20}-)?[^\W\d_]{1,24}[23]?\.?|[%‰€$£¥₹₽₺]|°[CF])(?!\w)"
)
"""A scale or a unit after a number."""
_EACH = re.compile(r"/[^\W\d_]{1,20}")
_NUMBER = re.compile(r"\d[\d.,'’\u00a0\u202f]{0,40}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTH = r"(?:Jan|Feb|M[aä]r|Apr|Ma[iy]|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz])[a-z]{0,8}"
_NOT_FIGURES = re.compile(
    rf"^[ >]{{0,8}}(?:[-+*] )?\*{{0,3}}\d{{1,3}}[.)]\*{{0,3}} |^#{{1,6}} .*$"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\.? {_MONTH}\b|\b{_MONTH} \d{{1,2}}\b"
    r"|\b\d{1,4}[./]\d{1,2}[./]\d{2,4}\b",
    re.MULTILINE,
)
"""Text whose numbers are not figures: list numbers (also in bold), headings and dates."""
_BRACKETS = re.compile(r"\[[^\[\]\n]{0,200}\]")
"""Texts and labels of links whose address is elsewhere. A mark within them would break the link."""
_GERMAN: Final = str.maketrans(",.", ".,")
_SCALES: Final = {
    3: "computed.thousand", 5: "computed.lakh", 6: "computed.million", 7: "computed.crore", 9: "computed.billion",
}  # fmt: skip
_PERCENT: Final = frozenset({"%"})
_RATIO_UNITS: Final = frozenset({"%", "‰", "pcs"})
"""Units in which a count or a ratio may be stated."""
_NOTHING: Final = frozenset[str]()
_CURRENCIES: Final = frozenset(unit_names.CURRENCIES.values())


@dataclass(frozen=True)
class _Meaning:
    """A possible meaning of the words around digits."""

    end: int
    """The end of these words."""
    scale: int = 0
    """The power of ten."""
    units: frozenset[str] = _NOTHING
    """The units that the words may stand for; empty if no unit is written."""


@dataclass(frozen=True)
class _Figure:
    """A figure in a text and its possible meanings."""

    slot: int
    start: int
    end: int
    """The end of its digits, before a unit."""
    meanings: Sequence[_Meaning]
    """The possible meanings of the words around it, the most likely first."""
    readings: Sequence[tuple[Decimal, int]]
    """The values that the digits may have, each with the number of decimal places."""
    signed: bool

    @property
    def unit_end(self) -> int:
        """The end of its unit."""
        return self.meanings[0].end


def check(
    texts: Mapping[int, str], message_parts: Sequence[parts.Part], cited: Sequence[Citation], words: Iterable[str],
    library: Library,
) -> tuple[list[Citation], list[list[int]]]:  # fmt: skip
    """Returns all citations of an answer, and the figures that are the model's own.

    The citations include those of computed figures and charts. They are numbered in the order of the text. Each of the
    model's own figures is a list of slot, begin and end.

    Args:
        texts: The texts of the answer by slot.
        message_parts: All parts of the answer.
        cited: Its checked quotes.
        words: Texts that people wrote in the chat. Figures in them are not the model's.
        library: The texts that were read.
    """
    narration = parts.narration(message_parts)
    found = [*islice(_figures({slot: text for slot, text in texts.items() if slot not in narration}), MAX_FIGURES)]
    # The answer is about the latest result, so it is tried first.
    computations = [*_computations(message_parts)][::-1]
    marked: dict[str, list[_Figure]] = {}
    others: list[_Figure] = []
    for figure in found:
        call = next((one for one in computations if _is_in_result(figure, one["output"])), None)
        if call is not None:
            marked.setdefault(str(call["toolCallId"]), []).append(figure)
        else:
            others.append(figure)
    # A chart shows its result without a figure in the text.
    computed = [
        _citation(one, marked.get(one["toolCallId"], ()))
        for one in computations
        if one["toolCallId"] in marked or one["output"].get("chart")
    ]
    known = _known_values(cited, words, library) if others else frozenset[Decimal]()
    own = [[one.slot, one.start, one.end] for one in others if not any(value in known for value, _ in one.readings)]
    return _numbered([*cited, *computed]) if computed else [*cited], own


def _figures(texts: Mapping[int, str]) -> Iterator[_Figure]:
    for slot, text in sorted(texts.items()):
        bare = without_code(text)
        bare = blanked(bare, [(begin, end) for _, begin, end in definitions(text)])
        for pattern in (LINK, ADDRESS, MARK, PLACE, _BRACKETS, _NOT_FIGURES):
            bare = blanked(bare, [one.span() for one in pattern.finditer(bare)])
        for one in _FIGURE.finditer(bare):
            meanings = _meanings(bare, one)
            is_bare = meanings[0].end == one.end() and not meanings[0].units
            # “Step 3: …” is a label.
            is_label = bare[one.end() : one.end() + 1] == ":" and len(one["digits"]) < 3
            if is_bare and (is_label or _END.match(bare, one.end()) is None or _YEAR.fullmatch(one["digits"])):
                continue
            readings = _readings(one["digits"])
            yield _Figure(slot, one.start(), one.end(), meanings, readings, one["sign"] is not None)


def _meanings(text: str, figure: re.Match[str]) -> list[_Meaning]:
    """The possible meanings of the words around a figure."""
    begin, end = figure.start(), figure.end()
    ahead = _CURRENCY_BEFORE.search(text, max(0, begin - 6), begin) if not figure["money"] else None
    before = unit_names.units_of(figure["money"] or (ahead[1] if ahead else ""))
    if not before <= _CURRENCIES:
        before = _NOTHING
    found = [_Meaning(stop, scale, units or before) for stop, scale, units in _meanings_after(text, end)]
    return found or [_Meaning(end, 0, before)]


def _meanings_after(text: str, at: int) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Yields the possible meanings of the words after digits: their end, scale (as a power of ten) and units."""
    first = _AFTER.match(text, at)
    if first is None:
        return
    second = _AFTER.match(text, first.end()) if first.end() < len(text) and not text[first.end()].isalnum() else None
    for scale in unit_names.SCALES.get(first[1].lower().removesuffix("."), ()):
        end, units = _unit(text, first.end())
        yield end, scale, units
    if (together := unit_names.scaled(first[1])) is not None:
        scale, currency = together
        yield first.end(), scale, frozenset({currency})
    if second is not None and (units := unit_names.units_of(f"{first[1]}-{second[1]}")):
        yield second.end(), 0, units
    end, units = _unit(text, at)
    if units:
        yield end, 0, units


def _unit(text: str, at: int) -> tuple[int, frozenset[str]]:
    """Returns the end of the unit at a position of a text, and the unit; without a unit, the position itself and an
    empty set.
    """
    found = _AFTER.match(text, at)
    units = unit_names.units_of(found[1]) if found is not None else _NOTHING
    if found is None or not units:
        return at, _NOTHING
    each = _EACH.match(text, found.end())
    # A full stop ends the sentence more often than the unit.
    return (each.end() if each else found.end() - found[1].endswith(".")), units


def _readings(digits: str) -> list[tuple[Decimal, int]]:
    """The values that digits with thousands separators or a decimal sign may mean, each with the number of decimal
    places.
    """
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


def has_charts(message_parts: Iterable[parts.Part]) -> bool:
    """Whether an answer draws a computed result."""
    return any(one["output"].get("chart") for one in _computations(message_parts))


def finished(message_parts: Iterable[parts.Part]) -> Iterator[parts.Part]:
    """The finished `compute` calls of an answer whose output is not withheld."""
    for part in message_parts:
        if parts.is_tool(part) and parts.tool_name(part) == TOOL and part["state"] == "output-available":
            output = part.get("output")
            if isinstance(output, dict) and not output.get("withheld"):
                yield part


def _computations(message_parts: Iterable[parts.Part]) -> Iterator[parts.Part]:
    """The finished computations of an answer whose result has rows."""
    return (one for one in finished(message_parts) if one["output"].get("rows"))


def _is_in_result(figure: _Figure, output: Mapping[str, Any]) -> bool:
    """Whether a figure is a value of a result, exact or rounded."""
    columns = cast("list[dict[str, Any]]", output.get("columns") or [])
    return any(
        _states(figure, value, column)
        for row in output["rows"]
        for column, value in zip(columns, row, strict=False)
        if isinstance(value, int | float) and not isinstance(value, bool) and not column.get("constant")
    )


def _states(figure: _Figure, value: float, column: Mapping[str, Any]) -> bool:
    """Whether a figure states a value of a column, exact or rounded."""
    written = Decimal(str(value))
    scale, unit = unit_names.scale_of(str(column.get("unit") or ""))
    exact = written.scaleb(scale)
    for meaning in figure.meanings:
        if not _fits(meaning.units, unit, column):
            continue
        wanted = [exact]
        if meaning.units == _PERCENT and not unit:
            # A share of 0.16 may be stated as 16 %.
            wanted.append(exact * 100)
        elif scale and not meaning.scale and not meaning.units:
            # A value of 3 in a column of millions may be stated without its scale.
            wanted.append(written)
        if any(_equals(figure, meaning.scale, x, digits, one) for x, digits in figure.readings for one in wanted):
            return True
    return False


def _fits(units: frozenset[str], unit: str, column: Mapping[str, Any]) -> bool:
    """Whether a stated unit may be the unit of a column. It may if either of them is unknown."""
    if not units:
        return True
    if unit:
        return unit in units
    return not column.get("pure") or not units.isdisjoint(_RATIO_UNITS)


def _equals(figure: _Figure, scale: int, stated: Decimal, digits: int, exact: Decimal) -> bool:
    exact = exact.scaleb(-scale)
    if not figure.signed:
        # “38,000 less” states the size of a difference.
        exact = abs(exact)
    elif stated:
        stated = -stated
    if stated == exact:
        return True
    rounded = abs(stated - exact) <= Decimal(5).scaleb(-digits - 1)
    return rounded and len(str(abs(stated)).replace(".", "").lstrip("0")) >= 2


def _citation(part: parts.Part, figures: Sequence[_Figure]) -> Citation:
    output = cast("dict[str, Any]", part["output"])
    files = {str(one["id"]): one for one in objects_in(output.get("files")) if one.get("id")}
    tables = objects_in(output.get("tables"))
    used = list(dict.fromkeys(str(one.get("file_id")) for one in tables))
    first = files.get(used[0], {}) if used else {}
    name = ", ".join(str(files[one]["name"]) for one in used if one in files)
    source = Source(
        COMPUTED, used[0] if used else "", str(first.get("revision") or ""), name, str(first.get("url") or "")
    )
    places = "; ".join(dict.fromkeys(f"{one.get('part')}, {_cells(one)}" for one in tables))
    at = [(one.slot, one.unit_end, one.unit_end) for one in figures][:MOST_MARKS]
    formula = {language: words_of(output, language)[:QUOTE_CHARACTERS] for language in output.get("formula") or ()}
    return Citation(
        n=0, verified=True, reason="", source=source, part=places[:400], quote=formula.get("en", ""), at=at,
        call=part["toolCallId"], files=used, formula=formula,
    )  # fmt: skip


def _cells(table: Mapping[str, Any]) -> str:
    cells = [str(one) for one in table.get("cells") or ()]
    return ", ".join(cells[:4]) + (" …" if len(cells) > 4 else "")


def words_of(output: Mapping[str, Any], language: str) -> str:
    """The formula of a result in words, with its conditions, and with the value if the result is a single number."""
    formula = output.get("formula")
    text = str(formula.get(language) or "") if isinstance(formula, dict) else ""
    tables = output.get("tables") or []
    conditions = (condition_of(one, language) for one in tables if isinstance(one, dict))
    shown = "; ".join(dict.fromkeys(one for one in conditions if one))
    text += f" ({shown})" if shown else ""
    rows, columns = output.get("rows") or [], output.get("columns") or []
    if len(rows) == 1 and len(rows[0]) == 1 and isinstance(rows[0][0], int | float):
        unit = str(columns[0].get("unit") or "") if columns else ""
        value = f"{rows[0][0]:,}"
        if language == "de":
            value = value.translate(_GERMAN)
        text += f" = {value}" + (f" {_unit_text(unit, language)}" if unit else "")
    return text


def condition_of(table: Mapping[str, Any], language: str) -> str:
    """The condition for the used rows of a table, empty for none. Older results have it in SQL."""
    condition = table.get("condition") or ""
    return str(condition.get(language) or "") if isinstance(condition, dict) else str(condition)


def _unit_text(unit: str, language: str) -> str:
    scale, currency = unit_names.scale_of(unit)
    return in_language(language)(_SCALES[scale], currency=currency) if scale else unit


def _known_values(cited: Sequence[Citation], words: Iterable[str], library: Library) -> Collection[Decimal]:
    """The values of figures that people wrote, or that quoted sources contain."""
    texts = [*words]
    sources: set[tuple[str, str]] = set()
    for one in cited:
        if one.verified:
            texts += one.quote, one.before, one.after
            sources.add((one.source.kind, one.source.file_id))
    for (kind, key), material in library.read.items():
        if (kind, key) in sources:
            texts += [passage.text for stretch in material.texts for passage in stretch]
    return {value for text in texts for one in _NUMBER.finditer(text) for value, _ in _readings(one[0])}


def _numbered(cited: Sequence[Citation]) -> list[Citation]:
    """Citations in the order of their numbers in the text. Citations without a number come last."""
    last = (1 << 31, 0, 0)
    ordered = sorted(cited, key=lambda one: min(one.at, default=last))
    return [replace(one, n=n) for n, one in enumerate(ordered, 1)]
