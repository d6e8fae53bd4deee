"""Sharing of chats: the dialog with link and people, received invitations, and the list of links."""

import reflex as rx

from leaf.components import forms, links
from leaf.components.basics import Shown, button, icon, icon_button, list_or
from leaf.components.client import anchor, link
from leaf.components.controls import copy_button, modal
from leaf.components.texts import ago, date, t
from leaf.state.share import KEPT, ShareState


def share_dialog() -> rx.Component:
    return modal(
        rx.el.div(
            rx.el.div(
                rx.el.h2(t("sharing.title")),
                icon_button(t("sharing.close"), "x", on_click=ShareState.close),
                class_name="share-top",
            ),
            rx.cond(ShareState.mine, _link()),
            _people(),
            class_name="share",
        ),
        open=ShareState.chat != "",
        label=t("sharing.title"),
        on_close=ShareState.close,
    )


def _link() -> rx.Component:
    return rx.el.section(
        rx.el.h3(icon("link", 16), t("sharing.link")),
        rx.cond(ShareState.link.id != "", _existing(), _none_yet()),
        rx.cond(ShareState.messages > 0, _preview()),
        class_name="share-section",
    )


def _none_yet() -> rx.Component:
    return rx.fragment(
        rx.el.p(t("sharing.what_it_shows")),
        rx.el.div(
            _end(),
            button(
                t("sharing.create"),
                kind="primary",
                once=True,
                on_click=ShareState.share,
                disabled=ShareState.messages == 0,
            ),
            class_name="share-row",
        ),
        rx.cond(ShareState.messages == 0, rx.el.p(t("sharing.refused_empty"), class_name="small-note")),
    )


def _existing() -> rx.Component:
    found: Shown = ShareState.link
    return rx.fragment(
        rx.el.div(
            rx.el.input(
                value=found.address, read_only=True, aria_label=t("sharing.address"), class_name="field share-address"
            ),
            copy_button(text=found.address, label=t("sharing.copy")),
            class_name="share-row",
        ),
        rx.el.p(
            rx.cond(
                found.expired,
                rx.el.strong(t("sharing.expired")),
                rx.el.span(t("sharing.as_it_was", date=date(found.shared, dateStyle="medium", timeStyle="short"))),
            ),
            rx.cond(
                (found.until != "") & ~found.expired,
                rx.el.span(" ", t("sharing.until", date=date(found.until, dateStyle="medium"))),
            ),
        ),
        rx.el.div(
            _end(),
            rx.cond(
                ShareState.newer,
                button(t("sharing.update"), kind="primary", once=True, on_click=ShareState.share),
            ),
            button(t("sharing.revoke"), kind="danger", once=True, on_click=ShareState.revoke),
            class_name="share-row",
        ),
    )


def _end() -> rx.Component:
    found: Shown = ShareState.link
    names = (("0", t("sharing.never")), ("7", t("sharing.week")), ("30", t("sharing.month")))
    return rx.el.label(
        t("sharing.ends"),
        rx.el.select(
            rx.cond(
                found.until != "",
                rx.el.option(t("sharing.on", date=date(found.until, dateStyle="medium")), value=KEPT),
            ),
            *(rx.el.option(name, value=days) for days, name in names),
            value=ShareState.days,
            on_change=ShareState.choose_end,
            class_name="field share-end",
        ),
        class_name="share-label",
    )


def _preview() -> rx.Component:
    """A preview of the shared page, made from the chat's current content."""
    address = links.backend("/api/chats/") + ShareState.chat + "/share"
    count: Shown = ShareState.messages
    return rx.el.details(
        rx.el.summary(t("sharing.preview"), icon("chevron-right", 15), class_name="step-head"),
        rx.el.iframe(src=address, title=t("sharing.preview"), class_name="share-preview", loading="lazy"),
        anchor(t("sharing.preview_tab"), href=address, custom_attrs={"target": "_blank", "rel": "noopener"}),
        class_name="share-seen",
        key=count.to_string(),
    )


def _people() -> rx.Component:
    return rx.el.section(
        rx.el.h3(icon("users", 16), t("sharing.people")),
        rx.el.p(t("sharing.what_they_see")),
        rx.el.ul(
            rx.foreach(ShareState.people, _person),
            rx.foreach(ShareState.pending, _pending),
            class_name="share-people",
        ),
        rx.cond(
            ShareState.mine,
            rx.el.form(
                forms.line(
                    name="email",
                    type="email",
                    placeholder=t("sharing.email"),
                    aria_label=t("sharing.email"),
                    max_length=254,
                    required=True,
                    auto_complete="off",
                    key=ShareState.last_invited,
                ),
                button(t("sharing.invite"), type="submit"),
                on_submit=ShareState.invite,
                class_name="share-row",
            ),
            rx.el.div(
                button(t("sharing.leave"), kind="danger", once=True, on_click=ShareState.leave), class_name="share-row"
            ),
        ),
        class_name="share-section",
    )


def _person(one: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.span(one.name[:1], class_name="avatar", aria_hidden=True),
        rx.el.span(one.name, class_name="share-name"),
        rx.cond(one.you, rx.el.span(t("sharing.you"), class_name="tag")),
        rx.cond(one.creator, rx.el.span(t("sharing.creator"), class_name="tag")),
        rx.cond(
            ShareState.mine & ~one.creator,
            _small(t("sharing.remove"), ShareState.remove(one.id), t("sharing.remove_name", name=one.name)),
        ),
        key=one.id,
    )


def _pending(one: Shown) -> rx.Component:
    return rx.el.li(
        icon("mail", 16),
        rx.el.span(one.email, class_name="share-name"),
        rx.el.span(t("sharing.invited"), class_name="tag"),
        _small(t("sharing.withdraw"), ShareState.withdraw(one.id), t("sharing.withdraw_from", email=one.email)),
        key=one.id,
    )


def _small(words: Shown, act: Shown, label: Shown) -> rx.Component:
    return button(words, kind="secondary small", once=True, on_click=act, aria_label=label)


def invitations(class_name: str = "") -> rx.Component:
    """The open invitations of the member; nothing if there are none."""
    waiting: Shown = ShareState.invitations
    return rx.cond(
        waiting.length() > 0,
        rx.el.ul(
            rx.foreach(waiting, _invitation),
            class_name=f"invitations {class_name}".strip(),
            aria_label=t("sharing.invitations"),
        ),
    )


def _invitation(one: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.p(t("sharing.invited_you", name=one.invited_by, title=one.title)),
        rx.el.div(
            button(t("sharing.accept"), kind="primary small", once=True, on_click=ShareState.accept(one.id)),
            button(t("sharing.decline"), kind="secondary small", once=True, on_click=ShareState.decline(one.id)),
            class_name="share-row",
        ),
        key=one.id,
    )


def shared_links() -> rx.Component:
    """The section of Settings with the member's links."""
    return list_or(ShareState.links, _listed, rx.el.p(t("sharing.no_links"), class_name="lead"))


def _listed(one: Shown) -> rx.Component:
    return rx.el.li(
        icon("link", 18),
        rx.el.div(
            rx.el.strong(link(one.title, to="/chat/" + one.chat.to(str))),
            rx.el.p(
                rx.cond(
                    one.expired,
                    t("sharing.expired"),
                    rx.fragment(anchor(t("sharing.open"), href=one.address), " · ", ago(one.shared)),
                )
            ),
        ),
        copy_button(text=one.address, label=t("sharing.copy")),
        button(
            t("sharing.revoke"),
            once=True,
            on_click=ShareState.revoke_listed(one.id),
            aria_label=t("sharing.revoke_title", title=one.title),
        ),
        key=one.id,
    )
