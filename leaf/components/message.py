"""Messages: the question's bubble, and the answer with its steps, text and actions."""

from collections.abc import Callable

import reflex as rx

from leaf.components import client, trust
from leaf.components.basics import Shown, icon, match, spinner
from leaf.components.client import copy_button
from leaf.components.endings import ending, partial, regenerate
from leaf.components.related import related
from leaf.components.spent import details, details_button
from leaf.components.summary import summarised
from leaf.components.texts import t
from leaf.components.tool_detail import tool_detail
from leaf.state.chat import ChatState
from leaf.state.details import Detail, DetailsState
from leaf.state.live import LiveState
from leaf.state.session import SessionState

NEAR = 8
"""So many messages at the end of a chat are drawn before the page is shown."""


def history(rows: Shown) -> rx.Component:
    """The messages that were there when a chat was opened."""

    def draw(row: Shown, place: Shown) -> rx.Component:
        return message(row, far=place < rows.length() - NEAR)

    return rx.foreach(rows, draw)


def message(row: Shown, *, far: Shown = False) -> rx.Component:
    """A message that no longer changes.

    Args:
        row: The message.
        far: Whether it stands far above the end of the chat.
    """
    return rx.cond(
        row.role == "user",
        rx.el.div(
            _asker(row),
            rx.el.div(row.text, class_name="bubble"),
            rx.el.div(copy_button(text=row.text, label="Copy message"), class_name="actions"),
            role="article",
            aria_label="You",
            class_name="message question",
            key=row.id,
        ),
        rx.el.div(
            rx.foreach(row.body, _drawer(row.run_id, far)),
            ending(row.status, row.reason, row.id, last=False),
            _trust(row.citations, row.coverage, row.run_id),
            _actions(row.body, row.files, row.run_id, row.citations),
            details(row.run_id),
            summarised(row.id),
            role="article",
            aria_label="Leaf",
            class_name="message answer",
            key=row.id,
        ),
    )


def _asker(row: Shown) -> rx.Component:
    """Who asked, in a chat of several people."""
    people: Shown = ChatState.people
    return rx.cond(
        people.length() > 0,
        rx.el.span(rx.cond(people.contains(row.asker), people[row.asker], t("sharing.former")), class_name="asker"),
    )


def live_message() -> rx.Component:
    """The chat's last answer, be it growing or done."""
    live: Shown = LiveState
    items = live.items
    return rx.cond(
        live.message_id != "",
        rx.el.div(
            rx.foreach(items, _drawer(live.run_id, last=True)),
            rx.cond(live.running, _progress()),
            ending(live.status, live.reason, live.message_id, last=True),
            rx.cond((live.limit != "") & ~live.running, partial()),
            rx.cond(~live.running, _trust(live.citations, live.coverage, live.run_id)),
            rx.cond(~live.running, _actions(items, live.files, live.run_id, live.citations, again=_again(live))),
            details(live.run_id),
            role="article",
            aria_label="Leaf",
            custom_attrs={"aria-busy": live.running, "data-status": live.status},
            class_name="message answer live",
            key=live.message_id,
        ),
    )


def _drawer(run_id: Shown, far: Shown = False, *, last: bool = False) -> Callable[[Shown], rx.Component]:
    """What draws an item of an answer; options can be chosen in the last one, once it is done."""

    def draw(item: Shown) -> rx.Component:
        text: dict[str, Shown] = {
            "blocks": item.blocks,
            "run": run_id,
            "slot": item.slot,
            "growing": item.state == "open",
            "far": far,
        }
        return match(
            item.kind,
            ("text", client.text(**text)),
            ("thinking", _thinking(item, client.thoughts(**text))),
            (
                "display",
                client.display(
                    blocks=item.blocks,
                    run=run_id,
                    slot=item.slot,
                    active=~LiveState.running if last else False,
                    on_choose=_choose,
                ),
            ),
            ("related", related(item) if last else rx.fragment()),
            (
                "asking",
                client.asking(
                    blocks=item.blocks,
                    run=run_id,
                    slot=item.slot,
                    active=_may_answer() if last else False,
                    on_answer=_answer,
                ),
            ),
            _steps(item, run_id),
        )

    return draw


def _may_answer() -> Shown:
    """Whether the last answer waits for whoever looks at it."""
    return (LiveState.status == "waiting") & (LiveState.asker == SessionState.person)


def _answer(call: Shown, given: Shown) -> Shown:
    """The event that answers what the last answer asks."""
    return ChatState.answer(LiveState.message_id, call, given)


def _choose(text: Shown) -> Shown:
    """The event that sends what was chosen."""
    return ChatState.send(ChatState.chat_id, text)


def _thinking(item: Shown, text: rx.Component) -> rx.Component:
    return rx.el.details(
        rx.el.summary(
            _state_icon(item.state, "brain"),
            rx.el.span(rx.cond(item.state == "open", "Thinking…", "Thought about it"), class_name="step-text"),
            icon("chevron-right", 15),
            class_name="step-head",
        ),
        rx.el.div(text, class_name="thinking-text"),
        class_name="steps thinking",
    )


def _steps(item: Shown, run_id: Shown) -> rx.Component:
    return rx.el.details(
        rx.el.summary(
            _state_icon(item.state, "check"),
            rx.el.span(item.text, class_name="step-text"),
            icon("chevron-right", 15),
            class_name="step-head",
            custom_attrs={"data-state": item.state},
        ),
        rx.el.ol(rx.foreach(item.steps, _step_drawer(run_id)), class_name="step-list"),
        class_name="steps",
    )


def _step_drawer(run_id: Shown) -> Callable[[Shown], rx.Component]:
    def draw(step: Shown) -> rx.Component:
        return _step(step, run_id)

    return draw


def _step(step: Shown, run_id: Shown) -> rx.Component:
    details: Shown = DetailsState.steps
    detail, known = details[step.id].to(Detail), details.contains(step.id)
    return rx.el.li(
        rx.el.details(
            rx.el.summary(
                _step_icon(step),
                rx.el.span(step.text, class_name=rx.cond(step.preparing, "step-text shimmer", "step-text")),
                rx.cond(step.note != "", rx.el.span(step.note, class_name="step-note")),
                icon("chevron-right", 14),
                class_name="step-head",
                on_click=DetailsState.open_step(run_id, step.id),
                custom_attrs={"data-state": step.state},
            ),
            rx.cond(known, tool_detail(detail), rx.el.p(spinner(), t("common.loading"), class_name="quiet-line")),
            class_name="step",
        ),
        key=step.id,
    )


def _state_icon(state: Shown, done: str) -> rx.Component:
    return match(
        state,
        ("running", spinner()),
        ("open", spinner()),
        ("failed", rx.el.span(icon("triangle-alert", 15), class_name="step-icon warn")),
        rx.el.span(icon(done, 15), class_name="step-icon ok"),
    )


def _step_icon(step: Shown) -> rx.Component:
    kinds = {
        "search": "search",
        "folder": "folder-open",
        "file": "file-text",
        "edit": "file-pen",
        "todo": "list-checks",
        "web": "globe",
        "page": "globe",
    }
    return match(
        step.state,
        ("running", spinner()),
        ("failed", rx.el.span(icon("circle-x", 15), class_name="step-icon bad", role="img", aria_label="failed")),
        (
            "skipped",
            rx.el.span(icon("circle-minus", 15), class_name="step-icon warn", role="img", aria_label="skipped"),
        ),
        rx.el.span(
            match(step.icon, *((kind, icon(name, 15)) for kind, name in kinds.items()), icon("wrench", 15)),
            class_name="step-icon",
            role="img",
            aria_label="done",
        ),
    )


def _progress() -> rx.Component:
    """What goes on, in words; never a spinner alone."""
    return rx.el.div(
        rx.cond(
            LiveState.lost,
            rx.el.span(spinner(), t("common.reconnecting"), class_name="quiet-line"),
            rx.cond(LiveState.line != "", rx.el.span(spinner(), LiveState.line, class_name="quiet-line shimmer")),
        ),
        rx.cond(LiveState.resumed, rx.el.span("Picked up where it stopped.", class_name="small-note")),
        rx.cond(LiveState.patient, rx.el.span("Still working; you can close this page.", class_name="small-note")),
        class_name="progress",
    )


def _again(live: Shown) -> rx.Component:
    ended = (live.status == "completed") | (live.status == "waiting")
    return rx.cond(ended, regenerate(live.message_id))


def _trust(citations: Shown, coverage: Shown, run_id: Shown) -> rx.Component:
    """What the answer rests on."""
    return rx.fragment(trust.citations(citations, run_id), trust.receipt(coverage))


def _actions(
    items: Shown, files: Shown, run_id: Shown, citations: Shown, again: rx.Component | None = None
) -> rx.Component:
    return rx.el.div(
        rx.cond(items.length() > 0, copy_button(items=items, citations=citations.quotes, label="Copy answer")),
        again or rx.fragment(),
        rx.cond(
            files > 0,
            rx.el.button(
                icon("book-open", 15),
                rx.cond(files == 1, "1 file read", files.to_string() + " files read"),
                type="button",
                class_name="text-button",
                on_click=DetailsState.open_sources(run_id),
                custom_attrs={"data-opens-panel": "true"},
            ),
        ),
        details_button(run_id),
        class_name="actions",
    )
