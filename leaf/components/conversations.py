"""The conversations of a site's agent: budget alerts, filters, the list and exports."""

from collections.abc import Callable
from functools import partial

import reflex as rx

from leaf.components import forms, links
from leaf.components.basics import Shown, banner, button, each, icon, list_or
from leaf.components.client import anchor, link
from leaf.components.texts import ago, t
from leaf.state.conversations import ConversationsState

_FORM: Shown = ConversationsState.form


def alerts() -> rx.Component:
    """Warnings about budgets that are mostly or completely used."""
    return each(ConversationsState.alerts, lambda alert: banner("warning", "triangle-alert", alert))


def filters() -> rx.Component:
    wanted = {
        "all": t("sites.all"),
        "active": t("sites.active"),
        "archived": t("sites.archived"),
        "running": t("sites.running"),
        "failed": t("sites.failed"),
    }
    sentiments = {"all": t("sites.all"), "up": t("sites.up"), "down": t("sites.down")}
    return rx.el.form(
        _field(forms.line, "phrase", t("sites.phrase")),
        _field(partial(forms.select, wanted), "wanted", t("sites.status")),
        _field(partial(forms.select, sentiments), "sentiment", t("sites.sentiment")),
        _field(partial(forms.line, type="date"), "since", t("sites.since")),
        _field(partial(forms.line, type="date"), "until", t("sites.until")),
        button(t("sites.search"), type="submit"),
        on_submit=ConversationsState.search,
        class_name="field-row conversation-filters",
    )


def _field(control: Callable[..., rx.Component], name: str, label: Shown) -> rx.Component:
    chosen, place = getattr(_FORM, name), f"conversations-{name}"
    return forms.field(label, control(name=name, id=place, default_value=chosen, key=chosen), of=place)


def conversation_list() -> rx.Component:
    """The conversations, the most recently active first."""
    return rx.el.div(
        list_or(ConversationsState.rows, _row, rx.el.p(t("sites.no_conversations"))),
        rx.cond(
            ConversationsState.cursor != "",
            button(t("sites.more"), once=True, on_click=ConversationsState.more),
        ),
    )


def _row(row: Shown) -> rx.Component:
    named = rx.cond(row.who == "", t("sites.anonymous"), row.who)
    who = rx.cond(row.kind == "member", t("sites.by_team"), named)
    marks = (
        (row.running, t("sites.running")),
        (row.failed, t("sites.failed")),
        (row.archived, t("sites.archived")),
        (row.up > 0, t("sites.up")),
        (row.down > 0, t("sites.down")),
    )
    return rx.el.li(
        icon("message-square", 18),
        rx.el.div(
            rx.el.strong(rx.cond(row.title == "", t("sites.untitled"), row.title)),
            rx.el.p(who, " · ", ago(row.active), " · ", row.used),
            rx.el.p(*(rx.cond(shown, rx.el.span(text, class_name="tag")) for shown, text in marks)),
        ),
        link(
            t("sites.read"),
            to="/agents/" + ConversationsState.agent + "/conversations/" + row.id.to(str),
            class_name="button secondary",
        ),
        key=row.id,
    )


def exports() -> rx.Component:
    """Links that download all conversations as a file."""
    address = links.backend("/api/agents/") + ConversationsState.agent + "/conversations"
    kinds = ((t("sites.export_json"), ".json"), (t("sites.export_csv"), ".csv"))
    return rx.el.div(
        *(
            anchor(label, href=address + ending, class_name="button secondary", custom_attrs={"download": True})
            for label, ending in kinds
        ),
        class_name="field-row",
    )
