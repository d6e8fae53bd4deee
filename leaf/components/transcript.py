"""A site visitor's conversation, read-only: the context of the page, the messages, the running answer, and its
requests.
"""

import reflex as rx

from leaf.components import markdown
from leaf.components.basics import Shown, button, each, facts
from leaf.components.texts import date, number, t
from leaf.state.transcript import TranscriptState


def above() -> rx.Component:
    """The site visitor and the page of the conversation."""
    who = rx.cond(TranscriptState.who == "", t("sites.anonymous"), TranscriptState.who)
    return rx.el.section(
        rx.el.p(who, " · ", date(TranscriptState.started, dateStyle="medium", timeStyle="short")),
        facts(further=each(TranscriptState.facts, lambda one: rx.el.div(rx.el.dt(one.name), rx.el.dd(one.value)))),
        class_name="card stack",
    )


def events() -> rx.Component:
    """The messages and steps so far, followed by the running answer."""
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
                rx.cond(
                    TranscriptState.lost,
                    t("common.reconnecting"),
                    rx.cond(TranscriptState.untaken, t("chat.untaken"), t("insights.being_written")),
                ),
                "",
            ),
            role="status",
            class_name="quiet-line",
        ),
        class_name="stack",
    )


def _moment(at: Shown) -> rx.Var[str]:
    return date(at, dateStyle="medium", timeStyle="medium")


def _event(event: Shown) -> rx.Component:
    source = rx.match(
        event.kind,
        ("message", rx.cond(event.role == "user", t("sites.visitor"), TranscriptState.name)),
        ("tool_call", t("sites.called", tool=event.name)),
        ("tool_result", t("sites.returned", tool=event.name)),
        ("error", t("sites.failed")),
        t("sites.noted"),
    )
    rating = rx.match(event.feedback, ("up", t("sites.up")), ("down", t("sites.down")), "")
    answer = markdown.text(blocks=event.blocks, run=TranscriptState.run, slot=event.slot, growing=event.growing)
    return rx.el.li(
        rx.el.p(
            rx.el.strong(source),
            rx.cond(
                event.at != "",
                rx.el.time(" ", _moment(event.at), date_time=event.at, class_name="small-note"),
            ),
            rx.cond((event.kind == "error") & (event.name != ""), rx.el.code(" ", event.name)),
            rx.cond(event.feedback != "", rx.el.span(rating, class_name="tag")),
        ),
        rx.cond(event.comment != "", rx.el.blockquote(event.comment)),
        rx.cond(
            event.role == "assistant",
            rx.el.div(answer, class_name="event-answer"),
            rx.el.pre(event.text, class_name=rx.cond(event.kind == "message", "event-text spoken", "event-text")),
        ),
        rx.cond(event.response != "", rx.el.p(t("insights.response", id=event.response), class_name="small-note")),
        rx.cond(event.usage != "", rx.el.p(event.usage, class_name="small-note")),
        key=event.key,
    )


def provider_logs() -> rx.Component:
    """The kept requests to the model; nothing if none are kept. A button opens the texts of a request."""
    logs: Shown = TranscriptState.logs
    return rx.cond(
        logs.length() > 0,
        rx.el.section(
            rx.el.h3(t("insights.logs")),
            rx.el.p(t("insights.logs_note"), class_name="small-note"),
            rx.el.ul(rx.foreach(logs, _log), class_name="transcript"),
            class_name="card stack",
        ),
    )


def _log(row: Shown) -> rx.Component:
    status = rx.cond(row.status > 0, t("insights.log_status", status=row.status), t("insights.log_none"))
    is_shown = TranscriptState.log == row.id
    return rx.el.li(
        rx.el.p(rx.el.code(row.address)),
        rx.el.p(
            _moment(row.made),
            " · ",
            status,
            " · ",
            t("insights.log_took", seconds=row.took),
            " · ",
            t("insights.log_sizes", sent=number(row.sent), received=number(row.received)),
            " · ",
            t("insights.log_ends", when=date(row.ends, dateStyle="medium", timeStyle="short")),
            class_name="small-note",
        ),
        button(
            rx.cond(is_shown, t("insights.log_shown"), t("insights.log_show")),
            once=True,
            on_click=TranscriptState.show_log(row.id),
            custom_attrs={"aria-expanded": rx.cond(is_shown, "true", "false")},
        ),
        rx.cond(
            is_shown,
            rx.el.div(
                rx.el.h4(t("insights.log_request")),
                rx.el.pre(TranscriptState.request, class_name="event-text provider-text", tab_index=0),
                rx.el.h4(t("insights.log_response")),
                rx.el.pre(TranscriptState.response, class_name="event-text provider-text", tab_index=0),
            ),
        ),
        key=row.id,
    )
