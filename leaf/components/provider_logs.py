"""The requests to the model of a conversation that are kept, each with its texts once they are asked for."""

import reflex as rx

from leaf.components.basics import Shown, button
from leaf.components.texts import date, number, t
from leaf.state.transcript import TranscriptState


def provider_logs() -> rx.Component:
    """The section; nothing where none is kept."""
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
            date(row.made, dateStyle="medium", timeStyle="medium"),
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
