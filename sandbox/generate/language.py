"""The texts of the five languages in which files are written."""

import tomllib
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

CODES = ("en", "de", "fr", "es", "it")


class Language:
    """The texts of one language (`words/*.toml`), and its formats of numbers and days."""

    def __init__(self, code: str, words: dict[str, Any]) -> None:
        self.code = code
        self.words = words

    @property
    def genres(self) -> dict[str, dict[str, Any]]:
        """The genres of papers: title, first sentence, and the statements and questions for each attribute."""
        return self.words["genre"]

    def day(self, day: date) -> str:
        """A day in words."""
        month = self.words["months"][day.month - 1]
        return self.words["day"].format(day=day.day, month=month, year=day.year)

    def amount(self, amount: float) -> str:
        """A number with thousands separators, and with two decimals unless it is an integer."""
        written = f"{amount:,.0f}" if amount == int(amount) else f"{amount:,.2f}"
        return written.translate({ord(","): self.words["thousands"], ord("."): self.words["decimal"]})

    def plain(self, number: float) -> str:
        """A number without thousands separators, with the decimal separator of the language."""
        return f"{number:g}".replace(".", self.words["decimal"])


@cache
def of(code: str) -> Language:
    """The language with a code of `CODES`."""
    path = Path(__file__).parent / "words" / f"{code}.toml"
    return Language(code, tomllib.loads(path.read_text("utf-8")))
