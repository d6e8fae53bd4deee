"""Words of English and German: how a text is cut into them, which carry meaning, which two mean the same."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

STOPWORDS = frozenset(
    """
    a about above after again against all also am an and any are aren't as at be because been before being below
    between both but by can can't cannot could did didn't do does doesn't doing don't down during each few find
    for from further get give gives had has have having he her here hers him his how i i'd i'll i'm i've if in
    into is isn't it it's its itself just know let let's like long look looks many may me mention mentions might
    more most much must my no nor not now of off on once one ones only onto or other our ours out over own per
    please quote quotes really regarding same say says search she should show shows so some someone something
    such tell tells than that that's the their theirs them then there there's these they this those through to
    told too under until up upon us very was we were what what's when where which while who who's whom whose why
    will with within without would yes you your yours according talk talks talking ask answer question questions
    information info anything drive google leaf dear hello hi hey thanks thank aber alle allem allen aller alles
    als also am an auch auf aus bei beim bin bis bist bitte da dann das dass dein deine dem den denn der des
    dich die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es
    etwas euch euer für gegen gibt habe haben hat hatte hier ich ihr ihre im in ins ist ja jede jeder jedes kann
    kannst kein keine können könnte laut mal man mehr mein meine meinem meinen meiner mich mir mit muss nach nein nicht
    noch nun nur ob oder ohne sagt schon sehr sein seine sich sie sind so soll sollen steht steht's über um und uns
    unser unsere unter viel viele vom von vor wann war waren warum was weil welche welchem welchen welcher welches wem
    wen wenn wer werden wie wieviel wieviele wird wo wofür woher wohin worum wurde wurden zu zum zur zwischen
    finde suche nenne hallo danke frage fragen antwort see hoch lang lange groß heißt heißen lautet wurden
    """.split()  # noqa: SIM905 - a list of two hundred quoted words would hide them
)
"""Words that say nothing about the subject of a question."""

META_WORDS = frozenset(
    """
    file files document documents doc docs folder folders page pages sheet slide link content contents inside
    contain contains list listing summary summarise summarize summarised overview compare comparison compared
    versus vs difference differences differ side table row rows attached pasted url first second third last mean
    means read open describe describes described explain explains explained define defines defined use uses used
    using stand stands state states stated written section sections chapter chapters abschnitt abschnitte kapitel
    datei dateien dokument dokumente ordner seite seiten blatt folie inhalt inhalte
    zusammenfassung zusammenfassen fasse zusammen überblick übersicht vergleiche vergleich vergleichen
    unterschied unterschiede enthält enthalten liegt liegen auflisten liste zeige zeig lies lesen öffne
    """.split()  # noqa: SIM905 - as above
)
"""Words about files and answers: they steer what is done, and are seldom what is looked for."""

NOUNS = frozenset("page pages state states table tables row rows link links list lists section sections use".split())  # noqa: SIM905
"""Those of META_WORDS that a subject may be made of: "page states", "row limit"."""

FAINT_WORDS = frozenset(
    """
    take takes took taken taking keep keeps kept keeping make makes made making go goes went gone come comes came
    happen happens happened work works worked working need needs needed want wants wanted put puts set sets stay stays
    stayed get gets got hold holds held live lives lie lies lay call called named become becomes exist exists allow
    allows allowed kind kinds type types way ways thing things stored
    passieren passiert machen macht geht gehen kommt kommen nehmen nimmt bleibt bleiben braucht brauchen
    """.split()  # noqa: SIM905 - as above
)
"""Words that say what is done with a subject, for which a file may have another word."""

NUMBER_WORDS = frozenset(
    """
    two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred thousand
    million dozen twice none zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend
    """.split()  # noqa: SIM905 - as above
)

_IRREGULAR = {
    "kept": "keep", "took": "take", "taken": "take", "wrote": "write", "written": "write", "held": "hold",
    "sent": "send", "paid": "pay", "sold": "sell", "bought": "buy", "built": "build", "lost": "lose", "made": "make",
    "ran": "run", "spoke": "speak", "spoken": "speak", "spent": "spend", "went": "go", "gone": "go", "began": "begin",
    "begun": "begin", "broke": "break", "broken": "break", "chose": "choose", "chosen": "choose", "came": "come",
    "fell": "fall", "fallen": "fall", "grew": "grow", "grown": "grow", "knew": "know", "known": "know",
    "rose": "rise", "risen": "rise", "drove": "drive", "driven": "drive", "men": "man", "women": "woman",
    "children": "child", "people": "person",
}  # fmt: skip

_SYNONYMS = (
    "rent rental miete lease mietvertrag tenancy",
    "contract agreement vertrag",
    "vacation holiday holidays leave urlaub",
    "salary pay wage gehalt lohn compensation",
    "cost costs price kosten preis fee expense",
    "deadline due frist",
    "revenue sales turnover umsatz",
    "sign signed signature signatory unterschrieben unterzeichnet unterschrift",
    "safety sicherheit",
    "employee staff mitarbeiter mitarbeiterin",
    "budget etat",
    "ladder leiter",
    "customer client kunde kunden",
    "start begin beginn begins commencement",
    "end expire expires expiry ende",
    "phone telephone telefon",
    "address adresse anschrift",
    "owner eigentümer responsible verantwortlich",
    "remote homeoffice",
    "specification spec",
    "notice termination kündigung kündigungsfrist",
    "january januar",
    "february februar",
    "march märz",
    "may mai",
    "june juni",
    "july juli",
    "october oktober",
    "december dezember",
    "reference manual handbook guide",
)

_TOKEN = re.compile(
    # Names of files, identifiers with an underscore or a digit, numbers, and then plain words.
    r"[^\W_][\w-]*(?:\.[\w-]+)*\.(?:md|txt|pdf|csv|tsv|json|ya?ml|toml|xml|html?|docx?|xlsx?|pptx?|py|js|ts|css|sh|lock|asn)"
    r"(?!\w)|[A-Z]{2,}-\d[\w-]*\w|\w*[^\W_]_+\w*|__\w+|[^\W\d_]+\d\w*|\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?"
)
_DATED = re.compile(r"\b(?:19|20)\d\d-(0[1-9]|1[0-2])\b")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_EXACT = re.compile(r"[\d_.]")
_ENDINGS = ("ungen", "ings", "ing", "edly", "ed", "ern", "em", "en", "er", "es", "e", "s", "n")


@dataclass(frozen=True)
class Word:
    """One word as it was written, and what is compared: `stem`."""

    text: str
    stem: str
    is_number: bool
    is_name: bool
    """Whether it is written with a capital letter."""


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without case, accents and the usual endings, so that `Policies` and `policy` are the same."""
    folded = unicodedata.normalize("NFKD", word.casefold()).replace("’", "'").removesuffix("'s")
    plain = "".join(character for character in folded if not unicodedata.combining(character))
    plain = _IRREGULAR.get(plain, plain)
    if len(plain) <= 3:
        return plain
    if plain.endswith("ies"):
        plain = plain[:-3] + "y"
    for ending in _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= 3:
            plain = plain[: -len(ending)]
            break
    # "planned" and "planning" lose their doubled letter, "policy" and "policies" meet in one vowel.
    if len(plain) > 4 and plain[-1] == plain[-2] and plain[-1] not in "aeiouls":
        plain = plain[:-1]
    return plain[:-1] + "i" if plain.endswith("y") else plain


def split(text: str) -> list[Word]:
    """The words of a text, in order. Numbers, identifiers and names of files are one word each."""
    return [_word(token) for token in _TOKEN.findall(text)]


def split_name(name: str) -> list[Word]:
    """The words of a file's name or a title: those of `split`, and the words that its identifiers are made of."""
    found = split(name)
    parts = [part for word in found if _EXACT.search(word.stem) for part in re.findall(r"[^\W\d_]+|\d+", word.text)]
    months = [_MONTHS[int(month) - 1] for month in _DATED.findall(name)]
    return [*found, *map(_word, [*parts, *months])]


def is_identifier(stem: str) -> bool:
    """Whether a stem is that of a name of code or of a file, such as `asn1_create_element`."""
    return not _NUMBER.fullmatch(stem) and bool(_EXACT.search(stem))


@lru_cache(maxsize=20_000)
def _word(token: str) -> Word:
    is_number = bool(_NUMBER.fullmatch(token))
    if is_number:
        normal = re.sub(r"(?<=\d)[.,](?=\d{3}(?!\d))", "", token)
    else:
        normal = token.casefold() if _EXACT.search(token) else stem(token)
    return Word(token, normal, is_number, token[0].isupper())


def is_stopword(word: Word) -> bool:
    return not word.is_number and (word.text.casefold() in STOPWORDS or len(word.text) < 2)


def is_meta(word: Word) -> bool:
    return word.text.casefold() in META_WORDS


def is_noun(word: Word) -> bool:
    """Whether it is one of META_WORDS that a subject may be made of."""
    return word.text.casefold() in NOUNS


def is_faint(word: Word) -> bool:
    return word.text.casefold() in FAINT_WORDS


def base(word: str) -> str:
    """A verb without its ending, as a search for the beginnings of words takes it: `back` for "backed up"."""
    folded = word.casefold()
    known = _IRREGULAR.get(folded)
    ending = next((one for one in ("ing", "ed") if folded.endswith(one) and len(folded) - len(one) >= 3), "")
    if known or not ending:
        return known or folded
    plain = folded.removesuffix(ending)
    return plain[:-1] if len(plain) > 3 and plain[-1] == plain[-2] and plain[-1] not in "aeiouls" else plain


def synonyms(word: str) -> list[str]:
    """Other words for the same, in English or German."""
    own = stem(word)
    groups = [line.split() for line in _SYNONYMS if any(stem(other) == own for other in line.split())]
    return [other for group in groups for other in group if stem(other) != own]


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(_SYNONYMS):
        for word in line.split():
            groups.setdefault(stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups.items()}


@lru_cache(maxsize=50_000)
def likeness(wanted: str, found: str) -> float:
    """How well a stem that was found stands for the one that is wanted: 0.0 (not at all) to 1.0 (it is the same)."""
    if wanted == found:
        return 1.0
    if _EXACT.search(wanted) or _EXACT.search(found):
        return 0.0
    shorter, longer = sorted((wanted, found), key=len)
    # "Data" is not what "database" means, and "plan" and "planner" are of one kind.
    if len(shorter) >= 4 and longer.startswith(shorter) and len(longer) - len(shorter) <= min(3, len(shorter) - 2):
        return 0.8
    groups = _groups()
    if groups.get(wanted, frozenset()) & groups.get(found, frozenset()):
        return 0.6
    # German writes compounds as one word: "Marketingbudget" speaks of a budget.
    if len(shorter) >= 5 and (longer.startswith(shorter) or longer.endswith(shorter)):
        return 0.6
    return 0.0
