"""Reads a range of lines from a file."""

from dataclasses import dataclass

MAX_LINES = 2_000
MAX_CHARACTERS = 50_000
LINE_GOES_ON = "… (the line goes on)"


@dataclass(frozen=True)
class Lines:
    """Lines of a file, counted from 1."""

    text: str
    first: int
    """The number of the first line; 0 for an empty file."""
    last: int
    total: int
    whole: bool
    """Whether this is the whole file, with no line cut."""


def lines_of(content: str, first: int = 1, count: int | None = None) -> Lines:
    """A range of lines, up to the limit of one read.

    Args:
        content: Content of the file.
        first: First line, counted from 1; negative numbers count from the end.
        count: Number of lines; as many as possible by default.

    Raises:
        ValueError: The file does not have that line.
    """
    lines = content.splitlines()
    total = len(lines)
    start = max(0, total + first) if first < 0 else max(0, first - 1)
    if start >= total and total:
        raise ValueError(f"the file has {total} lines")
    wanted = lines[start : start + max(1, min(count or MAX_LINES, MAX_LINES))]
    taken: list[str] = []
    left, cut = MAX_CHARACTERS, False
    for line in wanted:
        if len(line) + 1 > left:
            if not taken:
                taken.append(line[: left - len(LINE_GOES_ON)] + LINE_GOES_ON)
                cut = True
            break
        taken.append(line)
        left -= len(line) + 1
    whole = not cut and start == 0 and len(taken) == total
    return Lines("\n".join(taken), start + 1 if total else 0, start + len(taken), total, whole)
