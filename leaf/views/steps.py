"""The steps of an agent in words: one line for each tool call or thought, and one sentence for a group. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from leaf import parts
from leaf.google import diagnosis
from leaf.parts.client_tools import is_at_caller
from leaf.parts.objects import list_of, object_of, objects_in
from leaf.texts import say, stored
from leaf.texts.places import place_text
from leaf.views import displays

StepState = Literal["running", "done", "skipped", "failed", "stopped"]

Fields = dict[str, Any]
"""The arguments or the output of a tool call."""
Names = Mapping[str, str]
"""The names of files by their ids."""
Describe = Callable[[parts.Part, Fields, Fields, Names], "Step"]
"""Describes a call from its part, its arguments, its output, and the names of files."""
THOUGHT = "thought"
_TELLING_CHARACTERS = 6
"""How many characters of a Drive id are enough to tell files apart."""
_STATES: dict[str, StepState] = {"output-available": "done", "output-error": "failed", "output-denied": "failed"}
_COUNTED = (
    ("search", "steps.searched_times", "steps.missed_searches"),
    ("folder", "steps.listed_folders", ""),
    ("file", "steps.read_files", "steps.missed_files"),
    ("web", "steps.searched_web_times", ""),
    ("page", "steps.read_pages", "steps.missed_pages"),
)
"""The icons of steps that a group's sentence counts, each with the texts for several steps and for failed steps."""
_TOLD = {"edit", "todo", "tool", "compute", "compare"}
"""The icons of steps that a group's sentence names one by one. Looking at tables is named if nothing is computed."""


@dataclass(frozen=True)
class Step:
    """A tool call or thought as its row shows it."""

    id: str
    icon: str
    """One of search, folder, file, tables, compute, compare, edit, todo, web, page, tool, thought."""
    state: str
    text: str
    note: str = ""
    """The result in words: a number of files, a place in a file, or the reason of a failure."""
    verb: str = ""
    """The lower-case phrase for the sentence of a group; empty while the step is running."""
    took: str = ""
    """The duration in words; empty if unknown or too short."""
    preparing: bool = False
    """Whether the model is still writing the input."""
    slot: int = 0
    """The index of the part of a thought."""
    blocks: list[str] = field(default_factory=list[str])
    """The text of a thought; empty in the items of a frame (`leaf.views.frames`)."""


@dataclass(frozen=True)
class PageLink:
    """A web page that was found or read, with the number under which the answer cites it."""

    number: str
    title: str
    url: str
    host: str
    form: str = ""
    """`video` or `picture` if the page was found because it has one; else empty."""


def step_of(part: parts.Part, names: Names) -> Step:
    """The row of a tool part."""
    state = _state(part)
    arguments, output = object_of(part.get("input")), object_of(part.get("output"))
    describe = _DESCRIPTIONS.get(parts.tool_name(part), _other)
    if state == "stopped":
        cut = describe({**part, "state": "input-available"}, arguments, {}, names)
        stopped = say("steps.stopped")
        return Step(cut.id, cut.icon, state, cut.text.rstrip(" …"), stopped, stopped, took([part]))
    step = describe(part, arguments, output, names)
    if state == "failed":
        return Step(step.id, step.icon, "failed", step.text, reason_of(part), step.verb, took([part]))
    if state == "done":
        return replace(step, took=took([part]))
    return replace(step, preparing=True) if part["state"] == "input-streaming" else step


def took(timed: Iterable[parts.Part]) -> str:
    """The total duration of calls and thinking, such as "4 s"; empty if unknown or too short."""
    lasted_ms = parts.lasted_ms(timed) or 0
    minutes, seconds = divmod(round(lasted_ms / 1000), 60)
    if minutes:
        return say("steps.took_minutes", minutes=minutes, seconds=seconds)
    return say("steps.took_seconds", seconds=seconds) if seconds else ""


def reason_of(part: parts.Part) -> str:
    """The reason of a failed call in the reader's language.

    If Drive is not connected, the reason is the cause of the lost connection, or empty if no cause is known. The page
    says above its composer that Drive is not connected, and there or in Settings it shows the remedy. The fault itself
    is also shown here, because the answer stays when Drive works again.
    """
    message = parts.message_of(part)
    if parts.is_without_drive(message):
        message = parts.cause_of_loss(message)
        return _fault(message) or stored(message, "")
    return _fault(message) or stored(message, str(part.get("errorText") or say("doing.did_not_work")))


def _fault(message: Any) -> str:
    """The fault of Drive that a stored message explains, without the remedy; empty for other messages."""
    found = diagnosis.of_message(message)
    return found.fault if found is not None else ""


def thought_of(part: parts.Part, slot: int, *, streaming: bool) -> Step:
    """The row of a thought."""
    runs = streaming and part.get("state") == "streaming"
    text = say("doing.thinking") if runs else say("steps.thought")
    state, blocks = "running" if runs else "done", [str(part.get("text") or "")]
    return Step(f"thought-{slot}", THOUGHT, state, text, took=took([part]), slot=slot, blocks=blocks)


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


def with_reasons_once(steps: Mapping[int, Step]) -> dict[int, Step]:
    """The steps of an answer by slot. If an earlier step has the same reason of a failure, a short note replaces it."""
    reasons: set[str] = set()
    shown: dict[int, Step] = {}
    for slot, step in steps.items():
        repeats = step.state in {"failed", "skipped"} and step.note in reasons
        shown[slot] = replace(step, note=say("steps.same_reason")) if repeats else step
        reasons |= {step.note} - {""}
    return shown


def sentence(steps: list[Step]) -> str:
    """One line for a group of steps: the running step, or a summary."""
    running = [step for step in steps if step.state == "running"]
    if running:
        return running[-1].text
    phrases: list[str] = []
    for icon, several, failed in _COUNTED:
        alike = [step for step in steps if step.icon == icon and step.state != "stopped"]
        made = [step.verb for step in alike if not failed or step.state == "done"]
        missed = len(alike) - len(made)
        if icon == "file":
            made = [*dict.fromkeys(made)]  # Counts a file once, even if several of its parts were read.
        if made:
            phrases.append(made[0] if len(made) == 1 else say(several, count=len(made)))
        if missed:
            phrases.append(say(failed, count=missed))
    told = _TOLD if any(step.icon == "compute" for step in steps) else {*_TOLD, "tables"}
    phrases += [step.verb for step in steps if step.icon in told or step.state == "stopped"]
    return capitalised(" · ".join(dict.fromkeys(phrases)) or say("steps.thought_briefly"))


def capitalised(text: str) -> str:
    """A phrase with a capital letter, for the beginning of a line."""
    return text[:1].upper() + text[1:]


def _done(part: parts.Part, icon: str, phrase: str, note: str = "") -> Step:
    return Step(part["toolCallId"], icon, "done", capitalised(phrase), note, phrase)


def _step(part: parts.Part, icon: str, doing: str, done: str, note: str = "", *, skipped: Any = None) -> Step:
    """The row of a call with its text while it runs and afterwards. A file or folder that was `skipped` has its own."""
    if _state(part) == "running":
        return Step(part["toolCallId"], icon, "running", doing)
    return _skipped(part, icon, skipped) if isinstance(skipped, dict) else _done(part, icon, done, note)


def _state(part: parts.Part) -> StepState:
    if parts.was_stopped(part):
        return "stopped"
    if parts.is_of_empty_drive(parts.message_of(part)):
        # This is no failure: the Drive is empty, and the answer says whose Drive it is.
        return "done"
    return "running" if parts.is_open_call(part) else _STATES.get(part["state"], "running")


def _web_search(part: parts.Part, arguments: Fields, output: Fields, _names: Names) -> Step:
    query = str(output.get("query") or arguments.get("query") or "").strip()
    results, note = output.get("results"), ""
    if isinstance(results, list):
        note = say("steps.results", count=len(results)) if results else say("steps.nothing_found")
        note = say("steps.in_sandbox", found=note) if output.get("provider") == "sandbox" else note
    searched, searched_for = "steps.searched_web", "steps.searched_web_for"
    if _state(part) == "failed":
        searched, searched_for = "steps.not_searched_web", "steps.not_searched_web_for"
    if query:
        return _step(part, "web", say("steps.searching_web_for", query=query), say(searched_for, query=query), note)
    return _step(part, "web", say("steps.searching_web"), say(searched), note)


def _web_page(part: parts.Part, arguments: Fields, output: Fields, _names: Names) -> Step:
    host = host_of(str(output.get("url") or arguments.get("url") or ""))
    name = str(output.get("title") or "") or host or say("steps.a_page")
    notes = (host if name != host else "", say("steps.in_part") if output.get("truncated") else "")
    return _step(part, "page", say("steps.reading", name=name), _read(part, name), ", ".join(filter(None, notes)))


def _search(part: parts.Part, arguments: Fields, output: Fields, names: Names) -> Step:
    query = str(arguments.get("query") or output.get("query") or "").strip()
    place = names.get(str(arguments.get("in_folder") or ""))
    if _state(part) == "failed":
        return _done(part, "search", say("steps.not_searched_for", query=query) if query else say("steps.not_searched"))
    found = {"files": []} if parts.is_of_empty_drive(parts.message_of(part)) else output
    if place and query:
        doing, done = "steps.searching_place_for", "steps.searched_place_for"
    elif place:
        doing, done = "steps.searching_place", "steps.searched_place"
    elif query:
        doing, done = "steps.searching_drive_for", "steps.searched_drive_for"
    else:
        doing, done = "steps.searching_drive", "steps.searched_drive"
    named = {name: text for name, text in (("place", place), ("query", query)) if text}
    return _step(part, "search", say(doing, **named), say(done, **named), _count(found))


def _search_files(part: parts.Part, arguments: Fields, output: Fields, names: Names) -> Step:
    queries = arguments.get("queries") or output.get("queries")
    words = " · ".join(map(str, queries)) if isinstance(queries, list) else ""
    return _search(part, {"query": words or arguments.get("name"), "in_folder": arguments.get("folder")}, output, names)


def _listing(part: parts.Part, arguments: Fields, output: Fields, names: Names) -> Step:
    folder, skipped = output.get("folder"), output.get("skipped")
    name = str((folder or {}).get("name") or names.get(str(arguments.get("folder") or ""), ""))
    doing = say("steps.listing", name=name) if name else say("steps.listing_some")
    if _state(part) == "failed":
        return _step(part, "folder", doing, _read(part, name or say("steps.a_folder")), skipped=skipped)
    done = say("steps.listed", name=name) if name else say("steps.listed_some")
    return _step(part, "folder", doing, done, _count(output), skipped=skipped)


def _reading(part: parts.Part, arguments: Fields, output: Fields, names: Names) -> Step:
    file = output.get("file")
    name = str((file or {}).get("name") or _file_name(str(arguments.get("file") or ""), names)) or say("steps.a_file")
    wanted, read = str(arguments.get("find") or ""), str(output.get("part") or "")
    note = "" if read in {"", "all"} else place_text(read)
    if output.get("complete") is False:
        note = say("steps.part_in_part", part=note) if note else say("steps.in_part")
    if wanted:
        note = say("steps.looked_for", wanted=wanted)
    doing = say("steps.looking_for", wanted=wanted, name=name) if wanted else say("steps.reading", name=name)
    return _step(part, "file", doing, _read(part, name), note, skipped=output.get("skipped"))


def _computing(part: parts.Part, arguments: Fields, output: Fields, names: Names) -> Step:
    name = _file_names(arguments, output, names)
    icon, doing, done = "tables", "steps.looking_at_tables", "steps.looked_at_tables"
    if arguments.get("query"):
        icon, doing, done = "compute", "steps.computing", "steps.computed"
    return _step(part, icon, say(doing, name=name), say(done, name=name), skipped=output.get("skipped"))


def _file_names(arguments: Fields, output: Fields, names: Names) -> str:
    """The names of the files of a call in one string; "a file" in the reader's language if none is known."""
    listed = output.get("files")
    if isinstance(listed, list):
        found = [str(one.get("name")) for one in objects_in(listed)]
    else:
        found = [_file_name(str(one), names) for one in list_of(arguments.get("files"))]
    return ", ".join(filter(None, found)) or say("steps.a_file")


def _comparing(part: parts.Part, arguments: Fields, output: Fields, names: Names) -> Step:
    name, count = _file_names(arguments, output, names), output.get("differences")
    note = say("comparisons.differences", count=count) if isinstance(count, int) and count else ""
    doing, done = say("steps.comparing", name=name), say("steps.compared", name=name)
    return _step(part, "compare", doing, done, note, skipped=output.get("skipped"))


def _file_of_chat(icon: str, doing: str, done: str, failed: str) -> Describe:
    """The function that describes calls about one of the chat's own files."""

    def describe(part: parts.Part, arguments: Fields, output: Fields, _names: Names) -> Step:
        path = str(arguments.get("path") or output.get("path") or say("steps.a_file"))
        if _state(part) == "failed":
            return _done(part, icon, say(failed, name=path))
        key = "steps.created" if output.get("done") == "created" else done
        note = say("steps.in_part") if output.get("whole") is False else ""
        return _step(part, icon, say(doing, name=path), say(key, name=path), note)

    return describe


def _files_of_chat(part: parts.Part, _arguments: Fields, output: Fields, _names: Names) -> Step:
    return _step(part, "tool", say("steps.listing_chat"), say("steps.listed_chat"), _count(output))


def _grep(part: parts.Part, arguments: Fields, output: Fields, _names: Names) -> Step:
    pattern = str(arguments.get("pattern") or "")
    key = "steps.lines_more" if output.get("partial") else "steps.lines"
    note = say(key, count=len(list_of(output.get("hits"))))
    doing, done = say("steps.searching_chat", pattern=pattern), say("steps.searched_chat", pattern=pattern)
    return _step(part, "tool", doing, done, note)


def _display(part: parts.Part, _arguments: Fields, _output: Fields, _names: Names) -> Step:
    preparing, showed = displays.TOOLS[parts.tool_name(part)]
    return _step(part, "tool", say(preparing), say(showed))


def _todo(part: parts.Part, _arguments: Fields, output: Fields, _names: Names) -> Step:
    note = say("steps.todos_done", done=output.get("completedCount", 0), total=output.get("totalCount", 0))
    return _step(part, "todo", say("steps.updating_todos"), say("steps.updated_todos"), note)


def _other(part: parts.Part, _arguments: Fields, _output: Fields, _names: Names) -> Step:
    tool = parts.tool_name(part)
    words = tool.replace("_", " ").replace("-", " ")
    at_caller = part["state"] == "input-available" and is_at_caller(part)
    doing = say("steps.at_caller", tool=tool) if at_caller else say("steps.using", tool=words)
    return _step(part, "tool", doing, say("steps.used", tool=words))


def _skipped(part: parts.Part, icon: str, skipped: Fields) -> Step:
    name = str(skipped.get("name") or (say("steps.a_folder") if icon == "folder" else say("steps.a_file")))
    message = parts.message_of(part)
    note = _fault(message) or stored(message, str(skipped.get("reason") or ""))
    text = say("steps.could_not_read", name=name)
    return Step(part["toolCallId"], icon, "skipped", text, note, text[:1].lower() + text[1:])


def _read(part: parts.Part, name: str) -> str:
    """The text of a step that has read something or has failed to read it."""
    return say("steps.could_not_read" if _state(part) == "failed" else "steps.read", name=name)


def _count(output: Fields) -> str:
    files = output.get("files")
    if not isinstance(files, list):
        return ""
    count = int(output.get("total") or len(files))
    if output.get("drives_missed"):
        return f"{say('steps.files', count=count)}; {say('trust.drives_missed')}"
    if count == 0:
        return say("steps.nothing_found_more" if output.get("partial") else "steps.nothing_found")
    return say("steps.files_more" if output.get("partial") else "steps.files", count=count)


def _file_name(address: str, names: Names) -> str:
    """The name of a file by its id or address, which may be incomplete in the input of a call; empty if unknown."""
    if len(address) < _TELLING_CHARACTERS:
        return ""
    for file_id, name in names.items():
        if file_id.startswith(address) or (len(file_id) >= _TELLING_CHARACTERS and file_id in address):
            return name
    return ""


_DESCRIPTIONS: dict[str, Describe] = {
    "search_files": _search_files,
    "search_drive": _search,
    "list_drive_folder": _listing,
    "read_drive_file": _reading,
    "compute": _computing,
    "compare_files": _comparing,
    "list_files": _files_of_chat,
    "grep": _grep,
    displays.TODO: _todo,
    **dict.fromkeys(displays.TOOLS, _display),
    "read_file": _file_of_chat("file", "steps.reading", "steps.read", "steps.could_not_read"),
    "write_file": _file_of_chat("edit", "steps.writing", "steps.rewrote", "steps.not_written"),
    "edit_file": _file_of_chat("edit", "steps.editing", "steps.edited", "steps.not_edited"),
    "delete_file": _file_of_chat("edit", "steps.deleting", "steps.deleted", "steps.not_deleted"),
    "search": _web_search,
    "fetch": _web_page,
}

NAMED = frozenset(_DESCRIPTIONS)
"""The tools with texts of their own. Steps of other tools, such as those of an MCP server, show the tool's name."""


def links_of(part: parts.Part) -> list[PageLink]:
    """The pages that a call of `search` or `fetch` found or read; empty for other calls."""
    output = part.get("output")
    if parts.tool_name(part) not in {"search", "fetch"} or not isinstance(output, dict) or parts.is_open_call(part):
        return []
    results = output.get("results")
    pages = results if isinstance(results, list) else [output]
    return [_link(page) for page in pages if isinstance(page, dict) and host_of(str(page.get("url") or ""))]


def _link(page: Fields) -> PageLink:
    url = str(page["url"])
    number, form = (str(page.get(name) or "") for name in ("n", "form"))
    return PageLink(number, str(page.get("title") or url), url, host_of(url), form)


def host_of(url: str) -> str:
    """The host of a web address; empty for other values."""
    try:
        split = parts.split_address(url)
    except ValueError:
        return ""
    return (split.hostname or "") if split.scheme in {"http", "https"} else ""
