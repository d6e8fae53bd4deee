"""Sites, for Settings: their agents, their people, and the secrets that they sign with."""

import reflex as rx

from leaf.components import forms
from leaf.components.basics import Shown, button, icon, shown_once, text_link
from leaf.components.texts import date, t
from leaf.state.sites import SitesState

_NAME_CHARACTERS = 80


def site_list() -> rx.Component:
    """The person's sites."""
    shown: Shown = SitesState.sites
    return rx.cond(
        SitesState.loaded,
        rx.cond(
            shown.length() > 0,
            rx.el.div(rx.foreach(shown, _site), class_name="stack"),
            rx.el.p(t("sites.none")),
        ),
    )


def _site(row: Shown) -> rx.Component:
    def person(one: Shown) -> rx.Component:
        return _person(row, one)

    return rx.el.section(
        rx.el.h3(row.name),
        rx.el.ul(rx.foreach(row.agents, _agent), class_name="session-list"),
        _named("create-agent", t("sites.agent_name"), t("sites.create_agent"), SitesState.create_agent, row.id),
        rx.el.details(
            rx.el.summary(t("sites.signing")),
            rx.el.p(t("sites.signing_lead"), class_name="small-note"),
            rx.el.ul(rx.foreach(row.secrets, _secret), class_name="session-list"),
            rx.el.div(
                button(t("sites.rotate"), once=True, on_click=SitesState.rotate(row.id, "24")),
                button(t("sites.rotate_now"), kind="danger", once=True, on_click=SitesState.rotate(row.id, "0")),
                class_name="field-row",
            ),
            _made(row, "secret", t("sites.made_secret")),
        ),
        rx.el.details(
            rx.el.summary(t("sites.people")),
            rx.el.ul(
                rx.foreach(row.people, person),
                class_name="session-list",
            ),
            button(t("sites.invite"), once=True, on_click=SitesState.invite(row.id)),
            _made(row, "invitation", t("sites.made_invitation")),
        ),
        rx.el.details(
            rx.el.summary(t("sites.delete")),
            rx.el.p(t("sites.delete_lead"), class_name="small-note"),
            button(
                t("sites.delete_named", name=row.name),
                kind="danger",
                once=True,
                on_click=SitesState.delete(row.id),
            ),
        ),
        class_name="card stack",
        key=row.id,
    )


def _agent(row: Shown) -> rx.Component:
    reach = rx.cond(row.sites == "", t("sites.nowhere"), row.sites)
    return rx.el.li(
        icon("bot", 18),
        rx.el.div(
            text_link(rx.el.strong(row.name), "/agents/" + row.id.to(str)),
            rx.el.p(reach, rx.cond(row.paused, rx.el.span(" · ", t("sites.paused")))),
        ),
        key=row.id,
    )


def _secret(row: Shown) -> rx.Component:
    ends = rx.cond(
        row.ends == "",
        t("sites.secret_now"),
        t("keys.ends", when=date(row.ends, dateStyle="medium", timeStyle="short")),
    )
    return rx.el.li(
        icon("signature", 18),
        rx.el.div(rx.el.code(row.hint, "…"), rx.el.p(ends)),
        button(t("keys.revoke"), once=True, on_click=SitesState.revoke_secret(row.id)),
        key=row.id,
    )


def _person(site: Shown, row: Shown) -> rx.Component:
    return rx.el.li(
        icon("user-round", 18),
        rx.el.div(rx.el.strong(row.name), rx.el.p(row.email)),
        button(t("sites.remove"), once=True, on_click=SitesState.remove(site.id, row.id)),
        key=row.id,
    )


def _made(row: Shown, kind: str, words: Shown) -> rx.Component:
    return rx.cond(
        (SitesState.made_kind == kind) & (SitesState.made_for == row.id),
        shown_once(words, SitesState.made, SitesState.done),
    )


def _named(name: str, label: Shown, text: Shown, on_submit: Shown, site: Shown = "") -> rx.Component:
    """A form that makes something with a name."""
    return rx.el.form(
        rx.el.input(type="hidden", name="site", value=site),
        rx.el.label(
            rx.el.span(label),
            forms.line(name="name", required=True, max_length=_NAME_CHARACTERS, auto_complete="off"),
        ),
        button(text, type="submit"),
        on_submit=on_submit,
        reset_on_submit=True,
        class_name=f"setting first {name}",
    )


def new_site() -> rx.Component:
    """Forms that make a site, and that join one."""
    return rx.el.div(
        _named("create-site", t("sites.name"), t("sites.create"), SitesState.create),
        rx.el.form(
            rx.el.label(
                rx.el.span(t("sites.token")),
                forms.line(name="token", required=True, auto_complete="off"),
            ),
            button(t("sites.join"), type="submit"),
            on_submit=SitesState.join,
            reset_on_submit=True,
            class_name="setting first",
        ),
    )
