"""Numbers in words, in English, German, French, Spanish and Italian, without words that are also articles."""

from collections.abc import Iterator, Mapping
from typing import Final

_SINGLE: Final = {
    2: "two zwei deux dos due", 3: "three drei trois tres tre", 4: "four vier quatre cuatro quattro",
    5: "five fünf cinq cinco cinque", 6: "six sechs seis", 7: "seven sieben sept siete sette",
    8: "eight acht huit ocho otto", 9: "nine neun nueve", 10: "ten zehn dix diez dieci", 11: "eleven elf onze once",
    12: "twelve zwölf douze doce dodici", 14: "fourteen vierzehn quatorze", 15: "fifteen fünfzehn quinze quince",
    18: "eighteen achtzehn", 20: "twenty zwanzig vingt veinte venti", 30: "thirty dreißig trente treinta trenta",
    40: "forty vierzig quarante", 50: "fifty fünfzig cinquante", 60: "sixty sechzig soixante", 70: "seventy siebzig",
    80: "eighty achtzig", 90: "ninety neunzig",
}  # fmt: skip
_JOINED: Final = (
    (
        "two three four five six seven eight nine",
        "twenty thirty forty fifty sixty seventy eighty ninety",
        "{ten}-{one}",
    ),
    ("deux trois quatre cinq six sept huit neuf", "vingt trente quarante cinquante soixante", "{ten}-{one}"),
    (
        "zwei drei vier fünf sechs sieben acht neun",
        "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
        "{one}und{ten}",
    ),
)
"""Units, tens, and how a compound of both is written."""


def _words() -> Iterator[tuple[str, int]]:
    yield from ((word, number) for number, words in _SINGLE.items() for word in words.split())
    for units, tens, form in _JOINED:
        for at, ten in enumerate(tens.split(), 2):
            for digit, one in enumerate(units.split(), 2):
                yield form.format(ten=ten, one=one), 10 * at + digit


WORDS: Final[Mapping[str, int]] = dict(_words())
"""The words from two on, each with its number."""
