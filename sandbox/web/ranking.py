"""Which pages fit a query: words that few pages have count more (BM25, with titles counted several times)."""

import math
import re
from collections import Counter
from functools import cache

from sandbox.model import words
from sandbox.web.library import WebPage

_K, _B = 1.2, 0.5
_TITLE_WEIGHT = 4
_EXCERPT_CHARACTERS = 320
_TOLD_CHARACTERS = 40
"""What is shorter is a heading or a cell."""
_WORD = re.compile(r"[^\W_]+")
_SMALL = frozenset(
    words.stem(word)
    for word in """
    a an and are as at be by can do does for from has have how i in is it its much many of on or that the there they
    this to was what when where which who why will with you internet web online search say says about
    """.split()  # noqa: SIM905 - quoted one by one they would fill a page
)


def ranked(query: str, pages: list[WebPage]) -> list[tuple[float, WebPage]]:
    """The pages that have words of a query, best first, each with its score."""
    wanted = set(_stems(query)) - _SMALL
    counts = [_counts(page) for page in pages]
    mean = sum(sum(count.values()) for count in counts) / max(len(counts), 1)
    scored: list[tuple[float, WebPage]] = []
    for page, count in zip(pages, counts, strict=True):
        length = _K * (1 - _B + _B * sum(count.values()) / mean)
        score = sum(_rarity(stem, counts) * count[stem] * (_K + 1) / (count[stem] + length) for stem in wanted)
        if score > 0:
            scored.append((score, page))
    return sorted(scored, key=lambda pair: (-pair[0], pair[1].path))


def excerpt(query: str, page: WebPage) -> str:
    """The paragraph that has most words of a query, shortened."""
    wanted = set(_stems(query)) - _SMALL
    told = [text for text in page.paragraphs[1:] if len(text) >= _TOLD_CHARACTERS]
    best = max(told or [page.description], key=lambda text: len(wanted & set(_stems(text))))
    return best if len(best) <= _EXCERPT_CHARACTERS else best[:_EXCERPT_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _rarity(stem: str, counts: list[Counter[str]]) -> float:
    pages_with = sum(1 for count in counts if count[stem])
    return math.log(1 + (len(counts) - pages_with + 0.5) / (pages_with + 0.5))


@cache
def _counts(page: WebPage) -> Counter[str]:
    heavy = f"{page.title} {page.description} "
    return Counter(_stems(heavy * _TITLE_WEIGHT + " ".join(page.paragraphs)))


def _stems(text: str) -> list[str]:
    return [words.stem(word.casefold()) for word in _WORD.findall(text)]
