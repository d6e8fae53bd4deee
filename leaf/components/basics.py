"""The small pieces that pages are made of."""

from typing import Any, TypeAlias, cast

import reflex as rx

from leaf.components import links
from leaf.components.client import anchor, link, once_button, plain_form
from leaf.components.texts import t

Shown: TypeAlias = Any
"""A value in the browser. States declare plain types, and Reflex gives vars for them where a page is drawn: a type
checker cannot follow that, and Reflex itself checks the vars when it compiles the page."""


def match(value: Shown, *cases: Any) -> rx.Component:
    """`rx.match` where every case is a component."""
    return cast("rx.Component", rx.match(value, *cases))


def match_text(value: Shown, *cases: Any) -> Shown:
    """`rx.match` where every case is a text."""
    text: Shown = rx.match(value, *cases)
    return text


def mark(size: int = 24) -> rx.Component:
    """Leaf's mark."""
    return rx.el.svg(
        rx.el.path(
            d="M27 4.5C15 4.5 6 9.6 6 19c0 2.3.6 4.3 1.7 6 1.7 1.2 3.8 1.9 6.2 1.9C23.2 26.9 27.6 17.4 27 4.5Z",
            fill="currentColor",
        ),
        rx.el.path(
            d="M4.5 29C7 22.4 12 16.6 19.5 12.8",
            fill="none",
            stroke="var(--mark-vein)",
            stroke_width="2.2",
            stroke_linecap="round",
        ),
        view_box="0 0 32 32",
        width=str(size),
        height=str(size),
        class_name="mark",
        aria_hidden=True,
    )


def icon(name: str, size: int = 18) -> rx.Component:
    """A decorative icon; the element around it has the name."""
    return rx.icon(name, size=size, aria_hidden="true")


def icon_button(label: Shown, name: str, *, size: int = 18, **props: Any) -> rx.Component:
    """A quiet button that shows an icon alone."""
    class_name = f"icon-button {props.pop('class_name', '')}".strip()
    return rx.el.button(icon(name, size), type="button", aria_label=label, title=label, class_name=class_name, **props)


def menu_item(icon_name: str, label: Shown, on_click: Any, *, danger: bool = False, **props: Any) -> rx.Component:
    """An item of a menu.

    Args:
        icon_name: The icon before the label.
        label: The item's text and name.
        on_click: The event that the item raises.
        danger: Whether the item deletes something.
        props: Further properties of the element.
    """
    class_name = "menu-item danger" if danger else "menu-item"
    return rx.el.button(
        icon(icon_name, 16), label, type="button", role="menuitem", class_name=class_name, on_click=on_click, **props
    )


def button(*children: Any, kind: str = "secondary", once: bool = False, **props: Any) -> rx.Component:
    """A button: primary, secondary or danger.

    Args:
        children: Its content.
        kind: Its style.
        once: Ignores further clicks while the first one is under way.
        props: Further properties of the element.
    """
    if once:
        return once_button(*children, class_name=f"button {kind}", **props)
    props.setdefault("type", "button")
    return rx.el.button(*children, class_name=f"button {kind}", **props)


def go(label: Shown, path: str, *, kind: str = "secondary", **hidden: Shown) -> rx.Component:
    """A button that leads to an HTTP route of Leaf's; it works without JavaScript.

    Args:
        label: The button's text and name.
        path: The route.
        kind: How the button looks.
        hidden: Query parameters.
    """
    fields = [rx.el.input(type="hidden", name=name, value=value) for name, value in hidden.items()]
    return plain_form(
        *fields,
        rx.el.button(label, type="submit", class_name=f"button {kind}"),
        action=links.backend(path),
        method="get",
    )


def sign_out(class_name: str, **props: Any) -> rx.Component:
    """The button that ends the session."""
    return plain_form(
        rx.el.button(icon("log-out", 16), t("common.sign_out"), type="submit", class_name=class_name, **props),
        action=links.backend("/auth/sign-out"),
        method="post",
        custom_attrs={"data-sign-out": "true"},
    )


def text_link(label: Any, to: str, **props: Any) -> rx.Component:
    """A link within Leaf."""
    return link(label, to=to, **props)


def banner(tone: str, name: str, *children: Any) -> rx.Component:
    """A message across a page: info, warning or error."""
    return rx.el.div(
        icon(name), rx.el.div(*children, class_name="banner-text"), class_name=f"banner {tone}", role="status"
    )


def spinner() -> rx.Component:
    """A sign of activity, with words next to it."""
    return rx.el.span(class_name="spinner", aria_hidden=True)


def skeleton(label: Shown, *widths: str) -> rx.Component:
    """Placeholders for content that is being fetched; they appear after a quarter of a second.

    Args:
        label: The activity, for screen readers.
        widths: Width of each line, in CSS.
    """
    lines = (rx.el.div(class_name="bone", style={"width": width}) for width in widths)
    return rx.el.div(rx.el.span(label, class_name="unseen"), *lines, class_name="skeleton")


def drop_zone(view: Shown, face: rx.Component, note: Shown, *further: rx.Component, **picker: Any) -> rx.Component:
    """A place to which files can be dropped, with a button that opens the browser's choice of files.

    Args:
        view: The zone as `useZone` in `assets/client/uploads.js` returns it.
        face: The content of the button.
        note: A line below the button.
        further: Further lines.
        picker: Properties of the field that takes the files.
    """
    return rx.el.div(
        rx.el.button(face, type="button", class_name="button secondary", special_props=[view["choose"]]),
        rx.el.p(note, class_name="small-note"),
        rx.el.input(type="file", hidden=True, special_props=[view["picker"]], **picker),
        *further,
        special_props=[view["zone"]],
    )


def skip_link() -> rx.Component:
    """Leads keyboard users past the sidebar."""
    return anchor(t("common.skip_to_content"), href="#main", class_name="skip-link")
