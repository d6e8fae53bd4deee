"""Which part of a long file to ask for next."""

import re
from collections.abc import Sequence

from leaf.sandbox.model import ranking
from leaf.sandbox.model.questions import Topic
from leaf.sandbox.model.sources import Reading

MAX_PARTS = 3
"""How often more of one file is asked for in a turn."""

_GO_ON = re.compile(r"Go on with part “([^”]+)”")
_RANGE = re.compile(r"(page|slide|row|line|character)s?\s+(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?", re.IGNORECASE)


def next_part(topics: Sequence[Topic], read: Sequence[Reading], best: float, asked: Sequence[str]) -> str | None:
    """The part to ask for, or None where the file is read or the passage is found.

    Args:
        topics: What is looked for.
        read: The parts of this file that were read in this turn, in order; at least one.
        best: The score of the best passage so far, of any file.
        asked: The parts that were asked for in this turn already.
    """
    if not read or any(reading.complete and reading.part.lower() in {"all", ""} for reading in read):
        return None
    if len(asked) >= MAX_PARTS or read[0].complete:
        return None
    done = {*(part.lower() for part in asked), *(reading.part.lower() for reading in read)}
    outline = next((reading.outline for reading in read if reading.outline), ())
    open_parts = [(part, title) for part, title in outline if part.lower() not in done and not _covered(part, read)]
    titled = _best_titled(topics, open_parts)
    if titled is not None and titled[0] > best:
        return titled[1]
    if best >= ranking.GOOD:
        return None
    if titled is not None:
        return titled[1]
    told = _GO_ON.search(read[-1].note)
    following = [told[1] if told else "", *(part for part, _ in open_parts), _following(read[-1].part) or ""]
    return next((part for part in following if part and part.lower() not in done), None)


def _best_titled(topics: Sequence[Topic], parts: Sequence[tuple[str, str]]) -> tuple[float, str] | None:
    total = sum(topic.weight for topic in topics)
    scored = [(ranking.name_score(topics, title) / total, part) for part, title in parts] if total else []
    best = max(scored, key=lambda pair: pair[0], default=None)
    return best if best and best[0] > 0 else None


def _covered(part: str, read: Sequence[Reading]) -> bool:
    """Whether a part such as "page 2" was read, or lies within one that was, such as "pages 1-3"."""
    if any(f"[{part.lower()}]" in reading.content.lower() for reading in read):
        return True
    wanted = _RANGE.fullmatch(part.strip())
    if wanted is None:
        return False
    for reading in read:
        known = _RANGE.fullmatch(reading.part.strip())
        if known and known[1].lower() == wanted[1].lower():
            first, last = int(known[2]), int(known[3] or known[2])
            if first <= int(wanted[2]) and int(wanted[3] or wanted[2]) <= last:
                return True
    return False


def _following(part: str) -> str | None:
    """After "pages 1-3" come "pages 4-6"."""
    known = _RANGE.fullmatch(part.strip())
    if known is None:
        return None
    first, last = int(known[2]), int(known[3] or known[2])
    size = max(1, last - first + 1)
    unit = known[1].lower()
    return f"{unit} {last + 1}" if size == 1 else f"{unit}s {last + 1}-{last + size}"
