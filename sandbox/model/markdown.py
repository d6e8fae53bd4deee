"""Small pieces of Markdown. Text from a file is escaped so that it cannot become markup."""

import re

from sandbox.model.tool_results import File

_SIGNIFICANT = re.compile(r"([\\`<\[\]])")
_CODE = re.compile(r"(?<![`\\])(`{1,3})(?!`)[^`]+(?<!`)\1(?!`)")


def quoted(text: str) -> str:
    """A text from a file, on one line: links, images and HTML in it are shown, not made; inline code stays so."""
    flat = " ".join(text.split())
    shown, at = "", 0
    for code in _CODE.finditer(flat):
        shown += _SIGNIFICANT.sub(r"\\\1", flat[at : code.start()]) + code[0]
        at = code.end()
    return shown + _SIGNIFICANT.sub(r"\\\1", flat[at:])


def shortened(text: str, characters: int) -> str:
    """The beginning of a text with at most `characters` characters, cut between words."""
    if len(text) <= characters:
        return text
    return text[:characters].rsplit(" ", 1)[0].rstrip(" ,;:") + " …"


def link(file: File) -> str:
    """A link to a file; only its name if it has no web address."""
    name = _SIGNIFICANT.sub(r"\\\1", " ".join(file.name.split()))
    if not re.fullmatch(r"https?://[^\s<>]+", file.url):
        return name
    address = f"<{file.url}>" if "(" in file.url or ")" in file.url else file.url
    return f"[{name}]({address})"


def place(file: File, label: str) -> str:
    """A link to a file, with a place in it if there is one."""
    return f"{link(file)}, {quoted(label)}" if label else link(file)


def blockquote(lines: list[str]) -> str:
    """A quotation with hard line breaks between its lines."""
    return "  \n".join(f"> {quoted(line)}" for line in lines)


def table(rows: list[list[str]]) -> str:
    """A table of texts from a file. The first row is the header."""
    width = max(len(row) for row in rows)
    shown = [[quoted(cell).replace("|", "\\|") for cell in row] + [""] * (width - len(row)) for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in shown]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])
