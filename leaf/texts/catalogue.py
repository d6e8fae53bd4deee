"""The texts of a language. Its files are read only once."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from leaf.texts.languages import LANGUAGES

Text = str | dict[str, str]
"""A text, or its two forms `one` and `other`, of which the parameter `count` chooses one."""

_FOLDER: Final = Path(__file__).parent
_PARAMETER: Final = re.compile(r"\{(\w+)\}")
BIDI_CONTROLS: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""The characters of Unicode's property `Bidi_Control`, which change the direction of the text around them."""
_RTL_LETTERS: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""Letters of right-to-left scripts."""

AREAS_OF_SERVER: Final = frozenset({
    "amounts", "approvals", "budgets", "computed", "dates", "doing", "drive", "embedding", "errors", "exchange",
    "failures", "file", "integrations", "notes", "notices", "places", "refusals", "shared", "spent", "steps", "trust",
    "widget",
})  # fmt: skip
"""Areas that only the server or the widget uses. Pages use all other areas."""


@cache
def catalogue(language: str) -> Mapping[str, Text]:
    """All texts of a language by key.

    Args:
        language: One of `LANGUAGES`.

    Raises:
        ValueError: A file has a value that is neither a text nor a table with its forms.
    """
    found: dict[str, Text] = {}
    for file in sorted((_FOLDER / language).glob("*.toml")):
        for name, value in tomllib.loads(file.read_text(encoding="utf-8")).items():
            key = f"{file.stem}.{name}"
            found[key] = _text(key, value)
    return MappingProxyType(found)


def _text(key: str, value: Any) -> Text:
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and set(value) == {"one", "other"}:
        return {"one": str(value["one"]), "other": str(value["other"])}
    raise ValueError(f"{key} is neither a text nor a table with the forms one and other")


def parameters(text: Text) -> frozenset[str]:
    """The names of a text's parameters, including `count` for a text with forms."""
    if isinstance(text, str):
        return frozenset(_PARAMETER.findall(text))
    return frozenset({"count"}.union(*(_PARAMETER.findall(form) for form in text.values())))


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with its parameters filled in. Braces in a value are not filled in again.

    The direction of a value does not affect the text after it (`isolated`).
    """
    return _PARAMETER.sub(lambda match: isolated(values[match[1]]) if match[1] in values else match[0], text)


def without_bidi_controls(value: str) -> str:
    """A value without Unicode's controls that change the direction of text."""
    return BIDI_CONTROLS.sub("", value)


def isolated(value: str) -> str:
    """A value for use in a sentence.

    A value with right-to-left letters, or with controls that change the direction, is enclosed in an isolate, so that
    the words around it keep their order (Unicode's UAX 9). `assets/client/texts.js` has the same rule.
    """
    if value.isascii() or not (BIDI_CONTROLS.search(value) or _RTL_LETTERS.search(value)):
        return value
    # Without the controls, no override can reverse the end of a file name, such as that of “gnp.exe”.
    return f"\u2068{without_bidi_controls(value)}\u2069"


@cache
def for_browser() -> dict[str, dict[str, Text]]:
    """The texts that pages use, by language and key."""
    return {
        language: {
            key: text for key, text in catalogue(language).items() if key.partition(".")[0] not in AREAS_OF_SERVER
        }
        for language in LANGUAGES
    }
