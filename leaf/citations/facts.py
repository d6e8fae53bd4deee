"""Facts in a text: sentences that state a quantity or a date, with the words that say of what. Pure, linear in time."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from difflib import SequenceMatcher
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

from leaf.citations import dates, numerals
from leaf.citations.quote_search import Passage
from leaf.citations.subquestions import stems
from leaf.documents.tables.unit_names import CURRENCIES
from leaf.documents.terms import fold

MOST: Final = 400
"""Facts of one text that are looked at."""
CHARACTERS: Final = 100_000
"""Characters of one text that are looked at."""
_SENTENCE_CHARACTERS: Final = 600
_BLOCK = re.compile(r"[^\n]+(?:\n(?![ \t]*\n|[ \t]{0,20}(?:[-*#>|•]|\d{1,2}[.)] |[^\W\d_][^:\n]{0,30}: ))[^\n]+)*")
"""Lines that belong together: not those of a list, a table or a form."""
_TITLES_END = "".join(
    rf"(?<!\b{one}\.)" for one in ("Dr", "Mr", "Ms", "Hr", "Fr", "Sr", "St", "Mrs", "Mme", "Sra", "Ing", "Prof", "Dott")
)
"""No title of a person, whose name follows it."""
_END = re.compile(
    _TITLES_END + r"(?!(?<=\b(?:Mio|Mrd|Tsd)\.)\s+(?:[€$£]|[A-Z]{3}\b))"
    r"(?:(?<=[^\W\d_]{3}[.!?])\s+|(?<=[^\W\d_]{2}\.)\s+(?=[^\W\d_a-zà-öø-ÿ])"
    r"|(?<=[%)\]”\"]\.)\s+(?=[^\W\da-z_])"
    r"|(?<=\d\.)\s+(?=[^\W\d_a-zà-öø-ÿ])(?!(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)\w*\b)|(?<=[!?;])\s+)"
)
_LABEL = re.compile(r"\s*[^\W\d_][^:\n]{0,40}:[\W_]*")
_OWN_DATE = re.compile(r"\b(?:date|dated|datum|fecha|data|stand)\s*:\W*\Z", re.IGNORECASE)
"""The day of the document itself, which is not a statement of it."""
_SIGN = r"US\$|[€$£¥₹]|EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK"
_NUMERALS: Final = frozenset(fold(part) for word in numerals.WORDS for part in word.split("-"))
_IN_WORDS = "|".join(sorted(numerals.WORDS, key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?<![\w.,/:#§-])(?:(?<=\s)(?P<minus>[-−]))?(?:(?P<before>{_SIGN})[ \u00a0\u202f]?)?"
    rf"(?P<digits>\d{{1,3}}(?:[.,'’ \u00a0\u202f]\d{{3}}(?!\d)){{1,8}}(?:[.,]\d{{1,2}})?"
    rf"|\d{{1,12}}(?:[.,]\d{{1,4}})?|(?i:{_IN_WORDS})(?!-))(?![\w/:]|[.,]\d)(?P<sign>[ \u00a0\u202f]?[%‰€$£¥°][CF]?)?"
    # Contracts have “thirty (30) days”.
    r"(?:\)?[ \u00a0\u202f](?P<unit>[^\W\d_]{1,20}[²³]?)(?:\.?[ \u00a0\u202f](?P<next>(?!"
    rf"(?:{_SIGN})[ \u00a0\u202f]?\d)(?:[^\W\d_]{{2,20}}[²³]?|[€$£¥])))?)?"
)
_RANGE = re.compile(
    rf"\d ?(?:[%€$£]|EUR|USD)?(?: ?[-–—] ?| (?:bis|to|à|a|and|und|et|y|e|or|oder|ou|o) )(?:(?:{_SIGN}) ?)?\d"
)
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|some|etwa|rund|ungefähr|circa|ca|zirka|knapp|fast|environ"
    r"|presque|aproximadamente|unos|unas|casi|quasi|intorno)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.,/-])(?:19|20)\d\d(?![\d/-]|[.,]\d)")
_NUMBERED = re.compile(r"\b([^\W\d_]{3,20})[ \u00a0](\d{1,5}|[A-Z])\b(?![.,]\d)")
_NAMES = re.compile(r"(?<=[^\W\d_,] )([A-ZÄÖÜÉÀ][\w'’&-]+)((?: [A-ZÄÖÜÉÀ][\w'’&-]+)*)")


@dataclass(frozen=True)
class _Words:
    """The words of `facts.toml`."""

    units: Mapping[str, tuple[str, Decimal]]
    """The quantity that each unit measures, and its size."""
    pairs: Mapping[tuple[str, str], str]
    scales: Mapping[str, int]
    periods: Mapping[str, str]
    common: frozenset[str]
    short: frozenset[str]
    opposites: frozenset[str]
    negations: frozenset[str]
    without: frozenset[str]
    """Words of the opposites that say nothing of a day."""
    unopposed: frozenset[str]
    """Words behind these that say how something was decided."""
    taxes: frozenset[str]
    """Stems of words of taxes, which stand beside amounts of all kinds."""
    roles: Mapping[str, str]
    """The roles that stems of words name."""
    guesses: frozenset[str]
    """Words of amounts that are not known yet."""
    heads: frozenset[str]
    """Stems of nouns with which a statement begins that name no other thing."""
    papers: frozenset[str]
    """Stems of words for kinds of papers."""
    same: Mapping[str, str]
    """Words that say the same, and the beginnings by which they are compared, each with the name of their group."""
    common_stems: frozenset[str]


@cache
def _words() -> _Words:
    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    units = {
        word: (kind, Decimal(size))
        for kind, sizes in read["units"].items()
        for size, words in sizes.items()
        for word in words.split()
    }
    pairs = {
        (first, second): kind for kind, several in read["pairs"].items() for first, second in map(str.split, several)
    }
    lists = {name: {word: key for key, words in read[name].items() for word in words.split()} for name in _LISTS}
    common, short, opposites, negations, without, unopposed, taxes, guesses, papers, heads = (
        frozenset(word for words in read[name].values() for word in words.split()) for name in _SETS
    )
    return _Words(
        units, pairs, {word: int(power) for word, power in lists["scales"].items()}, lists["periods"],
        common, short, opposites, negations, without, unopposed, frozenset(one[:7] for one in taxes),
        lists["roles"], guesses, frozenset(one[:7] for one in heads), frozenset(one[:7] for one in papers),
        lists["same"] | {word[:7]: group for word, group in lists["same"].items()},
        frozenset(one[:7] for one in common),
    )  # fmt: skip


_WORD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_LISTS: Final = ("scales", "periods", "roles", "same")
_SETS: Final = (
    "common", "short", "opposites", "negations", "without", "unopposed", "taxes", "guesses", "papers", "heads",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """A quantity or a date, and the sentence that states it."""

    place: str
    sentence: str
    value: str
    """The notation in the text, with the unit."""
    kind: str
    """The quantity that is compared: a date, a currency, the quantity of a unit, or the counted noun (`#boxes`)."""
    readings: tuple[Decimal, ...]
    """The values that its digits may mean, in the smallest unit of the kind; of a date its day."""
    about: bool
    """Whether it is stated as rounded."""
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
    """The facts of a text.

    Args:
        passages: Its passages in order.
        nouns: Whether all nouns are capitalised, as in German.
    """
    return list(islice(_facts(passages, nouns=nouns), MOST))


def _facts(passages: Iterable[Passage], *, nouns: bool) -> Iterator[Fact]:
    left = CHARACTERS
    for passage in passages:
        text, left = passage.text[:left], left - len(passage.text)
        for sentence in sentences(text):
            if _may_state(sentence):
                yield from _of(sentence, passage.part, nouns=nouns)
        if left <= 0:
            return


def _may_state(sentence: str) -> bool:
    """Whether a sentence has a digit, a number in words, or says who does something."""
    return any(map(str.isdigit, sentence)) or any(
        one in numerals.WORDS or one in _words().roles for one in _COMPOUND.findall(fold(sentence))
    )


def sentences(text: str, *, cut: bool = False) -> Iterator[str]:
    """The sentences of a text, each on one line; lines of a paragraph belong together.

    Args:
        text: The text.
        cut: Whether a longer sentence is given in pieces, instead of being left out.
    """
    for block in _BLOCK.finditer(text):
        line, begin = " ".join(block[0].split()), 0
        # One by one: the split of a long line would hold the interpreter's lock.
        for gap in _END.finditer(line):
            yield from _pieces(line, begin, gap.start(), cut=cut)
            begin = gap.end()
        yield from _pieces(line, begin, len(line), cut=cut)


def _pieces(line: str, begin: int, end: int, *, cut: bool) -> Iterator[str]:
    """A stretch of a line in pieces of at most a sentence's length, cut between words; a longer one only if `cut`."""
    while cut and end - begin > _SENTENCE_CHARACTERS:
        at = line.rfind(" ", begin + 1, begin + _SENTENCE_CHARACTERS)
        at = at if at > begin else begin + _SENTENCE_CHARACTERS
        yield line[begin:at]
        begin = at + (line[at : at + 1] == " ")
    if begin < end <= begin + _SENTENCE_CHARACTERS:
        yield line[begin:end]


def _of(sentence: str, place: str, *, nouns: bool) -> Iterator[Fact]:
    if sentence.count("|") > 1:
        return
    found = [*dates.of(sentence)]
    rest = _blanked(sentence, found)
    # Two sides of a question and seven of us: things that are counted in small words are often no facts.
    quantities = [*_quantities(rest), *_people(rest)]
    found += [one for one in quantities if one[2][0] != "#" or rest[one[0]].isdigit() or max(one[3]) >= _MANY]
    kinds = [kind for _, _, kind, _ in found]
    is_range = _RANGE.search(rest) is not None
    years = frozenset(_YEAR.findall(rest))
    for begin, end, kind, readings in found:
        # Two values of a kind in one sentence are about different things that only its grammar tells apart.
        if (
            kinds.count(kind) > 1
            or (is_range and kind != "date")
            or _OWN_DATE.search(sentence[max(0, begin - 30) : begin])
        ):
            continue
        other = rest[:begin] + " " + rest[end:]
        dated = frozenset(
            str(date.fromordinal(int(days[0])).year) for _, _, one, days in found if one == "date" != kind
        )
        yield Fact(
            place, sentence, sentence[begin:end].strip(), kind, readings,
            _is_about(rest, begin),
            words_of(other),
            years | dated,
            frozenset(period for word in _WORD.findall(fold(other)) if (period := _words().periods.get(word))),
            numbered(other),
            names_of(other, nouns=nouns),
            _LABEL.fullmatch(other) is not None,
        )  # fmt: skip


def numbered(text: str) -> frozenset[tuple[str, str]]:
    """The things with a number or a letter in a text, such as `hall 3`."""
    return frozenset(
        (fold(one[1])[:7], one[2])
        for one in _NUMBERED.finditer(text)
        if fold(one[1]) not in _words().common and not _YEAR.fullmatch(one[2])
    )


def words_of(text: str) -> frozenset[str]:
    """The stems of the words of a text that may say what it is about."""
    return frozenset(
        one for one in stems(text) if len(one) > 3 and one not in _words().common_stems and not one[0].isdigit()
    )


def same(word: str) -> str:
    """The name of the group of words that say the same, by a word or its stem; the word itself where it is in none."""
    known = _words().same
    return known.get(word) or known.get(word[:7], word)


def is_head(word: str) -> bool:
    """Whether the stem of a noun names nothing but the kind of a value, or who states it."""
    return word in _words().heads


def is_of_taxes(word: str) -> bool:
    """Whether the stem of a word stands beside amounts of all kinds: taxes included."""
    return word in _words().taxes


def is_short(word: str) -> bool:
    """Whether a word is an article, a preposition and the like."""
    return word in _words().short


def is_paper(word: str) -> bool:
    """Whether the stem of a word names a kind of paper only."""
    return word in _words().papers


_MANY: Final = 10
"""Things that are counted in words, from which on it is a fact."""
_TITLE = r"(?:Herrn?|Frau|Mrs?|Ms|Dr|Prof)\.?\s"
_NAME = r"[A-ZÄÖÜÉÀ][\w'’-]{1,30}"
_BETWEEN = r"(?:[A-Z]\.\s|v[oa]n\s|de\s)?"
_PERSON = re.compile(rf"(?<![\w-])(?:(?:{_TITLE}){{1,3}}(?:{_NAME}\s{_BETWEEN})?|{_NAME}\s{_BETWEEN})(?P<last>{_NAME})")


def _people(sentence: str) -> Iterator[tuple[int, int, str, tuple[Decimal, ...]]]:
    """The person of a sentence that says who has a role, by the letters of the last name.

    Args:
        sentence: A sentence without its days.
    """
    roles = {role for word in _WORD.findall(fold(sentence)) if (role := _words().roles.get(word))}
    if len(roles) != 1:
        return
    for one in _PERSON.finditer(sentence):
        # In German an article and its noun look like a name.
        named = [fold(word) for word in one[0].split()]
        if named[0] not in _words().short and not any(word in _words().roles for word in named):
            letters = Decimal(int.from_bytes(fold(one["last"]).encode()[:10]))
            yield one.start(), one.end(), f"person {min(roles)}", (letters,)


_TOKEN = re.compile(r"[^\W_]+|\0+")
_ALIKE: Final = 0.5
_AROUND: Final = 30
"""Words on each side of a value that are compared: the comparison takes the cube of their number."""


def contrast(a: "Fact", b: "Fact") -> bool:
    """Whether two similar sentences differ in meaning: by other words, such as net for gross, or by a negation."""
    mine, theirs = _words_around(a), _words_around(b)
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    if any(len({bool(several & {*side}) for side in (mine, theirs)}) > 1 for several in _turning(a.kind)):
        return True
    if matcher.ratio() < _ALIKE:
        return False
    changed = [one for one in matcher.get_opcodes() if one[0] != "equal"]
    if any(len(diff := {*mine[i:j], *theirs[k:n]}) == 1 and diff <= _words().negations for _, i, j, k, n in changed):
        return True
    return any(
        _telling(mine[begin:end], theirs) and _telling(theirs[start:stop], mine)
        for _, begin, end, start, stop in changed
    )


def _words_around(fact: "Fact") -> list[str]:
    """The words of a sentence near its value, a NUL among them."""
    tokens = _TOKEN.findall(fold(fact.sentence.replace(fact.value, "\0", 1)))
    words = [
        same(word) for word, next_one in zip(tokens, [*tokens[1:], ""], strict=True) if not _is_vote(word, next_one)
    ]
    place = words.index("\0") if "\0" in words else 0
    return words[max(0, place - _AROUND) : place + _AROUND + 1]


def _is_vote(word: str, following: str) -> bool:
    """Whether a word such as without belongs to how something was decided: without dissent."""
    return word in _words().without and following in _words().unopposed


def _turning(kind: str) -> list[frozenset[str]]:
    """Sets of words that change the meaning of a statement if only one of two statements contains them."""
    known = _words()
    # A day that is planned is a day like another.
    return [known.opposites - known.without] if kind == "date" else [known.opposites, known.guesses]


def _telling(words: Iterable[str], others: Iterable[str]) -> list[str]:
    """The words that say something and have no other form among others."""
    left_out = _words().common | _words().short | _NUMERALS
    return [
        word
        for word in words
        if word not in left_out and word != "\0" and not any(one.startswith(_begin(word)) for one in others)
    ]


def _begin(word: str) -> str:
    """The first letters of a word, which its other forms share."""
    return word[: min(5, max(3, len(word) - 1))]


def names_of(text: str, *, nouns: bool) -> frozenset[str]:
    """The names in a sentence, in lower case: words that begin with a capital letter, and in German two in a row, of
    which none is an article or the like (`Ihrer Bestellung`).
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
    """A quantity or a date in a sentence, by its position there; the rest as of `Fact`."""

    begin: int
    end: int
    value: str
    kind: str
    readings: tuple[Decimal, ...]
    about: bool


def stated(sentence: str) -> list[Stated]:
    """All quantities and dates of a sentence in their order."""
    found = [*dates.of(sentence)]
    rest = _blanked(sentence, found)
    return [
        Stated(begin, end, sentence[begin:end].strip(), kind, readings, _is_about(rest, begin))
        for begin, end, kind, readings in sorted([*found, *_quantities(rest)], key=lambda one: one[0])
    ]


def _blanked(sentence: str, found: Iterable[tuple[int, int, str, tuple[Decimal, ...]]]) -> str:
    for begin, end, *_ in found:
        sentence = sentence[:begin] + "\0" * (end - begin) + sentence[end:]
    return sentence


def _is_about(rest: str, begin: int) -> bool:
    return _ABOUT.search(rest[max(0, begin - 24) : begin]) is not None


def values(text: str) -> frozenset[tuple[str, Decimal]]:
    """The kinds and values of all quantities and days in a text."""
    found: set[tuple[str, Decimal]] = set()
    for sentence in sentences(text[:CHARACTERS]):
        for _, _, kind, several in (*dates.of(sentence), *_quantities(sentence)):
            found |= {(kind, one) for one in several}
    return frozenset(found)


def pairs_of_names(text: str) -> frozenset[str]:
    """Two words in a row that begin with capital letters, in lower case: names of companies and people, mostly."""
    left_out = _words().common | _words().short | _words().roles.keys()
    found = [(one[1], one[2]) for one in _PAIR.finditer(text)]
    return frozenset(
        f"{first} {second}".casefold()
        for first, second in found
        if not any(fold(one) in left_out or fold(one)[:7] in _words().papers for one in (first, second))
    )


_PAIR = re.compile(r"(?<![^\W_])(?=([A-ZÄÖÜÉÀ][\w'’&-]+) ([A-ZÄÖÜÉÀ][\w'’&-]+))")


def _quantities(sentence: str) -> Iterator[tuple[int, int, str, tuple[Decimal, ...]]]:
    for one in _NUMBER.finditer(sentence):
        read = [Decimal(value) * (-1 if one["minus"] else 1) for value in readings(one["digits"])]
        end, scale = one.end("digits"), 0
        unit, following = fold(one["unit"] or ""), fold(one["next"] or "")
        sign = (one["sign"] or "").strip().lower()
        # Without a currency m are metres.
        if unit in _words().scales and (unit != "m" or one["before"] or following in CURRENCIES):
            scale, end = _words().scales[unit], one.end("unit")
            kind, factor, end = _kind(one, sign, following, "", end, one.end("next") if following else end)
        else:
            pair = one["next"] and (unit, following) in _words().pairs
            last = one.end("next") if pair else one.end("unit") if one["unit"] else end
            kind, factor, end = _kind(one, sign, unit, following, end, last)
        if kind and read:
            begin = one.start() - (one["unit"] is not None and ")" in sentence[one.end("digits") : one.start("unit")])
            yield begin, end, kind, tuple((value * factor).scaleb(scale) for value in read)


def _kind(one: re.Match[str], sign: str, unit: str, following: str, end: int, last: int) -> tuple[str, Decimal, int]:
    """The quantity that a number measures, the size of its unit, and the end of its text.

    Args:
        one: The number.
        sign: The sign behind it, such as `%`.
        unit: The word behind it, folded.
        following: The next word.
        end: The end of its digits, or of their scale.
        last: The end of its unit.
    """
    known, last = _words(), max(end, last)
    if one["before"]:
        return CURRENCIES.get(one["before"].lower(), one["before"]), Decimal(1), end
    if sign:
        degrees = "fahrenheit" if sign.endswith("f") else "degrees"
        return CURRENCIES.get(sign, degrees if "°" in sign else "percent"), Decimal(1), one.end("sign")
    if (unit, following) in known.pairs:
        return known.pairs[unit, following], Decimal(1), last
    if unit in known.units:
        return *known.units[unit], last
    is_noun = len(unit) > 3 and unit not in known.common and not _YEAR.fullmatch(one["digits"])
    return CURRENCIES.get(unit) or (f"#{same(unit[:7])}" if is_noun else ""), Decimal(1), last


def readings(digits: str) -> list[str]:
    """The numbers that digits may mean, with separators of thousands or a decimal sign."""
    if (number := numerals.WORDS.get(digits.lower())) is not None:
        return [str(number)]
    signs = [sign for sign in digits if not sign.isdigit()]
    groups = re.split(r"\D", digits)
    found: list[str] = []
    if not signs or (all(len(one) == 3 for one in groups[1:]) and len({*signs}) == 1 and groups[0] != "0"):
        found.append("".join(groups))
    if signs and signs[-1] in ".," and signs[-1] not in signs[:-1] and all(len(one) == 3 for one in groups[1:-1]):
        found.append("".join(groups[:-1]) + "." + groups[-1])
    return found
