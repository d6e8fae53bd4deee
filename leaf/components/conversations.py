"""An agent's conversations: filters, and a list."""

import reflex as rx

from leaf.components import links
from leaf.components.basics import Shown, banner, button, icon
from leaf.components.client import anchor, link
from leaf.components.texts import ago, t
from leaf.state.conversations import ConversationsState

_FORM: Shown = ConversationsState.form


def alerts() -> rx.Component:
    """Notices about budgets that are mostly or completely used."""
    return rx.foreach(ConversationsState.alerts, _alert)


def _alert(told: Shown) -> rx.Component:
    return banner("warning", "triangle-alert", told)


def filters() -> rx.Component:
    """The filters."""
    wanted = {
        "all": t("sites.all"),
        "active": t("sites.active"),
        "archived": t("sites.archived"),
        "running": t("sites.running"),
        "failed": t("sites.failed"),
    }
    sentiments = {"all": t("sites.all"), "up": t("sites.up"), "down": t("sites.down")}
    return rx.el.form(
        _field(
            "phrase",
            t("sites.phrase"),
            rx.el.input(
                name="phrase", id="conversations-phrase", class_name="field", default_value=_FORM.phrase,
                key=_FORM.phrase,
            ),
        ),
        _select("wanted", t("sites.status"), wanted),
        _select("sentiment", t("sites.sentiment"), sentiments),
        _field("since", t("sites.since"), _date("since")),
        _field("until", t("sites.until"), _date("until")),
        button(t("sites.search"), type="submit"),
        on_submit=ConversationsState.search,
        class_name="field-row conversation-filters",
    )  # fmt: skip


def _date(name: str) -> rx.Component:
    chosen = getattr(_FORM, name)
    return rx.el.input(
        type="date", name=name, id=f"conversations-{name}", class_name="field", default_value=chosen, key=chosen
    )


def _select(name: str, label: Shown, choices: dict[str, Shown]) -> rx.Component:
    options = [rx.el.option(text, value=value) for value, text in choices.items()]
    chosen = getattr(_FORM, name)
    field = rx.el.select(
        *options, name=name, id=f"conversations-{name}", class_name="field", default_value=chosen, key=chosen
    )
    return _field(name, label, field)


def _field(name: str, label: Shown, field: rx.Component) -> rx.Component:
    return rx.el.div(rx.el.label(label, html_for=f"conversations-{name}"), field)


def conversation_list() -> rx.Component:
    """The conversations, the last active first."""
    rows: Shown = ConversationsState.rows
    return rx.el.div(
        rx.cond(
            rows.length() > 0,
            rx.el.ul(rx.foreach(rows, _row), class_name="session-list"),
            rx.el.p(t("sites.no_conversations")),
        ),
        rx.cond(
            ConversationsState.cursor != "",
            button(t("sites.more"), once=True, on_click=ConversationsState.more),
        ),
    )


def _row(row: Shown) -> rx.Component:
    who = rx.cond(row.who == "", t("sites.anonymous"), row.who)
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
            rx.el.p(who, " · ", ago(row.active), " · ", row.messages, " · ", row.tokens, " tokens · $", row.cost),
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
    """All conversations as files."""
    begun = links.backend("/api/agents/") + ConversationsState.agent
    return rx.el.div(
        _download(t("sites.export_json"), begun + "/conversations.json"),
        _download(t("sites.export_csv"), begun + "/conversations.csv"),
        class_name="field-row",
    )


def _download(label: Shown, address: Shown) -> rx.Component:
    return anchor(label, href=address, class_name="button secondary", custom_attrs={"download": True})
