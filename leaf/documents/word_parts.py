"""Prepares a Word document so that mammoth reads everything that a reader of the document sees, and nothing else.

mammoth leaves out simple fields (dates, cross-references, merged addresses), the new place of text that a tracked
change has moved, formulas, and text boxes without a fallback for older programs. It includes hidden text. It does not
read the headers and footers of pages.
"""

import io
import posixpath
import re
import zipfile
from collections.abc import Collection, Iterator
from typing import Any

from leaf.documents.xml_trees import tree_of

_BODY = "word/document.xml"
_PARTS = {_BODY, "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"}
_STYLES = "word/styles.xml"
_MARKERS = (b"fldSimple", b":moveTo", b"oMath", b":vanish", b":txbxContent")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_AROUND = {"num": ("(", ")"), "den": ("/(", ")"), "sup": ("^(", ")"), "sub": ("_(", ")"), "rad": ("√(", ")")}
"""The signs before and after an element of a formula, by its tag, when the formula is written on one line."""
_OFF = {"0", "false", "off"}
_MARGIN = re.compile(rb"<w:(header|footer)Reference\s[^>]{0,400}?r:id=\"([^\"]{1,100})\"")
_RELATIONS = "word/_rels/document.xml.rels"
MARGIN_CHARACTERS = 2000
"""Maximum number of characters of the headers, and of the footers, that are read."""
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_FALLBACK = f"{_COMPATIBILITY}Fallback"


def readable(data: bytes, archive: zipfile.ZipFile) -> bytes:
    """The document in a form for mammoth; the same bytes if nothing has to be changed.

    Raises:
        SyntaxError: A part is not XML.
    """
    changed: dict[str, bytes] = {}
    hidden = _hidden_styles(archive)
    for name in _PARTS & {*archive.namelist()}:
        part = archive.read(name)
        if hidden or any(marker in part for marker in _MARKERS):
            changed[name] = _rewritten(part, hidden)
    if not changed:
        return data
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        for one in archive.infolist():
            made.writestr(one.filename, changed[one.filename] if one.filename in changed else archive.read(one))
    return written.getvalue()


def margins(archive: zipfile.ZipFile) -> tuple[str, str]:
    """The paragraphs of the headers and those of the footers that sections of the document use, each once.

    Raises:
        SyntaxError: A part is not XML.
    """
    names = {*archive.namelist()}
    if not {_BODY, _RELATIONS} <= names:
        return "", ""
    used = {found[2].decode("utf-8", "replace"): found[1] for found in _MARGIN.finditer(archive.read(_BODY))}
    hidden = _hidden_styles(archive) if used else set[str]()
    lines: dict[bytes, dict[str, None]] = {b"header": {}, b"footer": {}}
    for relation in tree_of(archive.read(_RELATIONS)) if used else ():
        path = posixpath.normpath(posixpath.join("word", relation.get("Target", ""))).lstrip("/")
        kind = used.get(relation.get("Id"))
        if kind is not None and path in names:
            lines[kind].update(dict.fromkeys(_paragraphs(tree_of(archive.read(path), huge=True), hidden)))
    header, footer = ("\n\n".join(several)[:MARGIN_CHARACTERS] for several in lines.values())
    return header, footer


def _paragraphs(tree: Any, hidden: Collection[str]) -> Iterator[str]:
    _hide(tree, hidden)
    for fallback in [*tree.iter(_FALLBACK)]:
        fallback.clear()
    for paragraph in tree.iter(f"{_W}p"):
        pieces = (
            one.text or "" if one.tag == f"{_W}t" else " " for one in paragraph.iter(f"{_W}t", f"{_W}tab", f"{_W}br")
        )
        if line := " ".join("".join(pieces).split()):
            yield line


def _hidden_styles(archive: zipfile.ZipFile) -> set[str]:
    """The ids of the styles that hide their text themselves."""
    part = archive.read(_STYLES) if _STYLES in archive.namelist() else b""
    if b":vanish" not in part:
        return set()
    marks = tree_of(part, huge=True).iterfind(f"{_W}style/{_W}rPr/{_W}vanish")
    return {mark.getparent().getparent().get(f"{_W}styleId", "") for mark in marks if mark.get(f"{_W}val") not in _OFF}


def _hide(tree: Any, styles: Collection[str]) -> None:
    """Removes the text of hidden runs, in place.

    Args:
        tree: The tree of a part.
        styles: The ids of the styles that hide text, unless the properties of a run show it.
    """
    for mark in [*tree.iter(f"{_W}vanish")]:
        run = mark.getparent().getparent() if mark.getparent() is not None else None
        if run is not None and run.tag == f"{_W}r" and mark.get(f"{_W}val") not in _OFF:
            for text in [*run.iter(f"{_W}t")]:
                text.text = ""
    for style in [*tree.iter(f"{_W}pStyle", f"{_W}rStyle")]:
        styled = style.getparent().getparent()
        if style.get(f"{_W}val") in styles and styled is not None and styled.tag in {f"{_W}p", f"{_W}r"}:
            for run in styled.iter(f"{_W}r"):
                own = run.find(f"{_W}rPr/{_W}vanish")
                for text in run.iter(f"{_W}t") if own is None or own.get(f"{_W}val") not in _OFF else ():
                    text.text = ""


def _rewritten(part: bytes, hidden: Collection[str]) -> bytes:
    """A part of the document in a form for mammoth."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    tree = tree_of(part, huge=True)
    _hide(tree, hidden)
    for wrapper in tree.iter(f"{_W}fldSimple", f"{_W}moveTo"):
        # mammoth reads the content of a smart tag.
        wrapper.tag = f"{_W}smartTag"
    for box in [*tree.iter(f"{_W}txbxContent")]:
        _show(box)
    for formula in [*tree.iter(f"{_M}oMath")]:
        run = etree.Element(f"{_W}r")
        etree.SubElement(run, f"{_W}t").text = "".join(_line(formula))
        run.tail = formula.tail
        formula.getparent().replace(formula, run)
    for group in tree.iter(f"{_M}oMathPara"):
        group.tag = f"{_W}smartTag"
    return etree.tostring(tree, encoding="utf-8", xml_declaration=True)


def _show(box: Any) -> None:
    """Moves the content of a text box out of its drawing.

    A drawing with a fallback for older programs stays as it is, because mammoth reads the fallback.
    """
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    drawing: Any = next(box.iterancestors(f"{_W}drawing", f"{_W}pict", _FALLBACK), None)
    if drawing is None or drawing.tag != f"{_W}drawing":
        return
    choice: Any = drawing.getparent()
    outer: Any = choice.getparent() if choice.tag == f"{_COMPATIBILITY}Choice" else None
    if outer is not None and outer.find(_FALLBACK) is not None:
        return
    shown = etree.Element(f"{_W}pict")
    (drawing if outer is None else outer).addnext(shown)
    shown.append(box)


def _line(formula: Any) -> list[str]:
    """A formula as text on one line, with signs for fractions, powers, indexes and roots."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    line: list[str] = []
    for event, one in etree.iterwalk(formula, events=("start", "end")):
        before, after = _AROUND.get(str(one.tag).removeprefix(_M), ("", ""))
        if event == "end":
            line.append(after)
        elif one.tag == f"{_M}t":
            line.append(one.text or "")
        else:
            line.append(before)
    return line
