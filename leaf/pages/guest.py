"""The chat page of guests, with the notice that the chat will be deleted, and ways to keep it."""

import reflex as rx

from leaf import audiences
from leaf.components import links
from leaf.components.basics import Shown, go, icon, mark, match, skip_link
from leaf.components.client import drafts, link, plain_form
from leaf.components.containers import thread
from leaf.components.message import history, later, live_message
from leaf.components.panel import sources_panel
from leaf.components.shell import overlay
from leaf.components.suggestions import for_guests
from leaf.components.texts import t
from leaf.google import providers
from leaf.pages.chat import dock, is_empty
from leaf.state.chat import ONLY_CHAT, ChatState
from leaf.state.details import DetailsState
from leaf.state.guest import GuestState


def guest() -> rx.Component:
    """The page on which guests chat."""
    return _shell(
        match(
            ChatState.phase,
            ("missing", _expired_chat()),
            rx.fragment(_conversation(), dock(_not_kept(), chat=ONLY_CHAT, person=ONLY_CHAT, audience=audiences.GUEST)),
        ),
        aside=rx.fragment(
            rx.cond(DetailsState.panel, sources_panel()),
            rx.el.div(id="artifact", class_name="artifact-place"),
        ),
    )


def _conversation() -> rx.Component:
    rows: Shown = ChatState.history
    return thread(
        rx.cond(
            is_empty(),
            rx.el.div(
                rx.el.h2(t("guest.welcome_title"), class_name="welcome-title"),
                rx.el.p(t("guest.welcome_text"), class_name="welcome-text"),
                rx.el.p(t("guest.allowed", count=GuestState.questions), class_name="welcome-text"),
                for_guests(lambda text: ChatState.send(ONLY_CHAT, text)),
                class_name="welcome",
            ),
        ),
        history(rows[: ChatState.kept], audience=audiences.GUEST),
        later(audience=audiences.GUEST),
        live_message(audience=audiences.GUEST),
        chat=ChatState.chat_id,
        turn=ChatState.turn,
    )


def _expired_chat() -> rx.Component:
    return rx.el.div(
        icon("message-square-dashed", 28),
        rx.el.h2(t("guest.gone_title")),
        rx.el.p(t("guest.gone_text")),
        go(t("guest.again"), "/auth/guest", kind="secondary"),
        class_name="centred",
    )


def _shell(*content: rx.Component, aside: rx.Component) -> rx.Component:
    """The frame of the guests' page, without the sidebar of members."""
    return rx.el.div(
        skip_link(),
        rx.el.main(
            rx.el.header(
                link(rx.fragment(mark(24), rx.el.span("Leaf")), to="/", class_name="brand", title=t("guest.leave")),
                rx.el.h1(t("guest.heading"), class_name="unseen"),
                rx.el.div(class_name="grow"),
                _new_chat(),
                rx.cond(GuestState.member == "", _sign_in()),
                class_name="page-header guest-header",
            ),
            *content,
            id="main",
            class_name="main",
            tab_index=-1,
        ),
        aside,
        drafts(person=ONLY_CHAT, deleted="", stranger=False),
        overlay(),
        class_name="app guest",
    )


def _not_kept() -> rx.Component:
    """The notice that the chat will be deleted. A member who has signed in since can keep it instead."""
    return rx.cond(
        GuestState.member != "",
        rx.el.div(
            rx.el.span(t("guest.member", name=GuestState.member)),
            plain_form(
                rx.el.button(t("guest.keep_mine"), type="submit", class_name="button primary small"),
                action=links.backend("/auth/guest/keep"),
                method="post",
            ),
            class_name="guest-line",
            role="status",
        ),
        rx.el.p(
            icon("hourglass", 15),
            rx.el.span(t("guest.not_kept", count=GuestState.hours)),
            class_name="guest-line",
        ),
    )


def _sign_in() -> rx.Component:
    """A sign-in button for each provider. Signing in keeps a chat with messages."""
    offered = providers.listed()

    def button(provider: providers.ProviderInfo) -> rx.Component:
        path = f"/auth/{provider.id}/start"
        keep = t("guest.keep") if len(offered) == 1 else t("guest.keep_with", provider=provider.label)
        return rx.cond(
            ChatState.turn != "",
            go(keep, path, kind="primary small", next="/dashboard", keep="1"),
            go(t("landing.sign_in", provider=provider.label), path, kind="secondary small", next="/dashboard"),
        )

    return rx.fragment(*map(button, offered))


def _new_chat() -> Shown:
    """The button for a new chat; nothing while the chat is empty."""
    return rx.cond(
        ChatState.turn != "",
        plain_form(
            rx.el.button(
                icon("square-pen", 17),
                rx.el.span(t("guest.new"), class_name="wide-only"),
                type="submit",
                aria_label=t("guest.new_label"),
                title=t("guest.new_label"),
                class_name="text-button header-button",
            ),
            action=links.backend("/auth/guest/new"),
            method="post",
        ),
    )
