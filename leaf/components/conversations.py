"""An agent's conversations: filters, and a list."""

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
    """Notices about budgets that are mostly or completely used."""
    return each(ConversationsState.alerts, lambda alert: banner("warning", "triangle-alert", alert))


def filters() -> rx.Component:
    """The filters."""
    wanted = {
        "all": t("tenants.all"),
        "active": t("tenants.active"),
        "archived": t("tenants.archived"),
        "running": t("tenants.running"),
        "failed": t("tenants.failed"),
    }
    sentiments = {"all": t("tenants.all"), "up": t("tenants.up"), "down": t("tenants.down")}
    return rx.el.form(
        _field(forms.line, "phrase", t("tenants.phrase")),
        _field(partial(forms.select, wanted), "wanted", t("tenants.status")),
        _field(partial(forms.select, sentiments), "sentiment", t("tenants.sentiment")),
        _field(partial(forms.line, type="date"), "since", t("tenants.since")),
        _field(partial(forms.line, type="date"), "until", t("tenants.until")),
        button(t("tenants.search"), type="submit"),
        on_submit=ConversationsState.search,
        class_name="field-row conversation-filters",
    )


def _field(control: Callable[..., rx.Component], name: str, label: Shown) -> rx.Component:
    chosen, place = getattr(_FORM, name), f"conversations-{name}"
    return forms.field(label, control(name=name, id=place, default_value=chosen, key=chosen), of=place)


def conversation_list() -> rx.Component:
    """The conversations, the last active first."""
    return rx.el.div(
        list_or(ConversationsState.rows, _row, rx.el.p(t("tenants.no_conversations"))),
        rx.cond(
            ConversationsState.cursor != "",
            button(t("tenants.more"), once=True, on_click=ConversationsState.more),
        ),
    )


def _row(row: Shown) -> rx.Component:
    who = rx.cond(row.who == "", t("tenants.anonymous"), row.who)
    marks = (
        (row.running, t("tenants.running")),
        (row.failed, t("tenants.failed")),
        (row.archived, t("tenants.archived")),
        (row.up > 0, t("tenants.up")),
        (row.down > 0, t("tenants.down")),
    )
    return rx.el.li(
        icon("message-square", 18),
        rx.el.div(
            rx.el.strong(rx.cond(row.title == "", t("tenants.untitled"), row.title)),
            rx.el.p(who, " · ", ago(row.active), " · ", row.messages, " · ", row.tokens, " tokens · $", row.cost),
            rx.el.p(*(rx.cond(shown, rx.el.span(text, class_name="tag")) for shown, text in marks)),
        ),
        link(
            t("tenants.read"),
            to="/agents/" + ConversationsState.agent + "/conversations/" + row.id.to(str),
            class_name="button secondary",
        ),
        key=row.id,
    )


def exports() -> rx.Component:
    """All conversations as files."""
    address = links.backend("/api/agents/") + ConversationsState.agent + "/conversations"
    kinds = ((t("tenants.export_json"), ".json"), (t("tenants.export_csv"), ".csv"))
    return rx.el.div(
        *(
            anchor(label, href=address + ending, class_name="button secondary", custom_attrs={"download": True})
            for label, ending in kinds
        ),
        class_name="field-row",
    )
