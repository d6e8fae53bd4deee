"""Reads the comments of cells in xlsx workbooks, in their old form (notes) and their new one (threads)."""

import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any

from leaf.documents.xml_trees import tree_of

MOST_BYTES = 5_000_000
"""Maximum size of a part with comments. A larger one is not read."""


def of(archive: zipfile.ZipFile, sheet: str) -> list[str]:
    """The comments of a sheet in the order of the file, each as `B3: its text`.

    Args:
        archive: The workbook.
        sheet: The path of the sheet in it.

    Raises:
        SyntaxError: A part is not XML.
    """
    folder, name = posixpath.split(sheet)
    kinds = {"threadedComment": "threadedComment", "comments": "comment"}
    paths: dict[str, list[str]] = {kind: [] for kind in kinds}
    for relation in _tree(archive, f"{folder}/_rels/{name}.rels"):
        kind = str(relation.get("Type", "")).rpartition("/")[2]
        if kind in paths:
            paths[kind].append(posixpath.normpath(posixpath.join(folder, relation.get("Target", ""))).lstrip("/"))
    found: list[tuple[str, str]] = []
    for kind, tag in kinds.items():
        # For a thread, the old form contains only a notice for older programs.
        known = {cell for cell, _ in found}
        found += [one for path in paths[kind] for one in _comments(_tree(archive, path), tag) if one[0] not in known]
    return [f"{cell}: {text}" for cell, text in found]


def _tree(archive: zipfile.ZipFile, path: str) -> Any:
    """The root of a part; an empty list if it is missing or too large."""
    part = archive.NameToInfo.get(path)
    return [] if part is None or part.file_size > MOST_BYTES else tree_of(archive.read(part))


def _comments(tree: Any, tag: str) -> Iterator[tuple[str, str]]:
    """The cell and the text of each comment."""
    for comment in tree.iter(f"{{*}}{tag}") if len(tree) else ():
        # A comment also contains the name of its author and phonetic hints, which are left out.
        runs = [*comment.iterfind("{*}text/{*}t"), *comment.iterfind("{*}text/{*}r/{*}t")]
        whole = "".join(one.text or "" for one in runs or comment.iterfind("{*}text"))
        if text := " ".join(whole.split()):
            yield str(comment.get("ref", "")), text
