"""Finds sentences that state a quantity or a date, and the words that say what it measures. Pure, linear in time."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from difflib import SequenceMatcher
from typing import Final

from leaf.citations import dates
from leaf.citations.fact_words import NUMERALS, is_short, known, synonym_group
from leaf.citations.quote_search import Passage
from leaf.citations.subquestions import stems
from leaf.documents.tables.unit_names import CURRENCIES
from leaf.documents.terms import fold

MOST: Final = 400
"""The maximum number of facts that are taken from one text."""
CHARACTERS: Final = 100_000
"""The maximum number of characters of one text that are searched."""
_SENTENCE_CHARACTERS: Final = 600
_BLOCK = re.compile(r"[^\n]+(?:\n(?![ \t]*\n|[ \t]{0,20}(?:[-*#>|•]|\d{1,2}[.)] |[^\W\d_][^:\n]{0,30}: ))[^\n]+)*")
"""Lines of a paragraph. Each line of a list, a table or a form is a block of its own."""
_TITLES_END = "".join(
    rf"(?<!\b{one}\.)" for one in ("Dr", "Mr", "Ms", "Hr", "Fr", "Sr", "St", "Mrs", "Mme", "Sra", "Ing", "Prof", "Dott")
)
"""Lookbehinds that stop a sentence from ending after the title of a person."""
_END = re.compile(
    _TITLES_END + r"(?!(?<=\b(?:Mio|Mrd|Tsd)\.)\s+(?:[€$£]|[A-Z]{3}\b))"
    r"(?:(?<=[^\W\d_]{3}[.!?])\s+|(?<=[^\W\d_]{2}\.)\s+(?=[^\W\d_a-zà-öø-ÿ])"
    r"|(?<=[%)\]”\"]\.)\s+(?=[^\W\da-z_])"
    r"|(?<=\d\.)\s+(?=[^\W\d_a-zà-öø-ÿ])(?!(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)\w*\b)|(?<=[!?;])\s+)"
)
_LABEL = re.compile(r"\s*[^\W\d_][^:\n]{0,40}:[\W_]*")
_OWN_DATE = re.compile(r"\b(?:date|dated|datum|fecha|data|stand)\s*:\W*\Z", re.IGNORECASE)
"""The label before the date of the document itself, which is not a fact that the document states."""
_SIGN = r"US\$|[€$£¥₹]|EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK"
_PARTS_OF_NUMERALS: Final = frozenset(fold(part) for word in NUMERALS for part in word.split("-"))
_IN_WORDS = "|".join(sorted(NUMERALS, key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?<![\w.,/:#§-])(?:(?<=\s)(?P<minus>[-−]))?(?:(?P<before>{_SIGN})[ \u00a0\u202f]?)?"
    rf"(?P<digits>\d{{1,3}}(?:[.,'’ \u00a0\u202f]\d{{3}}(?!\d)){{1,8}}(?:[.,]\d{{1,2}})?"
    rf"|\d{{1,12}}(?:[.,]\d{{1,4}})?|(?i:{_IN_WORDS})(?!-))(?![\w/:]|[.,]\d)(?P<sign>[ \u00a0\u202f]?[%‰€$£¥°][CF]?)?"
    # The bracket is for contracts, which write “thirty (30) days”.
    r"(?:\)?[ \u00a0\u202f](?P<unit>[^\W\d_]{1,20}[²³]?)(?:\.?[ \u00a0\u202f](?P<next>(?!"
    rf"(?:{_SIGN})[ \u00a0\u202f]?\d)(?:[^\W\d_]{{2,20}}[²³]?|[€$£¥])))?)?"
)
_RANGE = re.compile(
    rf"\d ?(?:[%€$£]|EUR|USD)?(?: ?[-–—] ?| (?:bis|to|à|a|and|und|et|y|e|or|oder|ou|o) )(?:(?:{_SIGN}) ?)?\d"
)
ABOUT = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|some|etwa|rund|ungefähr|circa|ca|zirka|knapp|fast|environ"
    r"|presque|aproximadamente|unos|unas|casi|quasi|intorno)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.,/-])(?:19|20)\d\d(?![\d/-]|[.,]\d)")
_NUMBERED = re.compile(r"\b([^\W\d_]{3,20})[ \u00a0](\d{1,5}|[A-Z])\b(?![.,]\d)")
_NAMES = re.compile(r"(?<=[^\W\d_,] )([A-ZÄÖÜÉÀ][\w'’&-]+)((?: [A-ZÄÖÜÉÀ][\w'’&-]+)*)")


_WORD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Fact:
    """A quantity, date or person in a role, and the sentence that states it."""

    place: str
    sentence: str
    value: str
    """The notation in the text, with the unit."""
    kind: str
    """The quantity that is compared: `date`, a currency, what a unit measures, `person` and a role, or `#` and a
    counted noun (`#boxes`).
    """
    readings: tuple[Decimal, ...]
    """The values that the digits may mean, in the smallest unit of the kind; for a date, the ordinal of the day."""
    is_approximate: bool
    """Whether the sentence states it as approximate."""
    words: frozenset[str]
    """The stems of the sentence's other words."""
    years: frozenset[str]
    periods: frozenset[str]
    numbered: frozenset[tuple[str, str]]
    """Things with a number or a letter, such as `hall 3`."""
    names: frozenset[str]
    is_label: bool
    """Whether it is a line such as `Date: 3 May 2026`."""


def facts(passages: Iterable[Passage], *, nouns: bool = False) -> list[Fact]:
    """The facts of a text, at most `MOST`.

    Args:
        passages: The passages of the text in order.
        nouns: Whether all nouns are capitalised, as in German.
    """
    found: list[Fact] = []
    left = CHARACTERS
    for passage in passages:
        text, left = passage.text[: max(0, left)], left - len(passage.text)
        for sentence in sentences(text):
            if _may_state(sentence):
                found += _of(sentence, passage.part, nouns=nouns)
                if len(found) >= MOST:
                    return found[:MOST]
    return found


def _may_state(sentence: str) -> bool:
    """Whether a sentence has a digit, a number in words or a word for a role."""
    return any(map(str.isdigit, sentence)) or any(
        one in NUMERALS or one in known().roles for one in _COMPOUND.findall(fold(sentence))
    )


def sentences(text: str, *, cut: bool = False) -> Iterator[str]:
    """The sentences of a text, each on one line. A sentence may span the lines of a paragraph.

    Args:
        text: The text.
        cut: Whether a sentence of more than 600 characters is split into pieces instead of being left out.
    """
    for block in _BLOCK.finditer(text):
        line, begin = " ".join(block[0].split()), 0
        # `finditer` releases the interpreter's lock between matches. One split of a long line would not.
        for gap in _END.finditer(line):
            yield from _pieces(line, begin, gap.start(), cut=cut)
            begin = gap.end()
        yield from _pieces(line, begin, len(line), cut=cut)


def _pieces(line: str, begin: int, end: int, *, cut: bool) -> Iterator[str]:
    """Yields a stretch of a line if it is short enough for a sentence. With `cut`, yields a longer one in pieces."""
    while cut and end - begin > _SENTENCE_CHARACTERS:
        cut_at = line.rfind(" ", begin + 1, begin + _SENTENCE_CHARACTERS)
        if cut_at <= begin:
            cut_at = begin + _SENTENCE_CHARACTERS
        yield line[begin:cut_at]
        begin = cut_at + (line[cut_at : cut_at + 1] == " ")
    if begin < end <= begin + _SENTENCE_CHARACTERS:
        yield line[begin:end]


def _of(sentence: str, place: str, *, nouns: bool) -> Iterator[Fact]:
    if sentence.count("|") > 1:
        return
    found = [*dates.of(sentence)]
    rest = _blanked(sentence, found)
    # Small counts in words, such as "two sides of a question" or "seven of us", are often not facts.
    quantities = [*_quantities(rest), *_people(rest)]
    found += [one for one in quantities if one[2][0] != "#" or rest[one[0]].isdigit() or max(one[3]) >= _LEAST_COUNT]
    kinds = [kind for _, _, kind, _ in found]
    is_range = _RANGE.search(rest) is not None
    years = frozenset(_YEAR.findall(rest))
    for begin, end, kind, readings in found:
        # Two values of one kind in a sentence are about different things, and only its grammar says about which.
        if kinds.count(kind) > 1 or (is_range and kind != "date"):
            continue
        if _OWN_DATE.search(sentence[max(0, begin - 30) : begin]):
            continue
        other = rest[:begin] + " " + rest[end:]
        dated = frozenset(
            str(date.fromordinal(int(days[0])).year) for _, _, one, days in found if one == "date" != kind
        )
        yield Fact(
            place, sentence, sentence[begin:end].strip(), kind, readings,
            _is_approximate(rest, begin),
            words_of(other),
            years | dated,
            frozenset(period for word in _WORD.findall(fold(other)) if (period := known().periods.get(word))),
            numbered(other),
            names_of(other, nouns=nouns),
            _LABEL.fullmatch(other) is not None,
        )  # fmt: skip


def numbered(text: str) -> frozenset[tuple[str, str]]:
    """The things with a number or a letter in a text, such as `hall 3`."""
    return frozenset(
        (fold(one[1])[:7], one[2])
        for one in _NUMBERED.finditer(text)
        if fold(one[1]) not in known().common and not _YEAR.fullmatch(one[2])
    )


def words_of(text: str) -> frozenset[str]:
    """The stems of those words of a text that may say what it is about."""
    return frozenset(
        one for one in stems(text) if len(one) > 3 and one not in known().common_stems and not one[0].isdigit()
    )


_LEAST_COUNT: Final = 10
"""The smallest count in words that is taken for a fact."""
_TITLE = r"(?:Herrn?|Frau|Mrs?|Ms|Dr|Prof)\.?\s"
_NAME = r"[A-ZÄÖÜÉÀ][\w'’-]{1,30}"
_BETWEEN = r"(?:[A-Z]\.\s|v[oa]n\s|de\s)?"
_PERSON = re.compile(rf"(?<![\w-])(?:(?:{_TITLE}){{1,3}}(?:{_NAME}\s{_BETWEEN})?|{_NAME}\s{_BETWEEN})(?P<last>{_NAME})")


def _people(sentence: str) -> Iterator[tuple[int, int, str, tuple[Decimal, ...]]]:
    """Yields the people in a sentence that names one role. The value encodes the letters of the last name.

    Args:
        sentence: A sentence without its days.
    """
    roles = {role for word in _WORD.findall(fold(sentence)) if (role := known().roles.get(word))}
    if len(roles) != 1:
        return
    for one in _PERSON.finditer(sentence):
        # In German, an article and a noun at the beginning of a sentence look like a name.
        named = [fold(word) for word in one[0].split()]
        if named[0] not in known().short and not any(word in known().roles for word in named):
            letters = Decimal(int.from_bytes(fold(one["last"]).encode()[:10]))
            yield one.start(), one.end(), f"person {min(roles)}", (letters,)


_TOKEN = re.compile(r"[^\W_]+|\0+")
_ALIKE: Final = 0.5
_WORDS_AROUND: Final = 30
"""The number of words on each side of a value that are compared. The time of the comparison grows with its cube."""


def contrast(a: Fact, b: Fact) -> bool:
    """Whether two similar sentences differ in meaning: by other words, such as net for gross, or by a negation."""
    mine, theirs = _words_around(a), _words_around(b)
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    if any(deciding.isdisjoint(mine) != deciding.isdisjoint(theirs) for deciding in _deciding_words(a.kind)):
        return True
    if matcher.ratio() < _ALIKE:
        return False
    for tag, begin, end, start, stop in matcher.get_opcodes():
        own, other = mine[begin:end], theirs[start:stop]
        is_negation = len({*own, *other}) == 1 and known().negations.issuperset([*own, *other])
        if tag != "equal" and (is_negation or (_distinct_words(own, theirs) and _distinct_words(other, mine))):
            return True
    return False


def _words_around(fact: Fact) -> list[str]:
    """The words of a sentence near its value, with a NUL in place of the value."""
    tokens = _TOKEN.findall(fold(fact.sentence.replace(fact.value, "\0", 1)))
    words = [
        synonym_group(word)
        for word, next_one in zip(tokens, [*tokens[1:], ""], strict=True)
        # A word such as “without” may only say how something was decided, as in “without dissent”.
        if not (word in known().without and next_one in known().unopposed)
    ]
    place = words.index("\0") if "\0" in words else 0
    return words[max(0, place - _WORDS_AROUND) : place + _WORDS_AROUND + 1]


def _deciding_words(kind: str) -> list[frozenset[str]]:
    """Sets of words that change the meaning of a statement if only one of the two statements contains them."""
    words = known()
    # A planned and a final date may be the same.
    return [words.opposites - words.without] if kind == "date" else [words.opposites, words.guesses]


def _distinct_words(words: Iterable[str], others: Iterable[str]) -> list[str]:
    """The words with a meaning of their own of which the others contain no form, as told by their first letters."""
    left_out = known().common | known().short | _PARTS_OF_NUMERALS | {"\0"}
    begins = {word: word[: min(5, max(3, len(word) - 1))] for word in words if word not in left_out}
    return [word for word, begin in begins.items() if not any(one.startswith(begin) for one in others)]


def names_of(text: str, *, nouns: bool) -> frozenset[str]:
    """The names in a sentence, in lower case.

    A name is a word with a capital letter. In German, it is two such words in a row, neither of which is a function
    word (as in `Ihrer Bestellung`).
    """
    found = ([one[1], *one[2].split()] for one in _NAMES.finditer(text))
    named = ([word for word in several if not (nouns and is_short(fold(word)))] for several in found)
    return frozenset(
        word.casefold()
        for several in named
        if len(several) > nouns
        for word in several
        if len(word) > 2 and not word.isupper()
    )


@dataclass(frozen=True, slots=True)
class Stated:
    """A quantity or a date and its position in a sentence. The other fields are as in `Fact`."""

    begin: int
    end: int
    value: str
    kind: str
    readings: tuple[Decimal, ...]
    is_approximate: bool


def stated(sentence: str) -> list[Stated]:
    """All quantities and dates of a sentence, in the order of the text."""
    found = [*dates.of(sentence)]
    rest = _blanked(sentence, found)
    return [
        Stated(begin, end, sentence[begin:end].strip(), kind, readings, _is_approximate(rest, begin))
        for begin, end, kind, readings in sorted([*found, *_quantities(rest)], key=lambda one: one[0])
    ]


def _blanked(sentence: str, found: Iterable[tuple[int, int, str, tuple[Decimal, ...]]]) -> str:
    for begin, end, *_ in found:
        sentence = sentence[:begin] + "\0" * (end - begin) + sentence[end:]
    return sentence


def _is_approximate(rest: str, begin: int) -> bool:
    return ABOUT.search(rest[max(0, begin - 24) : begin]) is not None


def values(text: str) -> frozenset[tuple[str, Decimal]]:
    """The kinds and values of all quantities and days in a text."""
    found: set[tuple[str, Decimal]] = set()
    for sentence in sentences(text[:CHARACTERS]):
        for _, _, kind, several in (*dates.of(sentence), *_quantities(sentence)):
            found |= {(kind, one) for one in several}
    return frozenset(found)


def pairs_of_names(text: str) -> frozenset[str]:
    """Pairs of adjacent words with capital letters, in lower case. Most are names of companies and people."""
    left_out = known().common | known().short | known().roles.keys()
    found = [(one[1], one[2]) for one in _PAIR.finditer(text)]
    return frozenset(
        f"{first} {second}".casefold()
        for first, second in found
        if not any(fold(one) in left_out or fold(one)[:7] in known().papers for one in (first, second))
    )


_PAIR = re.compile(r"(?<![^\W_])(?=([A-ZÄÖÜÉÀ][\w'’&-]+) ([A-ZÄÖÜÉÀ][\w'’&-]+))")


def _quantities(sentence: str) -> Iterator[tuple[int, int, str, tuple[Decimal, ...]]]:
    """Yields the quantities of a sentence: begin, end, the kind, and the values that the digits may mean."""
    for one in _NUMBER.finditer(sentence):
        unit, following = fold(one["unit"] or ""), fold(one["next"] or "")
        scale, end, last = 0, one.end("digits"), one.end("unit")
        # Without a currency, `m` means metres and not millions.
        if unit in known().scales and (unit != "m" or one["before"] or following in CURRENCIES):
            # The unit follows the scale, as in “3 million euros”.
            scale, end, last = known().scales[unit], last, one.end("next")
            unit, following = following, ""
        elif (unit, following) in known().pairs:
            last = one.end("next")
        kind, factor, end = _kind(one, unit, following, end, max(end, last))
        values = [Decimal(value) * (-1 if one["minus"] else 1) for value in readings(one["digits"])]
        if kind and values:
            # The value includes the bracket of “thirty (30) days”.
            is_in_brackets = one["unit"] is not None and ")" in sentence[one.end("digits") : one.start("unit")]
            yield one.start() - is_in_brackets, end, kind, tuple((value * factor).scaleb(scale) for value in values)


def _kind(one: re.Match[str], unit: str, following: str, end: int, last: int) -> tuple[str, Decimal, int]:
    """Returns the quantity that a number measures, the size of its unit, and the end of its text.

    `unit` and `following` are the words after it, folded. `end` is the end of its digits or of their scale, and `last`
    that of its unit.
    """
    words, sign = known(), (one["sign"] or "").strip().lower()
    if one["before"]:
        return CURRENCIES.get(one["before"].lower(), one["before"]), Decimal(1), end
    if sign:
        degrees = "fahrenheit" if sign.endswith("f") else "degrees"
        return CURRENCIES.get(sign, degrees if "°" in sign else "percent"), Decimal(1), one.end("sign")
    if (unit, following) in words.pairs:
        return words.pairs[unit, following], Decimal(1), last
    if unit in words.units:
        return *words.units[unit], last
    is_noun = len(unit) > 3 and unit not in words.common and not _YEAR.fullmatch(one["digits"])
    return CURRENCIES.get(unit) or (f"#{synonym_group(unit[:7])}" if is_noun else ""), Decimal(1), last


def readings(digits: str) -> list[str]:
    """The numbers that digits with thousands separators or a decimal sign may mean."""
    if (number := NUMERALS.get(digits.lower())) is not None:
        return [str(number)]
    signs = [sign for sign in digits if not sign.isdigit()]
    groups = re.split(r"\D", digits)
    found: list[str] = []
    if not signs or (all(len(one) == 3 for one in groups[1:]) and len({*signs}) == 1 and groups[0] != "0"):
        found.append("".join(groups))
    if signs and signs[-1] in ".," and signs[-1] not in signs[:-1] and all(len(one) == 3 for one in groups[1:-1]):
        found.append("".join(groups[:-1]) + "." + groups[-1])
    return found
