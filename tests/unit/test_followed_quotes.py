"""A quote that still stands in its changed file is never marked, and one that was changed always is."""

import random
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import uuid4

from jobs.library.quotes import states_in
from leaf.citations import Passage, Text
from leaf.documents import Document, Segment
from leaf.services.library.quotes import Quote, State

EDITS = 1_000
_WORDS = [
    "orchard", "lease", "pears", "crates", "winter", "press", "cold", "store", "delivery", "invoice", "trays",
    "grower", "rent", "board", "budget", "minutes", "agreed", "pruned", "sorted", "weighed", "shipped", "before",
    "after", "under", "without", "every", "third", "eastern", "slope", "bottles", "label",
]  # fmt: skip


def sentence(dice: random.Random) -> str:
    """Words, a number that hardly any other sentence has, and an apostrophe."""
    words = dice.choices(_WORDS, k=dice.randint(6, 18))
    words.insert(dice.randint(1, len(words)), f"{dice.randint(1_000, 99_999):,}")
    words.insert(dice.randint(1, len(words)), "grower's")
    return " ".join(words).capitalize() + "."


def state_of(quote: str, pages: list[str]) -> State:
    segments = [Segment(f"page {number}", None, page) for number, page in enumerate(pages, 1)]
    document = Document("lease", "2", "Lease.pdf", "application/pdf", "pdf", segments)
    wanted = Quote(uuid4(), uuid4(), 1, quote, datetime.now(UTC))
    return states_in(document, [wanted])[wanted]


def told_by_another(dice: random.Random, others: list[str]) -> list[str]:
    return [sentence(dice) if dice.random() < 0.5 else one for one in others]


def shortened(dice: random.Random, others: list[str]) -> list[str]:
    return others[: dice.randint(0, len(others))]


def lengthened(dice: random.Random, others: list[str]) -> list[str]:
    return [*others, *(sentence(dice) for _ in range(40))]


def mixed(dice: random.Random, others: list[str]) -> list[str]:
    return dice.sample(others, len(others))


ELSEWHERE: list[Callable[[random.Random, list[str]], list[str]]] = [told_by_another, shortened, lengthened, mixed]
LAYOUTS: dict[str, Callable[[str], str]] = {
    "as it was": lambda text: text,
    "other lines": lambda text: text.replace(" ", "\n", 3).replace(" ", "  ", 2),
    "blanks that do not break": lambda text: text.replace(" ", "\N{NO-BREAK SPACE}"),
    "typographic": lambda text: text.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}"),
    "a bullet": lambda text: "- " + text,
    "bold": lambda text: f"**{text}**",
}


def other_number(dice: random.Random, quote: str) -> str:
    return re.sub(r"\d(?=\D*$)", lambda found: str((int(found[0]) + dice.randint(1, 9)) % 10), quote, count=1)


def other_word(dice: random.Random, quote: str) -> str:
    words = quote.split()
    words[dice.randrange(1, len(words) - 1)] = "elderberries"
    return " ".join(words)


def denied(dice: random.Random, quote: str) -> str:
    words = quote.split()
    words.insert(dice.randrange(1, len(words)), "never")
    return " ".join(words)


def cut(dice: random.Random, quote: str) -> str:
    words = quote.split()
    del words[dice.randrange(1, len(words) - 1)]
    return " ".join(words)


CHANGES: list[Callable[[random.Random, str], str]] = [other_number, other_word, denied, cut]


def test_no_edit_elsewhere_marks_a_quote() -> None:
    """A thousand edits around the quote, and of the way in which it is laid out."""
    dice = random.Random(16)
    marked: list[tuple[str, str, State]] = []
    for number in range(EDITS):
        quote, others = sentence(dice), [sentence(dice) for _ in range(dice.randint(2, 30))]
        edited = ELSEWHERE[number % len(ELSEWHERE)](dice, others)
        layout = dice.choice(list(LAYOUTS))
        edited.insert(dice.randint(0, len(edited)), LAYOUTS[layout](quote))
        cut_at = dice.randint(0, len(edited))
        state = state_of(quote, [" ".join(edited[:cut_at]), "\n\n".join(edited[cut_at:])])
        if state != "stands":
            marked.append((quote, layout, state))
    assert marked == []


def test_each_edit_of_a_quote_marks_it() -> None:
    """Another number, another word, a word more, a word less; or the whole sentence is gone."""
    dice = random.Random(17)
    states: Counter[State] = Counter()
    for number in range(EDITS):
        quote, others = sentence(dice), [sentence(dice) for _ in range(dice.randint(2, 30))]
        if number % 5:
            others.insert(dice.randint(0, len(others)), CHANGES[number % 5 - 1](dice, quote))
        states[state_of(quote, [" ".join(others)])] += 1
    assert states["stands"] == 0
    assert states["changed"] >= EDITS * 4 // 5


def test_the_label_of_the_notes_of_a_slide_is_no_part_of_a_quote() -> None:
    """000-37."""
    slide = "Tram ridership\n\nSpeaker notes:\nThe depot moves to the Finch building in spring.\n"
    text = Text([Passage("slide 2", slide)])
    found = text.find("The depot moves to the Finch building")
    assert found is not None
    assert (found.part, found.before) == ("slide 2", "Tram ridership")
    assert text.find("Speaker notes: The depot moves to the Finch building") is None
    attached = Text([Passage("attachment deck.pptx › slide 2", slide)])
    assert attached.find("Speaker notes: The depot moves to the Finch building") is None
    typed = Text([Passage("page 2", "Speaker notes:\nThe depot moves to the Finch building.")])
    assert typed.find("Speaker notes: The depot moves") is not None
