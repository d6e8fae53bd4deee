"""Whether a passage holds the kind of thing that is asked for: a name, a date, a number, a place, a cause."""

import re

from sandbox.model import passages, words
from sandbox.model.questions import Wanted

_MONTH = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|ma[iy]|june?|juni|july?|juli|aug(?:ust)?"
    r"|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)"
)
DATE = re.compile(
    rf"\b(?:19|20)\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}[./]|\b\d{{1,2}}\.?(?:st|nd|rd|th)?\s+{_MONTH}\b|\b{_MONTH}\s+\d"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|june|july|august|september"
    r"|october|november|december)\b",
    re.IGNORECASE,
)
_SOMEWHERE = re.compile(r"\b(?:in|at|on|under|im|unter|bei|auf)\s+(?:the |a |der |dem |den )?[A-ZÄÖÜ`/]")
_SOME_PLACE = re.compile(r"\b(?:in|at|on|under|im|unter|bei|auf)\s+(?:the|a|der|dem|den|einem|einer)\s+\w{4}")
_NAME = re.compile(r"\b([A-ZÄÖÜ][\w'’-]+)\s+(?:[A-Z]\.\s+)?([A-ZÄÖÜ][\w'’-]+)")
_LETTERHEAD = re.compile(
    r"\W*(to|from|cc|bcc|date|re|subject|an|von|datum|betreff|present|owner|severity|status|version|edition|state)\W*"
    r"(?::\W|of\s|\d)|\W*(written|kept|prepared) by\b",
    re.IGNORECASE,
)
_CAUSE_TITLE = re.compile(r"\b(?:caus|reason|why|ursache|grund|gründe)", re.IGNORECASE)
_CAUSE = re.compile(r"\b(?:because|due to|caused|cause|reason|weil|wegen|aufgrund|ursache|grund)\b", re.IGNORECASE)


def is_furniture(passage: passages.Passage, wanted: Wanted = "any") -> bool:
    """Whether a passage is part of a table of contents or a letterhead: quoted only where nothing else matches."""
    if passages.CONTENTS_LINE.search(passage.text):
        return True
    letterhead = _LETTERHEAD.match(passage.text)
    if letterhead is None:
        return False
    is_date = (letterhead[1] or letterhead[2]).casefold() in {"date", "datum"}
    return not (wanted == "time" if is_date else wanted == "person")


def factor(wanted: Wanted, passage: passages.Passage, has_other_number: bool) -> float:
    """A factor above 1 for a passage that holds the kind of thing that is asked for."""
    if wanted == "cause":
        return 1.4 if _CAUSE_TITLE.search(passage.heading) else 1.2 if _CAUSE.search(passage.text) else 0.9
    if wanted == "person":
        return 1.2 if _names(passage.text) else 0.7
    if wanted == "time":
        # The names of the columns of a row are no dates of what it says.
        return 1.2 if DATE.search(" ".join(passage.cells) or passage.text) else 0.7
    if wanted == "place":
        return 1.2 if _SOMEWHERE.search(passage.text) else 1.1 if _SOME_PLACE.search(passage.text) else 0.85
    if wanted == "amount":
        return 1.2 if has_other_number else 0.85
    return 1.15 if wanted == "page" and is_page(passage.label) else 1.0


def is_page(label: str) -> bool:
    """Whether a place is a page or slide."""
    return label.lower().startswith(("page", "slide"))


def _names(text: str) -> list[tuple[str, str]]:
    """Pairs of capitalised words that may be somebody's name."""
    return [pair for pair in _NAME.findall(text) if not any(word.casefold() in words.STOPWORDS for word in pair)]
