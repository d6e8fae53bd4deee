"""Messages: the question's bubble, and the answer with its steps, text and actions."""

from collections.abc import Callable

import reflex as rx

from leaf import audiences
from leaf.audiences import Audience
from leaf.components import (
    actions,
    comparisons,
    containers,
    feedback,
    markdown,
    research,
    source_changes,
    trust,
    watches,
)
from leaf.components.answer_usage import details
from leaf.components.basics import Shown, button, each, go, icon, mark, match, unfolds
from leaf.components.client import link
from leaf.components.displays import display
from leaf.components.endings import ending, is_asker, partial
from leaf.components.questions import question
from leaf.components.texts import t
from leaf.services.integrations import CONNECT_PATH
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState
from leaf.state.files import FilesState
from leaf.state.live import LiveState
from leaf.state.session import SessionState
from leaf.state.settings import SettingsState
from leaf.views.rows import Row

NEAR = 8
"""The number of messages at the end of a chat that are drawn before the page is shown."""


def history(rows: Shown, *, audience: Audience = audiences.MEMBER) -> rx.Component:
    """The messages that a chat had when it was opened. A long chat has only the last ones here."""
    end: Shown = ChatState.kept

    def draw(row: Shown, place: Shown) -> rx.Component:
        return _message(row, far=place < end - NEAR, audience=audience)

    return rx.foreach(rows, draw)


def earlier() -> rx.Component:
    """The messages before the last ones. Until they arrive, their place is empty."""
    rows: Shown = ChatState.earlier
    awaited: Shown = ChatState.awaited

    def draw(row: Shown) -> rx.Component:
        return _message(row, far=True)

    return rx.fragment(
        rx.cond(
            awaited > 0,
            rx.el.div(
                class_name="earlier-room", style={"--messages": awaited.to_string()}, aria_hidden=True, key="earlier"
            ),
        ),
        rx.foreach(rows[: ChatState.earlier_kept], draw),
    )


def later(*, audience: Audience = audiences.MEMBER) -> rx.Component:
    """The messages that arrived after the chat was opened, or that are on another branch."""
    return each(ChatState.later, lambda row: _message(row, audience=audience))


def _message(row: Shown, *, far: Shown = False, audience: Audience = audiences.MEMBER) -> rx.Component:
    """A message that no longer changes. If it is `far` above the end of the chat, it is drawn later."""
    return containers.far(
        _BODIES[audience.name](row=row),
        far=far,
        label=rx.cond(row.role == "user", t("research.you"), "Leaf"),
        class_name=rx.cond(row.role == "user", "message question", "message answer"),
        id=f"message-{row.id}",
        key=row.id,
    )


@rx.memo
def members_body(row: rx.Var[Row]) -> rx.Component:
    """The content of a member's message. As a component of its own, it costs almost nothing until it is drawn."""
    return _body(row, audiences.MEMBER)


@rx.memo
def guests_body(row: rx.Var[Row]) -> rx.Component:
    return _body(row, audiences.GUEST)


_BODIES: dict[str, Callable[..., rx.Component]] = {"member": members_body, "guest": guests_body}


def _changes_since(message_id: Shown, run_id: Shown, coverage: Shown, audience: Audience) -> rx.Component:
    """Changes in the sources since the answer was written, and the line about watches; nothing without a Drive."""
    if not audience.has_drive:
        return rx.fragment()
    return rx.fragment(
        source_changes.changed_sources(message_id),
        source_changes.edited_cells(message_id, run_id),
        watches.line(message_id, coverage),
    )


def _body(row: Shown, audience: Audience) -> rx.Component:
    return rx.cond(
        row.role == "user",
        rx.fragment(_asker(row), actions.question(row, audience)),
        rx.fragment(
            rx.foreach(row.body, _drawer(row.run_id, _evidence(row.id, row)[0])),
            ending(row.status, row.reason, row.id, last=False),
            _below(row.id, row.run_id, row.body, row, audience=audience),
            details(row.run_id),
            feedback.comment(row.run_id),
            _forked(row.forked_from),
            _summarised(row.id),
        ),
    )


def _below(
    message_id: Shown,
    run_id: Shown,
    items: Shown,
    first: Shown,
    *,
    audience: Audience,
    ended: Shown = True,
    further: rx.Component | None = None,
) -> rx.Component:
    """The evidence for a finished answer, and its actions. `first` has it until Google confirms the files."""
    citations, coverage = _evidence(message_id, first)
    return rx.fragment(
        trust.unanswered(coverage.unanswered, _send, LiveState.running),
        comparisons.cards(coverage.comparisons, run_id),
        trust.conflicts(coverage.conflicts),
        trust.evidence(citations, coverage, run_id, audience=audience, further=further),
        _changes_since(message_id, run_id, coverage, audience),
        actions.answer_actions(items, run_id, citations, message_id, ended=ended, audience=audience),
    )


def _evidence(message_id: Shown, first: Shown) -> tuple[Shown, Shown]:
    """The citations and the receipt of an answer. Until Google has confirmed the files, they come from `first`."""
    evidence: Shown = ChatState.evidence
    is_confirmed = evidence.contains(message_id)
    return (
        rx.cond(is_confirmed, evidence[message_id].citations, first.citations),
        rx.cond(is_confirmed, evidence[message_id].coverage, first.coverage),
    )


def _asker(row: Shown) -> rx.Component:
    """The name of the asker; nothing in a chat with one person."""
    people: Shown = ChatState.people
    return rx.cond(
        people.length() > 0,
        rx.el.span(rx.cond(people.contains(row.asker), people[row.asker], t("sharing.former")), class_name="asker"),
    )


def live_message(*, audience: Audience = audiences.MEMBER) -> rx.Component:
    """The last answer of the chat, growing or finished, with the actions of the audience."""
    live: Shown = LiveState
    items, message_id, run_id = live.items, live.message_id, live.run_id
    # For a failed or stopped answer, the asker uses the retry button instead.
    ended = (live.status == "completed") | (live.status == "waiting") | ~is_asker()
    return rx.cond(
        message_id != "",
        rx.el.div(
            rx.foreach(items, _drawer(run_id, _evidence(message_id, live)[0], last=True)),
            rx.cond(live.running, _progress()),
            ending(live.status, live.reason, message_id, last=True, audience=audience),
            rx.cond((live.limit != "") & ~live.running, partial()),
            rx.cond(
                ~live.running,
                _below(message_id, run_id, items, live, audience=audience, ended=ended, further=_further(message_id)),
            ),
            details(run_id),
            feedback.comment(run_id),
            _forked(live.forked_from),
            rx.cond(~live.running, each(items, lambda item: rx.cond(item.kind == "related", _related(item)))),
            role="article",
            aria_label="Leaf",
            custom_attrs={"aria-busy": live.running, "data-status": live.status},
            class_name="message answer live",
            id=f"message-{message_id}",
            key=message_id,
        ),
    )


def _further(message_id: Shown) -> rx.Component:
    """The button that searches or connects Drive, for the asker of an answer that used no file."""
    search = button(
        t("messages.search_drive"), kind="secondary small", once=True, on_click=ChatState.search_drive(message_id)
    )

    def connect(label: Shown) -> rx.Component:
        there = go(label, CONNECT_PATH, kind="secondary small", next="/chat/" + ChatState.chat_id)
        # In a chat that has used Drive, the banner above the composer has this button.
        return rx.cond(ChatState.used_drive, rx.fragment(), there)

    return rx.cond(
        is_asker(),
        match(
            SettingsState.drive,
            ("connected", search),
            ("none", connect(t("settings.connect"))),
            ("error", rx.cond(SettingsState.drive_first == "connect", connect(t("settings.reconnect")))),
            rx.fragment(),
        ),
    )


def _forked(original: Shown) -> rx.Component:
    """The line under the last message that was copied from another chat, with a link to that chat."""
    return rx.cond(
        original != "",
        rx.el.p(
            icon("git-fork", 15),
            rx.el.span(t("messages.forked"), " ", link(t("messages.original"), to="/chat/" + original.to(str))),
            class_name="imported-note",
        ),
    )


def _summarised(message_id: Shown) -> rx.Component:
    """The line that opens the summary, under the last answer that the summary covers.

    The summary is shown as plain text, because it was written from documents and must not be rendered.
    """
    line = rx.el.details(
        unfolds("fold-vertical", rx.el.span(t("chat.summarised"), class_name="step-text")),
        rx.el.p(t("chat.summarised_text"), class_name="small-note"),
        rx.el.p(ChatState.summary, class_name="summary-text"),
        class_name="steps summarised",
    )
    return rx.cond(message_id == ChatState.summarised_to, line)


def _drawer(run_id: Shown, cites: Shown, *, last: bool = False) -> Callable[[Shown], rx.Component]:
    """A function that draws an item of an answer. Options can be chosen only in the last answer, after it is
    finished.
    """

    def draw(item: Shown) -> rx.Component:
        text: dict[str, Shown] = {
            "blocks": item.blocks,
            "run": run_id,
            "slot": item.slot,
            "growing": item.state == "open",
        }
        links: dict[str, Shown] = {"hosts": ChatState.hosts, "asks": cites.asks, "given": cites.given}
        return match(
            item.kind,
            ("text", markdown.text(**text, **links, cites=cites.quotes, on_cite=_cite(run_id))),
            (
                "display",
                display(
                    blocks=item.blocks,
                    run=run_id,
                    slot=item.slot,
                    active=~LiveState.running if last else False,
                    on_choose=_send,
                ),
            ),
            ("related", rx.fragment()),
            ("changes", _changes(item, run_id)),
            ("asked", _question_parts(item)),
            (
                "asking",
                question(
                    blocks=item.blocks,
                    run=run_id,
                    slot=item.slot,
                    # Only the last answer can wait for the reader.
                    active=(LiveState.status == "waiting") & is_asker() if last else False,
                    on_answer=_answer,
                ),
            ),
            research.group(item, run_id),
        )

    return draw


def _changes(item: Shown, run_id: Shown) -> rx.Component:
    """The files that an answer has changed, each with a button that undoes the change."""

    def draw(change: Shown) -> rx.Component:
        undone: Shown = FilesState.undone
        return rx.el.li(
            icon("file-pen", 15),
            rx.el.span(change.text),
            rx.cond(
                undone.contains(run_id.to(str) + ":" + change.id.to(str)),
                rx.el.span(t("files.undone"), class_name="small-note"),
                button(
                    t("common.undo"),
                    once=True,
                    aria_label=t("files.undo_change", change=change.text),
                    on_click=FilesState.undo(ChatState.chat_id, run_id, change.id),
                ),
            ),
            key=change.id,
        )

    return rx.el.ul(rx.foreach(item.steps, draw), aria_label=t("files.changed"), class_name="changed-files")


def _question_parts(item: Shown) -> rx.Component:
    """The parts of the question, each with its state if the program can judge it."""

    def draw(part: Shown) -> rx.Component:
        return rx.el.li(
            match(
                part.state,
                ("answered", icon("circle-check", 15)),
                ("missing", icon("circle-minus", 15)),
                ("unanswered", icon("circle-alert", 15)),
                icon("circle", 15),
            ),
            rx.el.span(part.text),
            rx.cond((part.note != "") & (part.state != "open"), rx.el.span(part.note, class_name="small-note")),
            class_name="asked-part",
            custom_attrs={"data-state": part.state},
            key=part.id,
        )

    return rx.el.ul(rx.foreach(item.steps, draw), aria_label=t("subquestions.parts"), class_name="asked-parts")


def _related(item: Shown) -> rx.Component:
    """The related questions below the last answer, with a placeholder while they are written."""
    return rx.el.section(
        rx.cond(item.state == "running", rx.el.div(class_name="bone", style={"width": "46%"}, aria_hidden=True)),
        rx.el.ul(rx.foreach(item.steps, _related_question), class_name="related-list"),
        aria_label=t("messages.related"),
        class_name="related",
        custom_attrs={"data-state": item.state},
    )


def _related_question(question: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.button(
            icon("corner-down-right", 15),
            question.text,
            type="button",
            class_name="related-question",
            on_click=_send(question.text),
            disabled=LiveState.running,
        ),
        key=question.id,
    )


def _cite(run_id: Shown) -> Callable[[Shown], Shown]:
    """A function that returns the event that opens a citation by its number."""

    def cite(number: Shown) -> Shown:
        return DetailsState.open_citation(run_id, number)

    return cite


def _answer(call: Shown, reply: Shown) -> Shown:
    """The event that answers a question or an approval of the last answer."""
    return ChatState.answer(LiveState.message_id, call, reply)


def _send(text: Shown) -> Shown:
    return ChatState.send(ChatState.chat_id, text)


def _progress() -> rx.Component:
    """The progress of a run below the text: an animated icon, and words if they help."""
    untaken: Shown = LiveState.untaken
    return rx.el.div(
        rx.el.div(
            rx.el.span(mark(16), class_name="working"),
            rx.el.div(
                # Permanent lines come first, so that temporary lines do not move them.
                rx.cond(LiveState.patient & ~untaken, rx.el.span(t("research.patient"), class_name="small-note")),
                rx.cond(LiveState.resumed, rx.el.span(t("research.resumed"), class_name="small-note")),
                rx.cond(
                    LiveState.lost,
                    rx.el.span(t("common.reconnecting"), class_name="quiet-line"),
                    rx.cond(
                        untaken,
                        _untaken(),
                        rx.cond(LiveState.line != "", rx.el.span(LiveState.line, class_name="quiet-line shimmer")),
                    ),
                ),
                class_name="progress-words",
            ),
            class_name="progress",
        ),
        class_name="progress-place",
    )


def _untaken() -> rx.Component:
    """A note that the question waits for a worker. Administrators get a link to the reason."""
    return rx.el.span(
        rx.el.span(
            t("chat.untaken"),
            rx.cond(
                SessionState.administrator,
                rx.fragment(" ", link(t("chat.untaken_why"), to="/admin")),
            ),
        ),
        class_name="quiet-line",
    )
