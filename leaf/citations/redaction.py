"""Finds the text of Drive files in stored messages, and removes it. Pure.

A message keeps the file texts that tools returned, and the quotes of its answer. Stored texts are not a permission.
Before a reader receives them, Google is asked again, and this module leaves out the files that Google does not confirm.
The answer's own words stay.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, cast

from leaf import parts, texts
from leaf.citations import addresses, comparisons, conflicts, markers
from leaf.citations.comparisons import COMPARISONS
from leaf.citations.conflicts import CONFLICTS
from leaf.citations.coverage import COVERAGE
from leaf.citations.syntax import label_of
from leaf.citations.verification import CITATIONS, CUT_OFF, is_cut
from leaf.parts.objects import objects_in

State = Literal["refused", "unanswered", "lost", "unconnected", "checking"]
"""The reason why a text is left out.

- `refused`: Google refuses the file to the reader.
- `unanswered`: Google has not answered in time.
- `lost`: Google cannot be asked, because the reader's access has ended.
- `unconnected`: Google cannot be asked, because no Drive is connected.
- `checking`: Google has not been asked yet.
"""

TEXTS: Final[Mapping[str, str]] = {
    "refused": "trust.refused",
    "unanswered": "trust.unanswered",
    "lost": "trust.lost",
    "unconnected": "trust.unconnected",
    "checking": "trust.checking",
}
"""The text key of each `State`. As the `reason` of a citation, a state says why its quote is left out."""
_IMPORTED: Final = "imported"
_WITH_FILE_TEXTS: Final = frozenset({CITATIONS, COVERAGE, CONFLICTS, COMPARISONS})
"""Types of data parts that contain texts or names of files."""
_COMPUTED: Final = frozenset({
    "tables", "rows", "columns", "query", "formula", "more", "chart", "cell", "cells", "units",
})  # fmt: skip
_COMPARED: Final = frozenset({"compared", "rows", "on", "notes", "same", "differences", "versions", "left_out"})
_QUOTED: Final = ("name", "url", "part", "quote", "before", "after")


def reason(state: str) -> texts.Message:
    """The English text of a `State`."""
    return texts.english(TEXTS[state])


def note_key(withheld: str) -> str:
    """The key of the text that says why a file's text is left out; empty if it is not left out.

    Args:
        withheld: A `State`, or its English text, which replaces a passage.
    """
    return next((key for state, key in TEXTS.items() if withheld and withheld in {state, str(reason(state))}), "")


def files_of(message_parts: Iterable[parts.Part]) -> set[str]:
    """The ids of the Drive files whose text a message contains."""
    found: set[str] = set()
    for part in message_parts:
        if part["type"] in _FILES_OF:
            found |= _FILES_OF[part["type"]](part.get("data"))
        elif parts.is_tool(part) and not parts.tool_name(part).startswith(_IMPORTED):
            found |= files_in(part.get("output"))
    return found


def files_of_chunks(chunks: Iterable[parts.Chunk]) -> set[str]:
    """The ids of the Drive files whose text or name the chunks of a run contain."""
    found: set[str] = set()
    for chunk in chunks:
        if chunk["type"] == "tool-output-available":
            found |= files_in(chunk.get("output"))
        elif chunk["type"] in _FILES_OF:
            found |= _FILES_OF[chunk["type"]](chunk.get("data"))
        elif chunk["type"] == COVERAGE and isinstance(data := chunk.get("data"), dict):
            found |= {str(one["id"]) for one in objects_in(data.get("read")) if one.get("id")}
    return found


def files_in(output: Any) -> set[str]:
    """The ids of the Drive files whose text the output of a tool contains.

    These are files that were read, compared or computed over, and files with passages.
    """
    if not isinstance(output, dict):
        return set()
    file = output.get("file")
    passages = [one for name in ("passages", "tables", "compared") for one in objects_in(output.get(name))]
    found = {str(one.get("file_id")) for one in passages if one.get("file_id")}
    if isinstance(file, dict) and file.get("id") and "url" in file and isinstance(output.get("content"), str):
        found.add(str(file["id"]))
    return found


def without(message_parts: Sequence[parts.Part], states: Mapping[str, str]) -> list[parts.Part]:
    """The parts of a message without the texts of some files. Parts without such texts stay the same objects.

    Args:
        message_parts: The parts of the message.
        states: The files to leave out, each with its `State`.
    """
    kept = [*message_parts]
    if states.keys().isdisjoint(files_of(kept)):
        return kept
    labels = _labels(kept, states)
    for slot, part in enumerate(kept):
        if part["type"] in _WITH_FILE_TEXTS:
            kept[slot] = {**part, "data": _data_without(part["type"], part.get("data"), states)}
        elif part["type"] == "text":
            text = str(part.get("text") or "")
            if (shown := text_without(text, states, labels)) != text:
                kept[slot] = {**part, "text": shown}
        elif parts.is_tool(part) and not states.keys().isdisjoint(files_in(part.get("output"))):
            kept[slot] = {**part, "output": output_without(part["output"], states)}
    return kept


def chunk_without(chunk: parts.Chunk, states: Mapping[str, str]) -> parts.Chunk:
    """A chunk of a run without the texts of some files."""
    if chunk["type"] in _WITH_FILE_TEXTS:
        return {**chunk, "data": _data_without(chunk["type"], chunk.get("data"), states)}
    if chunk["type"] == "tool-output-available" and not states.keys().isdisjoint(files_in(chunk.get("output"))):
        return {**chunk, "output": output_without(chunk["output"], states)}
    return chunk


def output_without(output: dict[str, Any], states: Mapping[str, str]) -> dict[str, Any]:
    """The output of a tool without the texts of some files. The reason stands in their place."""
    result = dict(output)
    if "files" in output:
        result["files"] = [_named_without(one, states) for one in objects_in(output["files"])]
    if "passages" in output:
        result["passages"] = [
            {"file_id": one["file_id"], "withheld": str(reason(states[one["file_id"]]))}
            if one.get("file_id") in states
            else one
            for one in objects_in(output["passages"])
        ]
    for name, fields in (("tables", _COMPUTED), ("compared", _COMPARED)):
        left_out = [states[one["file_id"]] for one in objects_in(output.get(name)) if one.get("file_id") in states]
        if left_out:
            # A result depends on all of its tables, and a comparison on all of its files.
            kept = {key: value for key, value in result.items() if key not in fields}
            return {**kept, name: [], "withheld": left_out[0], "note": str(reason(left_out[0]))}
    file = output.get("file")
    if isinstance(file, dict) and file.get("id") in states and isinstance(output.get("content"), str):
        state = states[file["id"]]
        kept = {"file": _named_without(file, states), "content": "", "complete": False}
        return {**kept, "withheld": state, "note": str(reason(state))}
    return result


def text_without(text: str, states: Mapping[str, str], labels: Mapping[str, str] | None = None) -> str:
    """A text of an answer with the footnotes of some files replaced by the reason. The length of the text does not
    change, so positions in it stay valid.

    Args:
        text: Markdown.
        states: The files to leave out, each with its `State`.
        labels: Footnotes that are known to quote one of them, each with the `State` of its file.
    """
    pieces, at = list[str](), 0
    for label, begin, end in markers.definitions(text) if states else ():
        body = text[begin:end]
        state = (labels or {}).get(label) or next((states[one] for one in _linked(body) if one in states), None)
        if state is not None:
            length = len(body.rstrip("\n"))
            pieces += text[at:begin], str(reason(state))[:length].ljust(length)
            at = begin + length
    return "".join([*pieces, text[at:]])


def _labels(message_parts: Sequence[parts.Part], states: Mapping[str, str]) -> dict[str, str]:
    """The labels of the footnotes that cite these files, each with the `State` of its file."""
    labels: dict[str, str] = {}
    for part in message_parts:
        for one in objects_in(part.get("data")) if part["type"] == CITATIONS else ():
            state = states.get(str(one.get("file_id") or ""))
            for slot, begin, end in one.get("at") or () if state else ():
                written = message_parts[slot].get("text") if slot < len(message_parts) else None
                if isinstance(written, str) and (label := label_of(written[begin:end])):
                    labels[label] = cast("str", state)
    return labels


def _linked(body: str) -> set[str]:
    """The ids of files that a footnote links to."""
    return {addresses.file_of(target) for target in markers.targets(body)}


def files_cited(data: Any) -> set[str]:
    """The ids of the files that citations quote, or from which figures were computed.

    Imported citations do not count, because their text is the importer's own.
    """
    return {file for one in objects_in(data) if one.get("reason") != _IMPORTED for file in _files_of(one)}


def _files_of(one: Mapping[str, Any]) -> list[str]:
    """The ids of the Drive files that a citation quotes, or from which its figure was computed."""
    if one.get("kind") not in {"drive", "computed"}:
        return []
    files = one.get("files")
    return [str(file) for file in (files if isinstance(files, list) else [one.get("file_id")]) if file]


def _data_without(kind: str, data: Any, states: Mapping[str, str]) -> Any:
    if kind == CITATIONS:
        return [citation_without(one, states) for one in objects_in(data)]
    if kind in _WITHOUT:
        return _WITHOUT[kind](data, states)
    if not isinstance(data, dict):
        return data
    lists = {key: data[key] for key in ("read", "looked_into") if isinstance(data.get(key), list)}
    return data | {key: [_named_without(one, states) for one in objects_in(found)] for key, found in lists.items()}


def citation_without(one: Mapping[str, Any], states: Mapping[str, str]) -> dict[str, Any]:
    """A citation without quote and source if one of its files is left out. Then `reason` is the `State`, unless it is
    `CUT_OFF`.
    """
    state = next((states[file] for file in _files_of(one) if file in states), None)
    if state is None or one.get("reason") == _IMPORTED:
        return dict(one)
    emptied: dict[str, Any] = {key: "" for key in _QUOTED if key in one}
    if "formula" in one:
        emptied["formula"] = {}
    return {**one, **emptied, "reason": CUT_OFF if is_cut(one) else state}


_FILES_OF: Final = {CITATIONS: files_cited, CONFLICTS: conflicts.files_of, COMPARISONS: comparisons.files_of}
_WITHOUT: Final = {CONFLICTS: conflicts.without, COMPARISONS: comparisons.without}


def _named_without(one: Mapping[str, Any], states: Mapping[str, str]) -> dict[str, Any]:
    """A file without its name and address."""
    return {**one, "name": None, "url": None} if one.get("id") in states else dict(one)
