"""What stands in the head of every page."""

import reflex as rx

BEFORE_PAINT = (
    "try{var d=document;"
    'd.documentElement.dataset.rail=localStorage.getItem("leaf:rail")||"false";'
    'd.cookie="leaf_zone="+Intl.DateTimeFormat().resolvedOptions().timeZone+";path=/;max-age=31536000;samesite=lax"'
    "}catch(e){}"
)
"""Runs before the first paint: the sidebar does not jump, and the socket's handshake tells the time zone."""


def head_components() -> list[rx.Component]:
    """The script before the first paint, icons, and what browsers ask about the page."""
    return [
        rx.el.script(BEFORE_PAINT),
        rx.el.meta(
            name="viewport",
            content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content",
        ),
        rx.el.meta(name="theme-color", content="#fbfbf9", custom_attrs={"media": "(prefers-color-scheme: light)"}),
        rx.el.meta(name="theme-color", content="#151713", custom_attrs={"media": "(prefers-color-scheme: dark)"}),
        rx.el.meta(name="referrer", content="same-origin"),
        rx.el.link(rel="icon", href="/icon.svg", type="image/svg+xml"),
    ]
