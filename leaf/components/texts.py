"""Texts of the pages in the language of the reader."""

import re
from pathlib import Path
from typing import Any

import reflex as rx
from reflex_base.utils.imports import ImportVar
from reflex_base.vars import VarData
from reflex_base.vars.base import LiteralVar

from leaf import texts

_HOOK = VarData(
    imports={"$/public/client/texts.js": [ImportVar(tag="useTexts")]}, hooks={"const t = useTexts();": None}
)

_CLIENT = Path(__file__).parents[2] / "assets" / "client"
_KEY = re.compile(r'"(\w+\.\w+)"')
_asked: set[str] = set()
"""The keys of all texts that components of this process have used."""


def t(key: str, **parameters: Any) -> rx.Var[str]:
    """A text of the catalogue.

    Args:
        key: The key of a text in an area for browsers (all areas except `texts.AREAS_OF_SERVER`).
        parameters: A value or var for each parameter of the text. `count` chooses between singular and plural.

    Raises:
        ValueError: There is no such text, or it has other parameters.
    """
    text = texts.for_browser()[texts.DEFAULT].get(key)
    if text is None:
        raise ValueError(f"the browser has no text {key}")
    if texts.parameters(text) != frozenset(parameters):
        raise ValueError(f"{key} needs {sorted(texts.parameters(text))}, and is given {sorted(parameters)}")
    _asked.add(key)
    return _call(f't("{key}"', parameters)


def for_pages() -> dict[str, list[texts.Text]]:
    """The texts that the compiled pages and their scripts use: for each key, a list with the text in all languages.

    Only the server uses a sixth of the texts in these areas, and browsers do not load those.
    """
    known = texts.for_browser()
    in_scripts = {key for script in _CLIENT.glob("*.js") for key in _KEY.findall(script.read_text(encoding="utf-8"))}
    keys = [key for key in known[texts.DEFAULT] if key in _asked | in_scripts]
    return {key: [known[language][key] for language in known] for key in keys}


def date(moment: Any, **options: str) -> rx.Var[str]:
    """A date or time in the format of the reader's language.

    Args:
        moment: A var with a time in ISO 8601. If it is empty, the result is empty.
        options: The options of JavaScript's `Intl.DateTimeFormat`.
    """
    return _call(f"t.date({LiteralVar.create(moment)!s}", options, moment)


def ago(moment: Any) -> rx.Var[str]:
    """The time that has passed since a moment (a var in ISO 8601); a date if it is long ago."""
    return _call(f"t.ago({LiteralVar.create(moment)!s}", {}, moment)


def number(value: Any, **options: Any) -> rx.Var[str]:
    """A number in the format of the reader's language, with the options of JavaScript's `Intl.NumberFormat`."""
    return _call(f"t.number({LiteralVar.create(value)!s}", options, value)


def _call(beginning: str, options: dict[str, Any], *further: Any) -> rx.Var[str]:
    literal = LiteralVar.create(options)
    js = f"{beginning}, {literal!s})" if options else f"{beginning})"
    data = VarData.merge(_HOOK, data_of(literal), *(data_of(one) for one in further))
    return rx.Var(_js_expr=js, _var_data=data).to(str)


def data_of(value: Any) -> VarData | None:
    """The imports and hooks that a var needs."""
    # Reflex has no public function for this.
    return value._get_all_var_data() if isinstance(value, rx.Var) else None  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
