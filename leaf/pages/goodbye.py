"""The page after the deletion of an account."""

import reflex as rx

from leaf.components.basics import mark, text_link
from leaf.components.client import anchor, drafts
from leaf.components.shell import overlay
from leaf.components.texts import t

_ACCESS = "https://myaccount.google.com/connections"


def goodbye() -> rx.Component:
    """The page; the parameter `google` of its address selects a note."""
    asked: rx.Var[str] = rx.State.router.url.query  # pyright: ignore[reportAssignmentType] - a var where pages are drawn
    return rx.el.main(
        rx.el.div(
            mark(36),
            rx.el.h1(t("account.goodbye")),
            rx.el.p(t("account.goodbye_text")),
            rx.cond(
                asked.contains("google=unreached"),
                rx.el.p(
                    t("account.goodbye_google"),
                    " ",
                    anchor(t("account.goodbye_access"), href=_ACCESS, rel="noreferrer", class_name="plain-link"),
                    role="alert",
                ),
            ),
            text_link(t("account.goodbye_back"), "/", class_name="button secondary"),
            class_name="centred",
        ),
        drafts(person="", deleted="", stranger=True, farewell=True),
        overlay(),
        id="main",
        class_name="main alone",
    )
