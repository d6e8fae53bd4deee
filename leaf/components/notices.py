"""Short messages: notices in a corner of the page, the state of the connection, and the outcome of a sign-in."""

from typing import Any

import reflex as rx
from reflex_components_core.core.banner import has_connection_errors

from leaf.components.basics import Shown, icon, icon_button, spinner
from leaf.components.client import link, portal
from leaf.components.hooks import calls, handler, hook
from leaf.components.texts import t
from leaf.state.notices import NoticeState
from leaf.state.sidebar import SidebarState

_RELOAD: Shown = rx.Var("(() => window.location.reload())")


@rx.memo
def notices() -> rx.Component:
    """Messages of the server in a corner of the page, in front of dialogs. They disappear by themselves."""
    view = hook("view", "useNotices", "notices", NoticeState.notice)

    def draw(one: Shown) -> rx.Component:
        return rx.fragment(notice(one=one), key=one["id"])

    return portal(
        rx.el.div(
            rx.foreach(view["shown"].to(list[dict[str, Any]]), draw),
            class_name="notices",
            custom_attrs={"aria-live": "polite"},
        ),
        into=view["front"],
    )


@rx.memo
def notice(one: rx.Var[dict[str, Any]]) -> rx.Component:
    """A message, with a link to the next step or a button that undoes the change."""
    shown: Shown = one
    error = shown["tone"] == "error"
    close: Shown = {"onClick": shown["close"]}
    return rx.el.div(
        rx.cond(error, icon("circle-alert"), icon("circle-check")),
        rx.el.p(shown["text"]),
        rx.cond(
            shown["undo"],
            rx.el.button(
                t("common.undo"),
                type="button",
                class_name="notice-undo",
                on_click=[SidebarState.undo(shown["undo"].to(str)), calls(shown["close"])],
            ),
        ),
        rx.cond(
            shown["next"],
            rx.cond(
                shown["path"],
                link(shown["next"], to=shown["path"].to(str), class_name="notice-undo", custom_attrs=close),
                rx.el.button(shown["next"], type="button", class_name="notice-undo", custom_attrs={"onClick": _RELOAD}),
            ),
        ),
        icon_button(t("common.dismiss"), "x", size=15, class_name="small", custom_attrs=close),
        role=rx.cond(error, "alert", "status"),
        class_name="notice " + shown["tone"].to(str),
        custom_attrs={"onAnimationEnd": shown["onAnimationEnd"]},
    )


@rx.memo
def connection() -> rx.Component:
    """A note that the server cannot be reached or the browser is offline; nothing while both work."""
    online = hook("online", "useOnline", "notices").to(bool)
    return rx.cond(
        online & ~has_connection_errors,
        rx.fragment(),
        rx.el.div(
            spinner(),
            rx.cond(online, t("common.reconnecting"), t("common.offline")),
            class_name="reconnecting",
            role="status",
        ),
    )


def outcome(problems: dict[str, Shown], otherwise: Shown, on_connected: Shown = None) -> rx.Component:
    """The outcome of a sign-in or of an attempt to connect, shown once.

    Args:
        problems: The texts of problems by their code.
        otherwise: The text for all other codes. It may be empty.
        on_connected: Receives the provider that was connected.
    """
    connected = handler(on_connected or rx.noop(), str)
    return _outcome(problems=problems, otherwise=otherwise, connected=connected)


@rx.memo
def _outcome(problems: rx.Var[dict[str, str]], otherwise: rx.Var[str], connected: rx.Var[Any]) -> rx.Component:
    code = hook("code", "useOutcome", "notices", connected).to(str)
    known: Shown = problems
    problem: Shown = rx.cond(known.contains(code), known[code], otherwise)
    return rx.cond(
        (code != "") & (problem != ""),
        rx.el.div(
            icon("circle-alert"), rx.el.div(problem, class_name="banner-text"), class_name="banner error", role="alert"
        ),
    )
