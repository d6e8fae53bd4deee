"""Messages: the question's bubble, and the answer with its steps, text and actions."""

import reflex as rx

from leaf.components.basics import button, icon, spinner
from leaf.components.client import copy_button, markdown
from leaf.state.chat import ChatState
from leaf.state.details import Detail, DetailsState
from leaf.state.live import LiveState
from leaf.state.rows import Item, Row
from leaf.state.steps import Step

Items = rx.vars.ArrayVar[list[Item]]


def message(row: rx.vars.ObjectVar[Row]) -> rx.Component:
    """A message that no longer changes."""
    return rx.cond(
        row.role == "user",
        rx.el.div(
            rx.el.div(row.text, class_name="bubble"),
            rx.el.div(copy_button(text=row.text, label="Copy message"), class_name="actions"),
            role="article",
            aria_label="You",
            class_name="message question",
            key=row.id,
        ),
        rx.el.div(
            rx.foreach(row.body, lambda item: _item(item, row.run_id, growing=False)),
            _ending(row.status, row.reason, row.id, last=False),
            _actions(row.body, row.files, row.run_id),
            role="article",
            aria_label="Leaf",
            class_name="message answer",
            key=row.id,
        ),
    )


def live_message() -> rx.Component:
    """The chat's last answer, be it growing or done."""
    items: Items = LiveState.closed + LiveState.settled  # pyright: ignore[reportOperatorIssue, reportAssignmentType]
    return rx.cond(
        LiveState.message_id != "",
        rx.el.div(
            rx.foreach(items, lambda item: _item(item, LiveState.run_id, growing=False)),
            rx.foreach(LiveState.opening, lambda item: _item(item, LiveState.run_id, growing=LiveState.running)),
            rx.cond(LiveState.running, _progress()),
            _ending(LiveState.status, LiveState.reason, LiveState.message_id, last=True),
            rx.cond(~LiveState.running, _actions(items, LiveState.files, LiveState.run_id)),
            role="article",
            aria_label="Leaf",
            custom_attrs={"aria-busy": LiveState.running, "data-status": LiveState.status},
            class_name="message answer live",
            key=LiveState.message_id,
        ),
    )


def _item(item: rx.vars.ObjectVar[Item], run_id: rx.Var[str], *, growing: rx.Var[bool] | bool) -> rx.Component:
    text = item.text if growing is False else LiveState.head + item.text
    return rx.match(
        item.kind,
        ("text", markdown(text=text, growing=growing)),
        ("thinking", _thinking(item, text)),
        _steps(item, run_id),
    )


def _thinking(item: rx.vars.ObjectVar[Item], text: rx.Var[str]) -> rx.Component:
    return rx.el.details(
        rx.el.summary(
            _state_icon(item.state, "brain"),
            rx.el.span(rx.cond(item.state == "running", "Thinking…", "Thought about it"), class_name="step-text"),
            icon("chevron-right", 15),
            class_name="step-head",
        ),
        rx.el.div(text, class_name="thinking-text"),
        class_name="steps thinking",
    )


def _steps(item: rx.vars.ObjectVar[Item], run_id: rx.Var[str]) -> rx.Component:
    return rx.el.details(
        rx.el.summary(
            _state_icon(item.state, "check"),
            rx.el.span(item.text, class_name="step-text"),
            icon("chevron-right", 15),
            class_name="step-head",
            custom_attrs={"data-state": item.state},
        ),
        rx.el.ol(rx.foreach(item.steps, lambda step: _step(step, run_id)), class_name="step-list"),
        class_name="steps",
    )


def _step(step: rx.vars.ObjectVar[Step], run_id: rx.Var[str]) -> rx.Component:
    detail = DetailsState.steps[step.id].to(Detail)
    known = DetailsState.steps.contains(step.id)
    return rx.el.li(
        rx.el.details(
            rx.el.summary(
                _step_icon(step),
                rx.el.span(step.text, class_name="step-text"),
                rx.cond(step.note != "", rx.el.span(step.note, class_name="step-note")),
                icon("chevron-right", 14),
                class_name="step-head",
                on_click=DetailsState.open_step(run_id, step.id),
                custom_attrs={"data-state": step.state},
            ),
            rx.cond(known, _detail(detail, step.state), rx.el.p(spinner(), "Loading…", class_name="quiet-line")),
            class_name="step",
        ),
        key=step.id,
    )


def _detail(detail: rx.vars.ObjectVar[Detail], state: rx.Var[str]) -> rx.Component:
    return rx.el.div(
        rx.el.h4("Input"),
        rx.el.pre(detail.given, tab_index=0, aria_label="Input"),
        rx.el.h4(rx.cond(detail.failed, "Error", "Output")),
        rx.cond(
            state == "running",
            rx.el.p(spinner(), "Waiting for the result…", class_name="quiet-line"),
            rx.el.pre(detail.gave, tab_index=0, aria_label="Output"),
        ),
        rx.cond(detail.note != "", rx.el.p(detail.note, class_name="small-note")),
        class_name="step-detail",
    )


def _state_icon(state: rx.Var[str], done: str) -> rx.Component:
    return rx.match(
        state,
        ("running", spinner()),
        ("failed", rx.el.span(icon("triangle-alert", 15), class_name="step-icon warn")),
        rx.el.span(icon(done, 15), class_name="step-icon ok"),
    )


def _step_icon(step: rx.vars.ObjectVar[Step]) -> rx.Component:
    kinds = {"search": "search", "folder": "folder-open", "file": "file-text"}
    return rx.match(
        step.state,
        ("running", spinner()),
        ("failed", rx.el.span(icon("circle-x", 15), class_name="step-icon bad", role="img", aria_label="failed")),
        (
            "skipped",
            rx.el.span(icon("circle-minus", 15), class_name="step-icon warn", role="img", aria_label="skipped"),
        ),
        rx.el.span(
            rx.match(step.icon, *((kind, icon(name, 15)) for kind, name in kinds.items()), icon("wrench", 15)),
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
            rx.el.span(spinner(), "Reconnecting…", class_name="quiet-line"),
            rx.cond(LiveState.line != "", rx.el.span(spinner(), LiveState.line, class_name="quiet-line shimmer")),
        ),
        rx.cond(LiveState.resumed, rx.el.span("Picked up where it stopped.", class_name="small-note")),
        rx.cond(LiveState.patient, rx.el.span("Still working; you can close this page.", class_name="small-note")),
        class_name="progress",
    )


def _ending(status: rx.Var[str], reason: rx.Var[str], message_id: rx.Var[str], *, last: bool) -> rx.Component:
    retry = button(icon("rotate-ccw", 15), "Retry", on_click=ChatState.retry(message_id)) if last else rx.fragment()
    return rx.match(
        status,
        (
            "error",
            rx.el.div(
                rx.el.span(icon("circle-alert", 17), rx.el.span(reason), class_name="ending-text"),
                retry,
                class_name="ending bad",
                role="alert",
            ),
        ),
        (
            "stopped",
            rx.el.div(
                rx.el.span(icon("circle-stop", 16), "Stopped", class_name="ending-text"), retry, class_name="ending"
            ),
        ),
        rx.fragment(),
    )


def _actions(items: Items, files: rx.Var[int], run_id: rx.Var[str]) -> rx.Component:
    return rx.el.div(
        rx.cond(items.length() > 0, copy_button(items=items, label="Copy answer")),
        rx.cond(
            files > 0,
            rx.el.button(
                icon("book-open", 15),
                rx.cond(files == 1, "1 file read", files.to_string() + " files read"),
                type="button",
                class_name="text-button",
                on_click=DetailsState.open_sources(run_id),
            ),
        ),
        class_name="actions",
    )
