"""One visitor's conversation, read-only: the page's context, the messages, and the running answer."""

import reflex as rx

from leaf.components import client
from leaf.components.basics import Shown
from leaf.components.texts import date, t
from leaf.state.transcript import TranscriptState


def above() -> rx.Component:
    """The visitor and the page of the conversation."""
    who = rx.cond(TranscriptState.who == "", t("sites.anonymous"), TranscriptState.who)
    return rx.el.section(
        rx.el.h3(rx.cond(TranscriptState.title == "", t("sites.untitled"), TranscriptState.title)),
        rx.el.p(who, " · ", date(TranscriptState.started, dateStyle="medium", timeStyle="short")),
        rx.el.dl(rx.foreach(TranscriptState.facts, _fact), class_name="facts"),
        class_name="card stack",
    )


def events() -> rx.Component:
    """The messages and steps so far, and below them the running answer."""
    return rx.el.section(
        rx.el.ol(
            rx.foreach(TranscriptState.events, _event),
            rx.foreach(TranscriptState.live, _event),
            class_name="transcript",
            custom_attrs={"aria-busy": TranscriptState.run != ""},
        ),
        rx.el.p(
            rx.cond(
                TranscriptState.run != "",
                rx.cond(TranscriptState.lost, t("common.reconnecting"), t("insights.being_written")),
                "",
            ),
            role="status",
            class_name="quiet-line",
        ),
        class_name="stack",
    )


def _event(event: Shown) -> rx.Component:
    who = rx.match(
        event.kind,
        ("message", rx.cond(event.role == "user", t("sites.visitor"), TranscriptState.name)),
        ("tool_call", t("sites.called", tool=event.name)),
        ("tool_result", t("sites.returned", tool=event.name)),
        ("error", t("sites.failed")),
        t("sites.noted"),
    )
    judged = rx.match(event.feedback, ("up", t("sites.up")), ("down", t("sites.down")), "")
    answer = client.text(blocks=event.blocks, run=TranscriptState.run, slot=event.slot, growing=event.growing)
    return rx.el.li(
        rx.el.p(
            rx.el.strong(who),
            rx.cond((event.kind == "error") & (event.name != ""), rx.el.code(" ", event.name)),
            rx.cond(event.feedback != "", rx.el.span(judged, class_name="tag")),
        ),
        rx.cond(event.comment != "", rx.el.blockquote(event.comment)),
        rx.cond(
            event.role == "assistant",
            rx.el.div(answer, class_name="event-answer"),
            rx.el.pre(event.text, class_name="event-text"),
        ),
        rx.cond(event.usage != "", rx.el.p(event.usage, class_name="small-note")),
        key=event.key,
    )


def _fact(one: Shown) -> rx.Component:
    return rx.el.div(rx.el.dt(one.name), rx.el.dd(one.value))
