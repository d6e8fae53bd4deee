"""Recognises units in the headers and cells of tables by their signs, codes and names."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

CURRENCIES: Final = {
    "€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₺": "TRY", "zł": "PLN", "kč": "CZK",
    "円": "JPY", "元": "CNY", "₩": "KRW", "원": "KRW", "₪": "ILS", "₴": "UAH", "₫": "VND", "฿": "THB", "₱": "PHP",
    "r$": "BRL", "a$": "AUD", "au$": "AUD", "c$": "CAD", "ca$": "CAD", "nz$": "NZD", "hk$": "HKD", "s$": "SGD",
    "kr": "kr", "kr.": "kr", "lei": "RON",
    "tl": "TRY", "руб": "RUB", "руб.": "RUB", "грн": "UAH", "грн.": "UAH", "лв": "BGN", "лв.": "BGN",
    "us$": "USD", "fr.": "CHF", "sfr": "CHF", "euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD",
    **{code.lower(): code for code in (
        "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "CAD", "AUD", "NZD", "INR",
        "BRL", "ZAR", "TRY", "SGD", "HKD", "KRW", "MXN", "RUB", "RON", "BGN", "ILS", "UAH", "VND", "THB", "PHP", "AED",
        "SAR",
    )},
}  # fmt: skip
"""Currencies by sign, code and name. `kr` stays as it is, because several countries use it."""
MEASURES: Final = {
    one.lower(): one for one in (
        "%", "‰", "kg", "g", "mg", "t", "lb", "oz", "km", "m", "cm", "mm", "mi", "ft", "m²", "m2", "km²", "ha", "m³",
        "l", "ml", "h", "min", "s", "ms", "d", "kWh", "MWh", "kW", "MW", "W", "°C", "°F", "pcs", "GB", "MB", "TB",
    )
}  # fmt: skip
_CONVERTED: Final[Sequence[Mapping[str, int]]] = (
    {"mg": 1, "g": 10**3, "kg": 10**6, "t": 10**9},
    {"mm": 1, "cm": 10, "m": 10**3, "km": 10**6},
    {"m²": 1, "m2": 1, "ha": 10**4, "km²": 10**6},
    {"ml": 1, "l": 10**3, "m³": 10**6},
    {"ms": 1, "s": 10**3, "min": 60 * 10**3, "h": 3600 * 10**3},
    {"W": 1, "kW": 10**3, "MW": 10**6},
    {"kWh": 1, "MWh": 10**3},
)
"""Units of one dimension, each with its size. Units that are as many of another by agreement only, such as days of
hours and gigabytes of megabytes, are left out.
"""
_WORDS: Final = {
    word: unit
    for unit, words in {
        "EUR": "euro euros", "USD": "us-dollar us-dollars", "GBP": "sterling", "JPY": "yen", "CNY": "yuan renminbi",
        "CHF": "franc francs franken swiss-franc swiss-francs schweizer-franken", "INR": "rupee rupees rupien",
        "PLN": "zloty złoty", "%": "percent prozent per-cent", "‰": "permille promille",
        "kg": "kilo kilos kilogram kilograms kilogramm", "g": "gram grams gramm",
        "mg": "milligram milligrams milligramm", "t": "tonne tonnes ton tons tonnen", "lb": "lbs",
        "oz": "ounce ounces unze unzen",
        "km": "kilometre kilometres kilometer kilometers kilometern", "m": "metre metres meter meters metern",
        "cm": "centimetre centimetres centimeter centimeters zentimeter",
        "mm": "millimetre millimetres millimeter millimeters", "mi": "mile miles meile meilen", "ft": "feet foot fuß",
        "m²": "sqm qm quadratmeter quadratmetern square-metre square-metres square-meter square-meters",
        "km²": "quadratkilometer square-kilometres", "m³": "kubikmeter cubic-metre cubic-metres cubic-meters",
        "ha": "hectare hectares hektar", "l": "litre litres liter liters litern",
        "ml": "millilitre millilitres milliliter milliliters", "h": "hr hrs hour hours std stunde stunden",
        "d": "day days tag tage tagen jour jours",
        "min": "mins minute minutes minuten", "s": "sec secs second seconds sekunde sekunden",
        "ms": "millisecond milliseconds millisekunden",
        "kWh": "kilowattstunde kilowattstunden kilowatt-hour kilowatt-hours",
        "MWh": "megawattstunde megawattstunden megawatt-hour megawatt-hours",
        "kW": "kilowatt kilowatts", "MW": "megawatt megawatts", "W": "watt watts",
        "pcs": "piece pieces pc stück stk", "GB": "gigabyte gigabytes", "MB": "megabyte megabytes",
        "TB": "terabyte terabytes",
    }.items()
    for word in words.split()
}  # fmt: skip
"""Units by their names in English and German. The words of a name are joined by hyphens."""
_DOLLARS: Final = frozenset({"USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"})
_SEVERAL: Final = {
    "$": _DOLLARS, "dollar": _DOLLARS, "dollars": _DOLLARS, "¥": frozenset({"JPY", "CNY"}),
    **dict.fromkeys(("pound", "pounds", "pfund"), frozenset({"GBP", "lb"})),
}  # fmt: skip
"""Signs and names that several units share."""
SCALES: Final[Mapping[str, Sequence[int]]] = {
    word: scales
    for words, scales in (
        ("k tsd thousand thousands tausend milliers miles mille mila tys tusen tusind tis tkr duizend", (3,)),
        (
            (
                "m mn mln mio million millions millionen millones milioni miljoen miljoner millioner milion miliony "
                "milionów milhão milhões mkr"
            ),
            (6,),
        ),
        (
            (
                "bn md mrd mld mia milliarde milliarden milliards miliardi miljard miljarder milliarder miliard "
                "miliardy miliardów mdkr"
            ),
            (9,),
        ),
        # The German Billion is a thousand times as much as the English billion.
        ("billion billions billionen", (9, 12)),
        ("lakh lakhs lac lacs", (5,)),
        ("crore crores", (7,)),
    )
    for word in words.split()
}
"""Words for powers of ten, each with its possible exponents."""
_SCALE_NAMES: Final = {3: "thousand", 5: "lakh", 6: "million", 7: "crore", 9: "billion"}
_SCALE = "|".join(sorted((*SCALES, "t", "000", "000s"), key=len, reverse=True))
_CURRENCY = "|".join(map(re.escape, sorted(CURRENCIES, key=len, reverse=True)))
_SCALED = re.compile(
    rf"(?:^|(?<=[\s(\[,/]))(?:(?P<scale>{_SCALE})\.?[ \u00a0]?(?:of |de |di |d['’])?(?P<currency>{_CURRENCY})"
    rf"|(?P<first>{_CURRENCY})[ \u00a0]?(?:in )?['’]?(?P<then>{_SCALE})\.?)\s?[)\]]?\Z"
)
"""A currency in thousands and the like, at the end of a header: m€, Mio. EUR, USD thousands, millions of euros."""
_RATE = re.compile(
    rf"(?:^|(?<=[\s(\[,_]))({_CURRENCY})\s?(?:/|per |pro |je |par |por )\s?([^\W_][^\s()/]{{0,11}}|%)\s?[)\]]?\Z"
)
"""A price per unit at the end of a header, such as EUR/kWh."""
_UNIT_LABELS: Final = frozenset({
    "unit", "units", "uom", "einheit", "einheiten", "unité", "unités", "unidad", "unidades", "unità", "unidade",
    "eenheid", "eenheden", "jednostka",
})  # fmt: skip
_COUNT_LABELS: Final = frozenset({
    "qty", "quantity", "menge", "anzahl", "stück", "stk", "pcs", "pieces", "units", "count", "number", "no", "nr", "id",
    "pos", "year", "jahr", "rate", "kurs", "hours", "stunden", "quantité", "qté", "nombre", "cantidad", "quantità",
    "numero", "liczba", "ilość", "aantal", "antal", "weight", "gewicht", "kg", "km",
})  # fmt: skip
_LETTERS = re.compile(r"[^\W\d_]+")
_TITLES: Final = frozenset(
    form for word in ("try", "ron", "ils", "cad", "sar") for form in (word, word.title())
) | {"Lei", "Ft"}  # fmt: skip
"""Words and names that look like currency codes, and a sign that is one of money or of lengths."""
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]")
_LAST_WORD = re.compile(r"[ _/,]([^\s_/,()]{1,5})\s*$|(?:^|\s)in ([^\s]{1,8})$")


def unit_of_label(label: str) -> str:
    """The unit that a header names; empty for none.

    Examples are `Cost (EUR)`, `price_eur` and `Area in ha`. A currency with a power of ten is returned as `million EUR`
    (`Revenue (m€)`), and a price per kilogram as `EUR/kg`.
    """
    for text in (label, *_IN_BRACKETS.findall(label)):
        if (together := scaled(text)) is not None:
            return f"{_SCALE_NAMES[together[0]]} {together[1]}"
        if (rate := _RATE.search(text.strip().lower()[-60:])) is not None:
            return f"{CURRENCIES[rate[1]]}/{min(units_of(rate[2]), default=rate[2])}"
    bracketed = [*_IN_BRACKETS.findall(label)]
    last = _LAST_WORD.search(label.strip()[-60:])
    stated = [*bracketed, *([last[1] or last[2]] if last else []), *([] if bracketed or last else [label])]
    for text in stated:
        for word in (text, text.partition(" ")[0]):
            if word in _TITLES or (text == label and word.lower() == "min"):
                continue
            known = CURRENCIES.get(word.strip().lower()) or MEASURES.get(word.strip().lower())
            # A single letter at the end of a header is more often a name than a unit.
            if known and (len(word) > 1 or known == "%" or text in bracketed or word in CURRENCIES):
                return known
    return ""


def scaled(text: str) -> tuple[int, str] | None:
    """The power of ten and the currency at the end of a text, such as 6 and EUR for `Revenue (m€)`, or None."""
    found = _SCALED.search(text.strip().lower()[-60:])
    if found is None:
        return None
    word = found["scale"] or found["then"]
    return SCALES.get(word, (3,))[0], CURRENCIES[found["currency"] or found["first"]]


def scale_of(unit: str) -> tuple[int, str]:
    """The power of ten in a column's unit, and the unit without it: 6 and EUR for `million EUR`."""
    name, _, currency = unit.partition(" ")
    power = next((power for power, one in _SCALE_NAMES.items() if one == name), 0)
    return (power, currency) if power and currency else (0, one_spelling(unit.partition("/")[0]))


def is_of_money(unit: str) -> bool:
    """Whether a column's unit is a currency, with or without a power of ten."""
    return scale_of(unit)[1] in CURRENCIES.values()


def units_of(text: str) -> frozenset[str]:
    """The units that a sign, code or name such as €, EUR or euros may stand for; empty for any other text."""
    bare = text.strip().lower()
    for one in (bare, bare.removesuffix(".")):
        if one in _SEVERAL:
            return _SEVERAL[one]
        if unit := CURRENCIES.get(one) or MEASURES.get(one) or _WORDS.get(one):
            return frozenset({one_spelling(unit)})
    return frozenset()


def one_spelling(unit: str) -> str:
    """The spelling of a unit that comparisons use: m² for m2."""
    return {"m2": "m²"}.get(unit, unit)


def currency_of(cell: str) -> str:
    """The currency that a cell consists of; empty for any other cell."""
    # The sign of forints differs from that of feet by its capital letter only.
    return "HUF" if cell.strip() == "Ft" else CURRENCIES.get(cell.strip().lower(), "")


def unit_of_cell(cell: str) -> str:
    """The unit that a cell consists of; empty for any other cell, and for a word that several units share."""
    units = units_of(cell)
    return currency_of(cell) or (next(iter(units)) if len(units) == 1 else "")


def common(units: Collection[str]) -> tuple[str, Mapping[str, int]] | None:
    """The smallest of several units of one dimension, and how many of it each unit is; None for other units.

    The smallest one needs no rounding.
    """
    sizes = next((one for one in _CONVERTED if one.keys() >= {*units}), None)
    if sizes is None or len(units) < 2:
        return None
    smallest = min(units, key=lambda one: sizes[one])
    return one_spelling(smallest), {one: sizes[one] // sizes[smallest] for one in units}


def names_units(label: str) -> bool:
    """Whether a header says that its column has units."""
    return label.casefold().strip(" .:") in _UNIT_LABELS


def is_count_label(label: str) -> bool:
    """Whether a header consists of a single word for a count, a number, a year or a rate."""
    return label.casefold().strip(" :.") in _COUNT_LABELS


def names_counts(label: str) -> bool:
    """Whether a header says that its column has counts, row numbers, years or rates, which are not amounts of money."""
    return not _COUNT_LABELS.isdisjoint(_LETTERS.findall(label.casefold()))
