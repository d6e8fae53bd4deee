"""The sections of Settings for sites: the list of sites, and the agents, team and signing secrets of one site."""

from typing import Any

import reflex as rx

from leaf.components import forms
from leaf.components.basics import Shown, button, confirmation, icon, list_or, shown_once
from leaf.components.client import link
from leaf.components.texts import date, t
from leaf.state.sites import PATH, SitesState, SiteState

_NAME_CHARACTERS = 80


def site_list() -> rx.Component:
    return list_or(SitesState.sites, _site, rx.el.p(t("sites.none"), class_name="quiet-line"))


def _site(row: Shown) -> rx.Component:
    counts = rx.el.p(t("sites.agent_count", count=row.agents), " · ", t("sites.people_count", count=row.people))
    return row_link("app-window", row.name, PATH + row.id.to(str), counts)


def row_link(name: str, title: Shown, to: Shown, *about: rx.Component) -> rx.Component:
    """A row of a list that leads to a page. The whole row is the link."""
    return rx.el.li(
        icon(name, 18),
        rx.el.div(link(rx.el.strong(title), to=to, class_name="row-link"), *about),
        icon("chevron-right", 16),
        class_name="leads",
        key=to,
    )


def new_site() -> rx.Component:
    """The forms that create a site and that join the team of a site."""
    return rx.el.div(
        _card(
            t("sites.create"),
            one_line("create-site", "name", t("sites.name"), t("sites.create"), SitesState.create),
        ),
        _card(
            t("sites.join_team"),
            rx.el.p(t("sites.join_lead"), class_name="lead"),
            one_line("join-site", "token", t("sites.token"), t("sites.join"), SitesState.join),
        ),
        class_name="settings-cards",
    )


def one_line(place: str, field: str, label: Shown, text: Shown, on_submit: Any) -> rx.Component:
    """A form with one field and a button.

    Args:
        place: The HTML id of the field.
        field: The name of the field's value.
        label: The label of the field.
        text: The text of the button.
        on_submit: The event that receives the form.
    """
    return rx.el.form(
        rx.el.label(label, html_for=place),
        rx.el.div(
            forms.line(id=place, name=field, required=True, max_length=_NAME_CHARACTERS, auto_complete="off"),
            button(text, type="submit"),
            class_name="field-row",
        ),
        on_submit=on_submit,
        reset_on_submit=True,
        class_name="setting first",
    )


def _card(title: Shown, *content: rx.Component, class_name: str = "card stack") -> rx.Component:
    return rx.el.section(rx.el.h3(title), *content, class_name=class_name)


def agents() -> rx.Component:
    return _card(
        t("sites.agents"),
        rx.el.p(t("sites.agents_lead"), class_name="lead"),
        list_or(SiteState.agents, _agent, rx.fragment()),
        one_line("create-agent", "name", t("sites.agent_name"), t("sites.create_agent"), SiteState.create_agent),
    )


def _agent(row: Shown) -> rx.Component:
    reach = rx.cond(row.origins == "", t("sites.nowhere"), row.origins)
    about = rx.el.p(reach, rx.cond(row.paused, rx.el.span(" · ", t("sites.paused"))))
    return row_link("bot", row.name, "/agents/" + row.id.to(str), about)


def team() -> rx.Component:
    return _card(
        t("sites.people"),
        rx.el.p(t("sites.people_lead"), class_name="lead"),
        rx.el.ul(rx.foreach(SiteState.people, _person), class_name="session-list"),
        button(t("sites.invite"), once=True, on_click=SiteState.invite),
        _new_secret("invitation", t("sites.made_invitation")),
    )


def _person(row: Shown) -> rx.Component:
    return rx.el.li(
        icon("user-round", 18),
        rx.el.div(rx.el.strong(row.name), rx.el.p(row.email)),
        button(
            t("sites.remove"),
            once=True,
            on_click=SiteState.remove(row.id),
            aria_label=t("sites.remove_named", name=row.name),
        ),
        key=row.id,
    )


def signing() -> rx.Component:
    secrets: Shown = SiteState.secrets
    return _card(
        t("sites.signing"),
        rx.el.p(t("sites.signing_lead"), class_name="lead"),
        list_or(secrets, _secret, rx.fragment()),
        rx.cond(
            secrets.length() > 0,
            rx.el.div(
                button(t("sites.rotate"), once=True, on_click=SiteState.rotate("24")),
                button(t("sites.rotate_now"), kind="danger", once=True, on_click=SiteState.rotate("0")),
                class_name="field-row",
            ),
            button(t("sites.create_secret"), once=True, on_click=SiteState.rotate("0")),
        ),
        _new_secret("secret", t("sites.made_secret")),
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
        button(t("keys.revoke"), once=True, on_click=SiteState.revoke_secret(row.id)),
        key=row.id,
    )


def _new_secret(kind: str, words: Shown) -> rx.Component:
    return rx.cond(SiteState.made_kind == kind, shown_once(words, SiteState.made, SiteState.done))


def deletion(title: Shown, lead: Shown, name: Shown, *, is_open: Shown, ask: Any, delete: Any) -> rx.Component:
    """A card that deletes a site or an agent after the member has confirmed it.

    Args:
        title: The heading of the card.
        lead: The sentence that says what is lost.
        name: The name of the site or agent.
        is_open: Whether the member is asked to confirm.
        ask: The event handler that opens or closes the confirmation.
        delete: The event that deletes.
    """
    named = t("sites.delete_named", name=name)
    return _card(
        title,
        rx.el.p(lead, class_name="lead"),
        button(t("sites.delete_ask"), kind="danger", on_click=ask(True)),
        confirmation(
            title,
            rx.el.p(lead),
            act=button(named, kind="danger", once=True, on_click=delete),
            is_open=is_open,
            on_close=ask(False),
        ),
        class_name="card stack danger-zone",
    )
