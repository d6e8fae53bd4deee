"""Recognises the labels of rows that sum up other rows, state their mean, or state a limit for them."""

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from statistics import median
from typing import Final

_WORD = re.compile(r"\W+")
_TOTAL_WORDS: Final = frozenset({
    "total", "totals", "totaux", "totales", "totali", "sum", "subtotal", "summe", "zwischensumme", "gesamt",
    "gesamtsumme", "insgesamt", "totale", "somme", "suma", "soma", "summa", "totaal", "subtotaal", "totalt",
    "sammanlagt", "yhteensä", "kokku", "razem", "łącznie", "łączna", "całkowita", "ogółem", "celkem",
    "spolu", "skupaj", "ukupno", "összesen",
    "toplam", "tổng", "jumlah", "итого", "всего", "сумма", "разом", "усього", "σύνολο", "合計", "小計", "総計", "合计",
    "小计", "总计", "합계", "총계", "σ", "المجموع", "الإجمالي", "รวม", "gesamtergebnis", "endsumme", "eindtotaal",
    "totalsumma", "totalsumme", "ialt", "entout", "delsum", "delsumma", "mellansumma", "mellemsum", "tussentotaal",
    "deltotaal", "välisumma", "loppusumma", "mezisoučet", "medzisúčet", "részösszeg", "végösszeg", "промежуточный",
    "podsuma", "sumy", "totaler", "sumarul",
})  # fmt: skip
_WHOLE_WORDS: Final = frozenset({"grand", "general", "général", "générale", "generale", "geral", "końcowa", "overall"})
"""Words that occur beside a word for a sum if it is the sum of all rows."""
_PART_WORDS: Final = frozenset({
    "subtotal", "zwischensumme", "subtotaal", "小計", "小计", "delsum", "delsumma", "mellansumma", "mellemsum",
    "tussentotaal", "deltotaal", "välisumma", "mezisoučet", "medzisúčet", "részösszeg", "podsuma",
})  # fmt: skip
"""Words for the sum of a single group."""
_CARRIED_WORDS: Final = frozenset({"carried", "brought", "übertrag", "riporto"})
_OTHER_WORDS: Final = frozenset(
    {"forward", "report", "reporter", "ergebnis", "media", "medel", "middel", "snitt", "gem"}
)
"""Words for sums and means that also name other things, such as a player, a paper or a sock."""
_SUM_WORDS: Final = _TOTAL_WORDS | _CARRIED_WORDS | _OTHER_WORDS
_WHOLE_OF: Final = ("gesamt", "totaal", "total", "rechnungsbetrag", "endbetrag", "zahlbetrag")
"""Beginnings of words for a whole. Other words start like this too, such as the German word for a type of school."""
_ALL_WORDS: Final = frozenset({
    "all", "alle", "tous", "toutes", "todos", "todas", "tutti", "tutte", "whole", "entire", "ganz", "ganze",
    "gesamte", "gesamtes", "gesamter", "ensemble", "hele", "hela", "gehele", "heel", "cała", "cały", "całe",
    "wszystkie", "wszyscy", "samtlige", "samtliga", "alla", "intero", "intera", "tutto", "todo", "toda", "koko",
})  # fmt: skip
"""Words with which the label of a sum may begin, as do many other labels."""
_MEAN_WORDS: Final = frozenset({
    "average", "avg", "mean", "durchschnitt", "mittelwert", "mittel", "moyenne", "promedio", "media", "średnia",
    "gemiddelde", "gemiddeld", "média", "genomsnitt", "medelvärde", "gennemsnit", "gjennomsnitt", "keskiarvo",
    "ortalama", "среднее", "平均", "ø", "schnitt", "notenschnitt", "medel", "middel", "middelværdi", "snitt", "gns",
    "gem", "śr", "průměr", "átlag", "medie", "mittlere",
})  # fmt: skip
_EXTREMES: Final[Mapping[str, Callable[[Iterable[Decimal]], Decimal]]] = {
    word: function
    for function, words in (
        (min, "min minimum minimo mínimo mín lowest"),
        (max, "max maximum massimo máximo máx highest"),
        (median, "median mediana médiane mediaan"),
    )
    for word in words.split()
}
_NAMES: Final = frozenset({"min", "max"})
_TELLING: Final = _SUM_WORDS | _MEAN_WORDS | _ALL_WORDS | _EXTREMES.keys() | {"grand"}
"""Words at the beginning or end of labels that make a statement about other rows."""
_LONGEST: Final = 80
"""Maximum length of a label, in characters."""
_PERIOD_RANKS: Final[Mapping[str, int]] = {
    word: rank
    for rank, words in enumerate(
        (
            "q quarter quarters quartal quartale trimestre trim kvartal kwartał kwartaal čtvrtletí negyedév kv",
            "h hj half halbjahr semestre semester halvår halfjaar półrocze pololetí félév",
            (
                "year jahr année annee año ano anno fy full gesamtjahr ytd år helår jaar rok év gj geschäftsjahr "
                "boekjaar regnskabsår räkenskapsår exercice ejercicio esercizio exercício"
            ),
        )
    )
    for word in words.split()
}
"""Words in the label of a quarter, a half or a year, each with the rank of the period: a year contains quarters."""
_PERIOD_WORDS: Final = frozenset({
    *_PERIOD_RANKS, "st", "nd", "rd", "th", "e", "er", "a", "i", "ii", "iii", "iv", "first", "second",
    "third", "fourth",
})  # fmt: skip
"""Words that may occur in such a label."""
_LIMIT = re.compile(
    r"\bpossible|\bout of\b|\bmax\b|\bmaxim|\bmaxi\b|erreichbar|\bmöglich|\bmáxim|\bmassim", re.IGNORECASE
)
_POINTS: Final = frozenset({"points", "punkte", "punktzahl", "score", "marks", "pts", "puntos", "punti", "possible"})
_PERIOD = re.compile(rf"[\W\d]*(?:(?:{'|'.join(sorted(_PERIOD_WORDS, key=len, reverse=True))})(?![^\W\d])[\W\d]*)+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LETTERS = re.compile(r"[^\W\d_]+")


def _words(label: str) -> list[str]:
    """The words of a label in lower case. Two words that form one word for a sum, such as `I alt`, are joined."""
    words = [word for word in _WORD.split(label.casefold()) if word]
    for begin in {0, max(0, len(words) - 2)}:
        if "".join(two := words[begin : begin + 2]) in _TOTAL_WORDS and len(two) == 2:
            return [*words[:begin], "".join(two), *words[begin + 2 :]]
    return words


def may_sum_up(label: object) -> bool:
    """Whether a label may belong to a row that sums up other rows or states a figure about them."""
    if isinstance(label, str) and len(label) <= _LONGEST and not _has_telling_end(label):
        # A cheap test first: nearly all labels of a large table end here.
        return says_period(label)
    return any(says(label) for says in (says_total, says_mean, says_all, says_period, extreme_of))


def _has_telling_end(label: str) -> bool:
    """Whether the first or the last word of a label may make a statement about other rows."""
    words = _words(label)
    ends = {*words[:1], *words[-1:]}
    return not ends.isdisjoint(_TELLING) or any(one.startswith(_WHOLE_OF) for one in ends)


def says_total(label: object) -> bool:
    """Whether a label has a word for a sum at its beginning or end."""
    if not isinstance(label, str) or len(label) > _LONGEST:
        return False
    words = _words(label)
    return bool(words) and (any(map(_is_of_sums, (words[0], words[-1]))) or words[:2] == ["grand", "total"])


def _is_of_sums(word: str) -> bool:
    return word in _SUM_WORDS or word.startswith(_WHOLE_OF)


def only_says_total(label: str) -> bool:
    """Whether a label can only belong to a sum, such as `Total` or `Grand total`."""
    words = {*_words(label)}
    return bool(words & _TOTAL_WORDS) and words <= _TOTAL_WORDS | _WHOLE_WORDS


def is_sure(label: str) -> bool:
    """Whether a label can only belong to a sum or a mean."""
    return only_says_total(label) or (label.casefold().strip(" :.") in _MEAN_WORDS and not says_other(label))


def is_sum_of_all(label: str) -> bool:
    """Whether a label can only belong to a sum or mean, and not to that of a group."""
    return (is_sure(label) or says_mean(label)) and label.casefold().strip(" :.") not in _PART_WORDS


def says_other(label: str) -> bool:
    """Whether a label names a sum only by words that also name other things."""
    words = {*_words(label)}
    is_other = bool(words & _OTHER_WORDS) or any(word.startswith(_WHOLE_OF) for word in words)
    return is_other and not words & (_TOTAL_WORDS | _CARRIED_WORDS)


def says_period(label: object) -> bool:
    """Whether a label names a quarter, a half or a year, which may sum up the months above it."""
    if not isinstance(label, str) or len(label) > 30:
        return False
    return period_rank(label) is not None


def period_rank(label: str) -> int | None:
    """The rank of the period that a label names: 0 for a quarter, 1 for a half, 2 for a year; None for no period.

    `Q1 FY2025` is a quarter.
    """
    if _YEAR.fullmatch(label.strip()):
        return max(_PERIOD_RANKS.values())
    if not _PERIOD.fullmatch(label.casefold()):
        return None
    return min(
        (_PERIOD_RANKS[word] for word in _LETTERS.findall(label.casefold()) if word in _PERIOD_RANKS), default=None
    )


def says_all(label: object) -> bool:
    """Whether a label begins with a word that means all."""
    return isinstance(label, str) and _WORD.split(label[:_LONGEST].casefold(), maxsplit=1)[0] in _ALL_WORDS


def says_mean(label: object) -> bool:
    """Whether a label has a word for a mean at its beginning or end."""
    words = _words(label[:_LONGEST]) if isinstance(label, str) else []
    return bool(words) and bool({words[0], words[-1]} & _MEAN_WORDS) and not {*words} & _TOTAL_WORDS


def extreme_of(label: object) -> Callable[[Iterable[Decimal]], Decimal] | None:
    """The function that a label names (minimum, maximum or median); None for any other label."""
    return _EXTREMES.get(label.casefold().strip(" :.")) if isinstance(label, str) else None


def without_totals(label: str) -> str:
    """A label without its words for sums, in lower case."""
    return " ".join(word for word in _words(label) if word not in _TOTAL_WORDS)


def may_be_name(label: str) -> bool:
    """Whether a label that names a minimum or maximum may also be the name of a person or a thing."""
    return label.casefold().strip(" :.") in _NAMES


def says_limit(label: str) -> bool:
    """Whether a label may say that its row has the maximum that can be reached."""
    return _LIMIT.search(label) is not None


def is_limit(label: str) -> bool:
    """Whether a label for which `says_limit` is true cannot be the name of a person called Max."""
    words = {*_words(label)}
    return "max" not in words or bool(words & _POINTS) or (len(words) > 1 and "max." in label.casefold())


def is_just_max(label: str) -> bool:
    """Whether a label is just `Max`, which may be a maximum or a first name."""
    return label.casefold().strip(" :.") == "max"
