"""What the agent did, in words: one line for each tool call, and one sentence for a group of them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from leaf import parts
from leaf.state import displays, web

StepState = Literal["running", "done", "skipped", "failed"]

Describe = Callable[[parts.Part, dict[str, Any], dict[str, Any], Mapping[str, str]], "Step"]
THOUGHT = "thought"
_TELLING_CHARACTERS = 6
"""Drive's ids are told apart by so many characters."""
_STATES: dict[str, StepState] = {"output-available": "done", "output-error": "failed", "output-denied": "failed"}


@dataclass(frozen=True)
class Step:
    """A tool call as its row shows it."""

    id: str
    icon: str
    """One of search, folder, file, edit, todo, web, page, tool, thought."""
    state: str
    text: str
    note: str = ""
    """What came of it: how many files, which part, or why not."""
    verb: str = ""
    """The lower-case phrase for a group's sentence; empty where the group counts the step."""
    preparing: bool = False
    """Whether the model is still writing what the tool is given."""
    slot: int = 0
    """Of a thought: which part of the message it is."""
    blocks: list[str] = field(default_factory=list[str])
    """Of a thought: what was thought; nothing in an answer that is being written, as with a text."""


def step_of(part: parts.Part, names: Mapping[str, str]) -> Step:
    """The row of a tool part.

    Args:
        part: A tool part in any state.
        names: File names by id, as far as earlier results have told them.
    """
    state = _state(part)
    given = part.get("input")
    output = part.get("output")
    describe = _DESCRIPTIONS.get(parts.tool_name(part), _other)
    step = describe(part, given if isinstance(given, dict) else {}, output if isinstance(output, dict) else {}, names)
    if state == "failed":
        return Step(
            step.id, step.icon, "failed", step.text, str(part.get("errorText") or "It did not work."), step.verb
        )
    return replace(step, preparing=True) if part["state"] == "input-streaming" else step


def thought_of(part: parts.Part, slot: int, *, streaming: bool) -> Step:
    """The row of a stretch of thinking.

    Args:
        part: A reasoning part.
        slot: Which part of the message it is.
        streaming: Whether it is the last part of an answer that is being written.
    """
    runs = streaming and part.get("state") == "streaming"
    text = "Thinking…" if runs else "Thought about it"
    blocks = [str(part.get("text") or "")]
    return Step(f"thought-{slot}", THOUGHT, "running" if runs else "done", text, slot=slot, blocks=blocks)


def names_of(message_parts: Iterable[parts.Part]) -> dict[str, str]:
    """The names of all files that tool results mention, by file id."""
    names: dict[str, str] = {}
    for part in message_parts:
        output = part.get("output") if parts.is_tool(part) else None
        if not isinstance(output, dict):
            continue
        files = [*(output.get("files") or []), output.get("file"), output.get("folder"), output.get("skipped")]
        names |= {file["id"]: file["name"] for file in files if isinstance(file, dict) and file.get("name")}
    return names


def sentence(steps: list[Step]) -> str:
    """One line for a group of steps: what runs now, or what was done."""
    running = [step for step in steps if step.state == "running"]
    if running:
        return running[-1].text
    phrases: list[str] = []
    searches = [step for step in steps if step.icon == "search"]
    if searches:
        phrases.append(searches[0].verb if len(searches) == 1 else f"searched Drive {len(searches)} times")
    folders = [step for step in steps if step.icon == "folder"]
    if folders:
        phrases.append(folders[0].verb if len(folders) == 1 else f"listed {len(folders)} folders")
    read = {step.verb for step in steps if step.icon == "file" and step.state == "done"}
    if read:
        phrases.append(next(iter(read)) if len(read) == 1 else f"read {len(read)} files")
    missed = sum(1 for step in steps if step.icon == "file" and step.state != "done")
    if missed:
        phrases.append(f"could not read {missed} file{'s' if missed > 1 else ''}")
    phrases += web.phrases(steps)
    phrases += [step.verb for step in steps if step.icon in {"edit", "todo", "tool"}]
    text = " · ".join(dict.fromkeys(phrases)) or "thought about it"
    return text[:1].upper() + text[1:]


def _state(part: parts.Part) -> StepState:
    return "running" if parts.is_open_call(part) else _STATES.get(part["state"], "running")


def _on_the_web(part: parts.Part, given: dict[str, Any], output: dict[str, Any], _names: Mapping[str, str]) -> Step:
    icon, text, note, verb = web.told(parts.tool_name(part), given, output, running=_state(part) == "running")
    return Step(part["toolCallId"], icon, _state(part), text, note, verb)


def _search(part: parts.Part, given: dict[str, Any], output: dict[str, Any], names: Mapping[str, str]) -> Step:
    query = str(given.get("query") or output.get("query") or "").strip()
    about = f" for “{query}”" if query else ""
    place = names.get(str(given.get("in_folder") or ""))
    where = f"“{place}”" if place else "Drive"
    if _state(part) == "running":
        return Step(part["toolCallId"], "search", "running", f"Searching {where}{about}…")
    return Step(
        part["toolCallId"],
        "search",
        "done",
        f"Searched {where}{about}",
        _count(output),
        f"searched {where}{about}",
    )


def _listing(part: parts.Part, given: dict[str, Any], output: dict[str, Any], names: Mapping[str, str]) -> Step:
    folder = output.get("folder")
    name = str((folder or {}).get("name") or names.get(str(given.get("folder") or ""), ""))
    what = f"“{name}”" if name else "a folder"
    if _state(part) == "running":
        return Step(part["toolCallId"], "folder", "running", f"Looking into {what}…")
    if isinstance(output.get("skipped"), dict):
        return _skipped(part, "folder", output["skipped"])
    return Step(part["toolCallId"], "folder", "done", f"Listed {what}", _count(output), f"listed {what}")


def _reading(part: parts.Part, given: dict[str, Any], output: dict[str, Any], names: Mapping[str, str]) -> Step:
    file = output.get("file")
    name = str((file or {}).get("name") or _known(str(given.get("file") or ""), names))
    what = name or "a file"
    wanted = str(given.get("find") or "")
    if _state(part) == "running":
        doing = f"Looking for “{wanted}” in {what}…" if wanted else f"Reading {what}…"
        return Step(part["toolCallId"], "file", "running", doing)
    if isinstance(output.get("skipped"), dict):
        return _skipped(part, "file", output["skipped"])
    read = str(output.get("part") or "")
    note = "" if read in {"", "all"} else read
    if output.get("complete") is False:
        note = f"{note}, in part" if note else "in part"
    if wanted:
        note = f"looked for “{wanted}”"
    return Step(part["toolCallId"], "file", "done", f"Read {what}", note, f"read {what}")


def _file_of_chat(icon: str, doing: str, done: str) -> Describe:
    """What tells of a call that concerns one of the chat's own files."""

    def describe(part: parts.Part, given: dict[str, Any], output: dict[str, Any], _names: Mapping[str, str]) -> Step:
        path = str(given.get("path") or output.get("path") or "a file")
        if _state(part) == "running":
            return Step(part["toolCallId"], icon, "running", f"{doing} {path}…")
        said = str(output.get("done") or "")
        past = "Created" if said == "created" else done
        note = "in part" if output.get("whole") is False else ""
        return Step(part["toolCallId"], icon, "done", f"{past} {path}", note, f"{past.lower()} {path}")

    return describe


def _files_of_chat(part: parts.Part, _given: dict[str, Any], output: dict[str, Any], _names: Mapping[str, str]) -> Step:
    if _state(part) == "running":
        return Step(part["toolCallId"], "tool", "running", "Listing this chat's files…")
    return Step(
        part["toolCallId"], "tool", "done", "Listed this chat's files", _count(output), "listed this chat's files"
    )


def _grep(part: parts.Part, given: dict[str, Any], output: dict[str, Any], _names: Mapping[str, str]) -> Step:
    about = f"this chat's files for “{given.get('pattern') or ''}”"
    if _state(part) == "running":
        return Step(part["toolCallId"], "tool", "running", f"Searching {about}…")
    hits = output.get("hits")
    count = len(hits) if isinstance(hits, list) else 0
    note = f"{count} line{'' if count == 1 else 's'}{', and there are more' if output.get('partial') else ''}"
    return Step(part["toolCallId"], "tool", "done", f"Searched {about}", note, f"searched {about}")


def _display(part: parts.Part, _given: dict[str, Any], _output: dict[str, Any], _names: Mapping[str, str]) -> Step:
    what = displays.TOOLS[parts.tool_name(part)]
    if _state(part) == "running":
        return Step(part["toolCallId"], "tool", "running", f"Preparing {what}…")
    return Step(part["toolCallId"], "tool", "done", f"Showed {what}", "", f"showed {what}")


def _todo(part: parts.Part, _given: dict[str, Any], output: dict[str, Any], _names: Mapping[str, str]) -> Step:
    if _state(part) == "running":
        return Step(part["toolCallId"], "todo", "running", "Updating the to-do list…")
    note = f"{output.get('completedCount', 0)} of {output.get('totalCount', 0)} done"
    return Step(part["toolCallId"], "todo", "done", "Updated the to-do list", note, "updated the to-do list")


def _other(part: parts.Part, _given: dict[str, Any], _output: dict[str, Any], _names: Mapping[str, str]) -> Step:
    name = parts.tool_name(part).replace("_", " ").replace("-", " ")
    if _state(part) == "running":
        return Step(part["toolCallId"], "tool", "running", f"Using {name}…")
    return Step(part["toolCallId"], "tool", "done", f"Used {name}", "", f"used {name}")


def _skipped(part: parts.Part, icon: str, skipped: dict[str, Any]) -> Step:
    name = str(skipped.get("name") or f"a {icon}")
    return Step(part["toolCallId"], icon, "skipped", f"Could not read {name}", str(skipped.get("reason") or ""))


def _count(output: dict[str, Any]) -> str:
    files = output.get("files")
    if not isinstance(files, list):
        return ""
    count = int(output.get("total") or len(files))
    text = "nothing found" if count == 0 else "1 file" if count == 1 else f"{count} files"
    return f"{text}, and there may be more" if output.get("partial") else text


def _known(address: str, names: Mapping[str, str]) -> str:
    """The name of a file that a tool was asked for by id or by address, of which only the beginning may be there."""
    if len(address) < _TELLING_CHARACTERS:
        return ""
    for file_id, name in names.items():
        if file_id.startswith(address) or (len(file_id) >= _TELLING_CHARACTERS and file_id in address):
            return name
    return ""


_DESCRIPTIONS: dict[str, Describe] = {
    "search_drive": _search,
    "list_drive_folder": _listing,
    "read_drive_file": _reading,
    "list_files": _files_of_chat,
    "grep": _grep,
    displays.TODO: _todo,
    **dict.fromkeys(displays.TOOLS, _display),
    "read_file": _file_of_chat("file", "Reading", "Read"),
    "write_file": _file_of_chat("edit", "Writing", "Rewrote"),
    "edit_file": _file_of_chat("edit", "Editing", "Edited"),
    "delete_file": _file_of_chat("edit", "Deleting", "Deleted"),
    "search": _on_the_web,
    "fetch": _on_the_web,
}

NAMED = frozenset(_DESCRIPTIONS)
"""The tools whose calls are told in words; of others, such as an MCP server's, their name is shown."""
