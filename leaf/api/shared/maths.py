r"""Formulas as MathML, which browsers draw without a script or a special font. Pure.

The library does not escape the content of `\text{…}`, and copies addresses and styles from the formula. Therefore only
the elements and attributes listed here are taken from its output, and every text is escaped.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from xml.etree.ElementTree import Element

MOST_CHARACTERS = 2000
"""The maximum length of a formula. Longer formulas are shown as source."""
MOST_FORMULAS = 200
"""The maximum number of formulas in a text. Further formulas are shown as source."""
MOST_TEXT_CHARACTERS = 20_000
"""The maximum length of a text that is searched for formulas. Longer texts would take too long."""
_BEGIN, _END = "\ue010", "\ue011"
PLACEHOLDER = re.compile(f"{_BEGIN}(\\d+){_END}")
_PLACEHOLDER_SIGNS = re.compile(f"[{_BEGIN}{_END}]")
_CACHED = 2000
_MOST_DEPTH = 60

# The same rules as in `assets/client/formulas.js`. Code is matched first and not changed. Prices are not formulas.
_PIECES = re.compile(
    r"(?P<fence>^ {0,3}(?P<marks>`{3,}+|~{3,}+)[^\n]*\n[\s\S]*?(?:^ {0,3}(?P=marks)[ \t]*$|\Z))"
    r"|(?P<code>(?<!`)(?P<ticks>`++)[\s\S]{0,2000}?[^`](?P=ticks)(?!`))"
    r"|\\\[(?P<bracket>(?:[^\\]|\\(?!\[)[\s\S]){1,2000}?)\\\]"
    r"|\\\((?P<round>(?:[^\\]|\\(?!\()[\s\S]){1,2000}?)\\\)"
    r"|(?<![\\$])\$\$(?!\$)(?P<double>[\s\S]{1,2000}?)\$\$"
    r"|(?<![\\$\w])\$(?![\s$])(?P<single>[^$\n]{0,300}?[^$\s\\])\$(?![\w$])",
    re.MULTILINE,
)
_COMMAND = re.compile(r"\\[a-zA-Z]")
_WORD = re.compile(r"[a-zA-Z]{3,}")
_SIGNS = re.compile(r"[\^_=<>{}]|^[a-zA-Z]$|^[a-zA-Z]\([a-zA-Z]\)$")
_MATHS = re.compile(r"[\^_=<>{}+*/|]")
_LETTERS = re.compile(r"[^\W\d_]{3}")
_NOTE = re.compile(r"\s*\d{1,4}\s*")
_AMOUNT = re.compile(r"[\d.,]+\s")

_ELEMENTS = frozenset({
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "msub", "msup", "msubsup",
    "munder", "mover", "munderover", "mtable", "mtr", "mtd", "mpadded", "mphantom", "menclose", "mmultiscripts",
    "mprescripts", "none",
})  # fmt: skip
_ATTRIBUTES = {
    "accent": re.compile(r"true|false"),
    "columnalign": re.compile(r"(left|right|center| ){1,60}"),
    "display": re.compile(r"inline|block"),
    "displaystyle": re.compile(r"true|false"),
    "fence": re.compile(r"true|false"),
    "form": re.compile(r"prefix|infix|postfix"),
    "linethickness": re.compile(r"[\d.]{1,6}(px|em|ex|pt)?"),
    "mathvariant": re.compile(r"[a-z-]{1,24}"),
    "maxsize": re.compile(r"[\d.]{1,6}(em)?"),
    "minsize": re.compile(r"[\d.]{1,6}(em)?"),
    "movablelimits": re.compile(r"true|false"),
    "scriptlevel": re.compile(r"[+-]?\d"),
    "stretchy": re.compile(r"true|false"),
    "symmetric": re.compile(r"true|false"),
    "width": re.compile(r"-?[\d.]{1,6}em"),
}


@dataclass(frozen=True)
class Formula:
    """A formula in a text."""

    tex: str
    display: bool
    """Whether the formula is shown on its own line."""
    source: str
    """The formula with its delimiters."""


def extract(text: str) -> tuple[str, list[Formula]]:
    """Takes the formulas out of Markdown, so that their characters are not read as markup.

    Returns:
        The text with a placeholder (`PLACEHOLDER`) for each formula, and the formulas.
    """
    formulas: list[Formula] = []

    def taken(found: re.Match[str]) -> str:
        if found["fence"] is not None or found["code"] is not None or len(formulas) == MOST_FORMULAS:
            return found[0]
        tex = next(found[name] for name in ("bracket", "round", "double", "single") if found[name] is not None)
        if not tex.strip() or len(tex) > MOST_CHARACTERS or (found["single"] is not None and not _is_formula(tex)):
            return found[0]
        if found["bracket"] is not None or found["round"] is not None:
            after = bare[found.end() : found.end() + 2]
            if _is_escaped(tex, after, is_bracket=found["bracket"] is not None):
                return found[0]
        formulas.append(Formula(tex.strip(), found["bracket"] is not None or found["double"] is not None, found[0]))
        return f"{_BEGIN}{len(formulas) - 1}{_END}"

    bare = _PLACEHOLDER_SIGNS.sub("", text)
    searched = len(bare) <= MOST_TEXT_CHARACTERS and ("$" in bare or "\\" in bare)
    return (_PIECES.sub(taken, bare) if searched else bare), formulas


def _is_formula(tex: str) -> bool:
    """Whether the text between two dollar signs is a formula, rather than amounts of money and words."""
    if _COMMAND.search(tex):
        return True
    return bool(_SIGNS.search(tex)) and not _WORD.search(tex) and not _AMOUNT.match(tex)


def _is_escaped(tex: str, after: str, *, is_bracket: bool) -> bool:
    r"""Whether `\[…\]` or `\(…\)` are escaped brackets and not a formula.

    They are if they enclose words or the number of a note, or if an address follows.
    """
    if is_bracket and (after.removeprefix("\\").startswith("(") or "](http" in tex):
        return True
    if _COMMAND.search(tex) or _MATHS.search(tex):
        return False
    return bool(_LETTERS.search(tex)) or (is_bracket and _NOTE.fullmatch(tex) is not None)


@lru_cache(maxsize=_CACHED)
def drawn(formula: Formula) -> str:
    """A formula as HTML: MathML, or its source if that is not possible."""
    mathml = _mathml(formula)
    if mathml is None:
        return f'<code class="formula">{escape(formula.source)}</code>'
    return f'<span class="formula block">{mathml}</span>' if formula.display else mathml


def _mathml(formula: Formula) -> str | None:
    # Imported here, because only pages with a formula need the library.
    from latex2mathml import converter, exceptions

    refusals = tuple(one for one in vars(exceptions).values() if isinstance(one, type) and issubclass(one, Exception))
    if formula.tex.count("{") > _MOST_DEPTH * 10 or _depth(formula.tex) > _MOST_DEPTH:
        return None
    try:
        element = converter.convert_to_element(formula.tex, display="block" if formula.display else "inline")
    except (*refusals, LookupError, ValueError, TypeError, AttributeError, StopIteration, RecursionError):
        # Texts of people and models are not always valid TeX. The library reports that with many types of exceptions.
        return None
    return _html(element)


def _depth(tex: str) -> int:
    """An upper bound of the nesting depth of braces and delimiter commands."""
    deepest = depth = 0
    for sign in re.findall(r"\{|\}|\\left\b|\\right\b|\\begin\b|\\end\b", tex):
        depth += 1 if sign in {"{", "\\left", "\\begin"} else -1
        deepest = max(deepest, depth)
    return deepest


def _html(element: Element) -> str | None:
    """An element as HTML; None if it contains an unlisted element, or a command that the library does not know."""
    text = unescape(element.text or "")
    if element.tag not in _ELEMENTS or text.startswith("\\"):
        return None
    inner = [_html(child) for child in element]
    if any(one is None for one in inner):
        return None
    attributes = "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _ATTRIBUTES[name].fullmatch(value)
    )
    return f"<{element.tag}{attributes}>{escape(text)}{''.join(filter(None, inner))}</{element.tag}>"
