"""Details that are shown on request: inputs and outputs of steps, and the files behind an answer."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import Any
from uuid import UUID

import reflex as rx

from leaf import errors, parts, streams
from leaf.citations.redaction import TEXTS
from leaf.db.session import Actor
from leaf.parts.objects import object_of, objects_in
from leaf.services import cells, computations, conversations, passages, runs, usage
from leaf.services.library import quotes
from leaf.state import session
from leaf.state.internal import internal, set_changed
from leaf.texts import say, stored
from leaf.views import amounts, diffs, receipts, source_changes, sources, steps
from leaf.views import computations as computation_views
from leaf.views.amounts import Spent
from leaf.views.computations import Computation
from leaf.views.diffs import DiffLine
from leaf.views.receipts import Coverage, Line
from leaf.views.sources import Source
from leaf.views.steps import PageLink

SHOWN_CHARACTERS = 20_000
SHOWN_LINES = 500
SHOWN_FILES = 50
_LIVE_SECONDS = 2.0
_CHANGES = {"write_file", "edit_file", "delete_file"}


@dataclass(frozen=True)
class Detail:
    """The input and output of a tool call, as text."""

    input: str = ""
    output: str = ""
    note: str = ""
    """A remark on an output that is not shown as a whole."""
    state: str = ""
    """The tool part's state: input-streaming, input-available, output-available, output-error."""
    links: list[PageLink] = field(default_factory=list[PageLink])
    """Web pages or files that the call has found or read."""
    diff: list[DiffLine] = field(default_factory=list[DiffLine])
    """The change of a file that the call has made or will make."""
    tool: str = ""
    """The name of the tool if Leaf has no text for its steps; else empty."""
    about: str = ""
    """The file that the call changes."""
    language: str = ""
    """The language of the output, for its colours: json, or none."""


def detail_of(part: parts.Part) -> Detail:
    """The details of a tool call, for all states of the call."""
    name = parts.tool_name(part)
    detail = _input_and_output(part)
    return replace(detail, tool="" if name in steps.NAMED else name, language="json" if _is_json(detail.output) else "")


def _is_json(text: str) -> bool:
    """Whether the whole text is a JSON object or array. A text such as "[page 1]" only begins like JSON."""
    try:
        return text.lstrip()[:1] in {"[", "{"} and bool(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _input_and_output(part: parts.Part) -> Detail:
    state = part["state"]
    arguments = _as_json(part.get("input"))
    if state == "output-error":
        error = stored(parts.message_of(part), str(part.get("errorText") or ""))
        return Detail(arguments, steps.reason_of(part) or error, state=state)
    diff = _diff_of(part)
    if diff:
        return Detail(arguments, state=state, diff=diff, about=str(part["input"].get("path") or ""))
    if state == "input-streaming":
        return Detail(state=state)
    if parts.is_open_call(part):
        return Detail(arguments, state="input-available", links=steps.links_of(part))
    text = _output_text(part)
    note = ""
    if len(text) > SHOWN_CHARACTERS:
        note = say("file.first_characters", shown=SHOWN_CHARACTERS, whole=len(text))
    return Detail(arguments, text[:SHOWN_CHARACTERS], note, state, steps.links_of(part) or _files_of(part))


def _output_text(part: parts.Part) -> str:
    """The content of a file that a call has read, or any other output as JSON."""
    output = object_of(part.get("output"))
    if (withheld := TEXTS.get(str(output.get("withheld")))) is not None:
        return say(withheld)
    content = output.get("content")
    if isinstance(content, str):
        return content
    return _as_json(part.get("output")) if part["state"] == "output-available" else ""


def _files_of(part: parts.Part) -> list[PageLink]:
    """The Drive files that a call has found or read."""
    output = object_of(part.get("output"))
    return [
        PageLink("", str(file.get("name") or say("file.untitled")), str(file["url"]), str(file.get("kind") or ""))
        for file in (*objects_in(output.get("files")), object_of(output.get("file")))
        if steps.host_of(str(file.get("url") or ""))
    ][:SHOWN_FILES]


def _diff_of(part: parts.Part) -> list[DiffLine]:
    """The lines that a call changes in a file of the chat, from the tool's output or, before it exists, its input."""
    arguments, output = part.get("input"), part.get("output")
    if parts.tool_name(part) not in _CHANGES or not isinstance(arguments, dict):
        return []
    if isinstance(output, dict):
        return diffs.lines_of(str(output.get("diff") or ""))
    old, new = str(arguments.get("old") or ""), str(arguments.get("new") or arguments.get("content") or "")
    lines = [
        *(DiffLine("removed", one) for one in old.splitlines()),
        *(DiffLine("added", one) for one in new.splitlines()),
    ]
    return lines[:SHOWN_LINES]


def _as_json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


class DetailsState(rx.State):
    """Opened steps, and the panel of sources."""

    steps: dict[str, Detail] = {}  # noqa: RUF012 - Reflex copies it
    """Opened steps, by tool call id."""
    spent: dict[str, Spent] = {}  # noqa: RUF012
    """The shown usage of answers, by the id of the answer's last run."""
    panel: bool = False
    """Whether the panel of sources is open."""
    found: list[Source] = []  # noqa: RUF012
    """The files behind one answer, or behind a chat."""
    computed: dict[str, Computation] = {}  # noqa: RUF012
    """The computations of one answer with their present results, by tool call id."""
    editing: str = ""
    """The tool call id of the computation whose query is being edited."""
    edit_problem: str = ""
    """The reason why the last edited query was not run; empty if it was."""
    has_cells: bool = False
    """Whether the shown answer or chat has computations that can be exported."""
    _run: str = ""
    """The run of the answer whose sources are shown; empty for the sources of a chat."""
    unused: list[Source] = []  # noqa: RUF012
    """Files that were read for a chat and that none of its answers uses."""
    others: list[Source] = []  # noqa: RUF012
    """Quotes of one answer, in addition to its files."""
    warning_lines: list[Line] = []  # noqa: RUF012
    """Lines of the receipt of one answer about skipped files and failed calls."""
    other_lines: list[Line] = []  # noqa: RUF012
    """The other lines of the receipt."""
    summary: str = ""
    """The receipt in one line."""
    heading: str = ""
    passage: str = ""
    """The id of the quote to show, and a number that makes the value different for each request."""

    @internal
    def refresh(self, changed: list[parts.Part], unfolded: AbstractSet[str] = frozenset()) -> None:
        """Updates opened steps that have changed.

        Args:
            changed: Tool parts.
            unfolded: The ids of calls that are open by default, whose details are shown at once.
        """
        wanted = unfolded | self.steps.keys()
        opened = {part["toolCallId"]: detail_of(part) for part in changed if part["toolCallId"] in wanted}
        if any(self.steps.get(call) != detail for call, detail in opened.items()):
            self.steps = {**self.steps, **opened}

    @rx.event(background=True)
    async def open_step(self, run_id: str, call_id: str) -> None:
        """Shows the input and output of a step."""
        for part in await confirmed_parts(await session.speaker(self), session.identifier(run_id, "answer")):
            if parts.is_tool(part) and part["toolCallId"] == call_id:
                async with self:
                    self.steps = {**self.steps, call_id: detail_of(part)}

    @rx.event(background=True)
    async def toggle_spent(self, run_id: str) -> None:
        """Shows the usage of an answer, or hides it again."""
        shown = dict(self.spent)
        if shown.pop(run_id, None) is None:
            who = await session.required(self)
            answer = await conversations.result(who.actor, session.identifier(run_id, "answer"))
            entries = await usage.of_runs(who.actor, runs.runs_of(answer))
            shown[run_id] = amounts.of_answer(entries, answer.details.get(runs.EARLIER_MODELS, []))
        async with self:
            self.spent = shown

    @rx.event(background=True)
    async def open_chat_sources(self, chat: str) -> None:
        """Lists the files behind the answers of a chat."""
        actor = await session.speaker(self)
        opened = await conversations.open(actor, session.identifier(chat, "chat"))
        answers = [message for message in opened.messages if message.role == "assistant"]
        read: list[parts.Message] = []
        for answer in answers:
            content = await parts_of(actor, answer.run_id) if answer.unfinished and answer.run_id else answer.parts
            read.append(_message(str(answer.id), content))
        shown = await passages.shown(actor, [one["parts"] for one in read])
        read = [{**one, "parts": content} for one, content in zip(read, shown, strict=True)]
        async with self:
            self.found, self.unused = sources.by_use(read, sources.of(read))
            self.others, self.passage = [], ""
            self.has_cells = any(computations.has_cells(one["parts"]) for one in read)
            self._show_receipt(Coverage())
            self.heading, self.panel, self._run = say("file.read_in_chat"), True, ""

    @rx.event(background=True)
    async def open_sources(self, run_id: str) -> None:
        """Lists the files behind one answer."""
        await self._show_sources(run_id, "")

    @rx.event(background=True)
    async def open_citation(self, run_id: str, number: str) -> None:
        """Shows the quote with a number in an answer, in the panel of sources."""
        await self._show_sources(run_id, number if number.isdecimal() else "")

    async def _show_sources(self, run_id: str, number: str) -> None:
        actor, answer_id = await session.speaker(self), session.identifier(run_id, "answer")
        content = await confirmed_parts(actor, answer_id)
        changed: dict[str, cells.Edit] = {}
        if actor.audience.has_drive:
            answer = await conversations.result(actor, answer_id)
            changed = cells.of_answer(await cells.edits(actor, [answer.id]), answer.id)
            content = source_changes.annotated(
                content, await quotes.of_run(actor, answer_id), changed, kept=answer.parts
            )
        found, others = sources.quoted(content, sources.of([_message(run_id, content)]))
        coverage = receipts.coverage_of(content)
        async with self:
            self._show_receipt(coverage)
            self.found, self.others, self.heading, self.panel = found, others, say("file.read_for_answer"), True
            self.unused = []
            request = int(self.passage.partition(" ")[2] or 0) + 1
            self.passage = f"passage-{number} {request}" if number else ""
            self.computed, self.editing, self.edit_problem, self._run = {}, "", "", run_id
            self.has_cells = computations.has_cells(content)
            zone = session.zone(self)
        wanted = {quote.call for source in (*found, *others) for quote in source.quotes if quote.call}
        for part in content:
            if parts.is_tool(part) and (call := part["toolCallId"]) in wanted:
                made = await _recomputed(actor, part.get("output"), changed.get(call), zone)
                async with self:
                    self.computed = {**self.computed, call: made}

    @rx.var
    def shown(self) -> str:
        """The run of the answer whose sources are shown; empty if the panel is closed or shows those of the chat."""
        return self._run if self.panel else ""

    @rx.event
    def begin_edit(self, call: str) -> None:
        self.editing, self.edit_problem = call, ""

    @rx.event
    def leave_edit(self) -> None:
        self.editing, self.edit_problem = "", ""

    @rx.event(background=True)
    async def run_edited(self, form: dict[str, Any]) -> None:
        """Runs the edited query, and the computations that use its result."""
        async with self:
            run_id, call = self._run, self.editing
        await self._edit(run_id, call, str(form.get("query") or ""))

    @rx.event(background=True)
    async def undo_edit(self, call: str) -> None:
        """Undoes the change of a computation."""
        async with self:
            run_id = self._run
        await self._edit(run_id, call, None)

    async def _edit(self, run_id: str, call: str, query: str | None) -> None:
        actor = await session.speaker(self)
        try:
            await cells.edit(actor, session.identifier(run_id, "answer"), call, query)
        except errors.LeafError as error:
            async with self:
                self.edit_problem = error.message
            return
        await self._show_sources(run_id, "")

    @internal
    def refresh_sources(self, contents: Mapping[str, Sequence[parts.Part]]) -> None:
        """Updates the state of the sources in the open panel. Sets only vars that differ.

        Args:
            contents: The annotated parts of answers (`views.source_changes.annotated`), by run.
        """
        content = contents.get(self._run) if self.panel else None
        if content is None:
            return
        found, others = sources.quoted(content, sources.of([_message(self._run, content)]))
        set_changed(self, found=found, others=others)
        self._show_receipt(receipts.coverage_of(content))

    @internal
    def leave_branch(self, runs: AbstractSet[str]) -> None:
        """Closes the panel if it shows the sources of an answer that is not on the shown branch."""
        if self.panel and self._run and self._run not in runs:
            self.panel, self._run = False, ""

    def _show_receipt(self, coverage: Coverage) -> None:
        """Shows a receipt. Sets only vars that differ."""
        warning_lines = [line for line in coverage.lines if line.warns]
        other_lines = [line for line in coverage.lines if not line.warns]
        set_changed(self, warning_lines=warning_lines, other_lines=other_lines, summary=coverage.summary)

    @rx.event
    def close_panel(self) -> None:
        self.panel = False


def _message(message_id: str, content: Sequence[parts.Part]) -> parts.Message:
    return {"id": message_id, "role": "assistant", "parts": [*content], "metadata": {}}


async def _recomputed(actor: Actor, output: Any, edit: cells.Edit | None, zone: tzinfo) -> Computation:
    """Repeats a computation, and also its edited version if there is one."""
    kept = object_of(output)
    try:
        made = await computations.repeat(actor, kept)
    except errors.LeafError as error:
        shown = computation_views.failed(error.message, kept)
    else:
        shown = computation_views.computation(made.output, is_same=made.is_same, kept=kept)
    if edit is None:
        return shown
    try:
        if not edit.output:
            raise errors.Invalid(edit.problem)
        again = await computations.repeat(actor, edit.output)
    except errors.LeafError as error:
        edited = computation_views.edited(edit, None, is_same=False, problem=error.message, zone=zone)
    else:
        edited = computation_views.edited(edit, again.output, is_same=again.is_same, problem="", zone=zone)
    return replace(shown, edited=edited)


async def parts_of(actor: Actor, run_id: UUID) -> list[parts.Part]:
    """The parts of an answer. For an answer that is being written, the parts so far.

    Raises:
        errors.NotFound: The actor has no such answer.
    """
    answer = await conversations.result(actor, run_id)
    if not answer.unfinished:
        return answer.parts
    try:
        async with asyncio.timeout(_LIVE_SECONDS):
            return parts.fold(await streams.read(run_id))["parts"] or answer.parts
    except (TimeoutError, errors.Unavailable):
        return answer.parts


async def confirmed_parts(actor: Actor, run_id: UUID) -> list[parts.Part]:
    """The parts of an answer, without texts of Drive files that Google does not confirm for the actor now.

    Raises:
        errors.NotFound: The actor has no such answer.
    """
    (shown,) = await passages.shown(actor, [await parts_of(actor, run_id)])
    return shown
