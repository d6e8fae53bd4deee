"""Small components that all pages use."""

from collections.abc import Callable, Iterable
from typing import Any, cast

import reflex as rx

from leaf.components import links
from leaf.components.client import anchor, link, plain_form
from leaf.components.controls import copy_button, modal, once_button
from leaf.components.hooks import Shown, hook
from leaf.components.texts import t


def match(value: Shown, *cases: Any) -> rx.Component:
    """`rx.match` for cases that are components."""
    return cast("rx.Component", rx.match(value, *cases))


def each(rows: Shown, draw: Callable[[Shown], Any]) -> rx.Component:
    """`rx.foreach` for a function whose argument needs no annotation."""
    return rx.foreach(rows, draw)


def match_text(value: Shown, *cases: Any) -> Shown:
    """`rx.match` for cases that are texts."""
    text: Shown = rx.match(value, *cases)
    return text


def needs_server() -> dict[str, Any]:
    """The attributes of a control that needs the server. Offline, it is disabled (`assets/client/offline.js`)."""
    return {"data-served": "true", "aria-disabled": hook("away", "useAway", "offline")}


def mark(size: int = 24) -> rx.Component:
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
    """A decorative icon. The element around it must have an accessible name."""
    return rx.icon(name, size=size, aria_hidden="true")


def icon_button(label: Shown, name: str, *, size: int = 18, once: bool = False, **props: Any) -> rx.Component:
    """A plain button with only an icon. `once` is as for `button`."""
    class_name = f"icon-button {props.pop('class_name', '')}".strip()
    look: dict[str, Any] = {"aria_label": label, "title": label, "class_name": class_name}
    if once:
        return once_button(icon(name, size), **look, **props)
    return rx.el.button(icon(name, size), type="button", **look, **props)


def menu_item(
    face: str | rx.Component | None, label: Shown, on_click: Any = None, *, danger: bool = False, **props: Any
) -> rx.Component:
    """An item of a menu. `face` is the icon before the label, or its name."""
    if on_click is not None:
        props["on_click"] = on_click
    props.setdefault("role", "menuitem")
    before = [] if face is None else [icon(face, 16) if isinstance(face, str) else face]
    class_name = "menu-item danger" if danger else "menu-item"
    return rx.el.button(*before, label, type="button", class_name=class_name, **props)


def menu_link(icon_name: str, label: Shown, to: Shown | str) -> rx.Component:
    """An item of a menu that leads to another page."""
    return link(icon(icon_name, 16), label, to=to, role="menuitem", class_name="menu-item", custom_attrs=needs_server())


def button(*children: Any, kind: str = "secondary", once: bool = False, **props: Any) -> rx.Component:
    """A button: primary, secondary or danger. With `once`, it ignores further clicks while the first one is handled."""
    if once:
        return once_button(*children, class_name=f"button {kind}", **props)
    props.setdefault("type", "button")
    return rx.el.button(*children, class_name=f"button {kind}", **props)


def go(label: Shown, path: str, *, kind: str = "secondary", **hidden: Shown) -> rx.Component:
    """A button that opens one of Leaf's HTTP routes. It works without JavaScript. `hidden` has the query parameters."""
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


def outer_link(*children: Any, url: Shown, rel: str = "noopener noreferrer", **props: Any) -> rx.Component:
    """A link out of Leaf, which opens in a new tab."""
    return rx.el.a(*children, href=url, target="_blank", rel=rel, **props)


def source_link(one: Shown, unlinked: rx.Component) -> rx.Component:
    """A link to a cited source: a web page, or a file of Leaf's own to download; `unlinked` without an address."""
    name = rx.fragment(one.name)
    outside = outer_link(name, icon("external-link", 13), url=one.url, class_name="source-name")
    address = links.backend("") + one.url.to(str)
    inside = anchor(name, icon("download", 13), href=address, class_name="source-name")
    return rx.cond(one.url == "", unlinked, rx.cond(one.own, inside, outside))


def avatar(name: Shown, picture: Shown, **props: Any) -> rx.Component:
    image = rx.el.img(src=picture, alt="", referrer_policy="no-referrer")
    return rx.el.span(name[:1], rx.cond(picture != "", image), **props)


def facts(*named: tuple[Shown, Shown], further: rx.Component | None = None) -> rx.Component:
    """A list of names with their values, followed by `further` elements."""
    rows = [rx.el.div(rx.el.dt(name), rx.el.dd(value)) for name, value in named]
    return rx.el.dl(*rows, *([] if further is None else [further]), class_name="facts")


def list_or(rows: Shown, draw: Any, none: Any, *, class_name: str = "session-list") -> rx.Component:
    """A list of rows. `none` replaces an empty list."""
    return rx.cond(rows.length() > 0, rx.el.ul(rx.foreach(rows, draw), class_name=class_name), none)


def centred(icon_name: str, title: Shown, *content: Any) -> rx.Component:
    """The content of a page that has nothing else to show."""
    return rx.el.div(icon(icon_name, 28), rx.el.h1(title), *content, class_name="centred")


def unfolds(face: str | rx.Component, *words: Any) -> rx.Component:
    """The line that unfolds a section (`rx.el.details`). `face` is the icon before its words, or its name."""
    before = rx.el.span(icon(face, 15), class_name="step-icon") if isinstance(face, str) else face
    return rx.el.summary(before, *words, icon("chevron-right", 15), class_name="step-head")


def shown_once(words: Shown, text: Shown, on_done: Any, **props: Any) -> rx.Component:
    """A new secret with a button to copy it. It is shown only once."""
    return rx.el.div(
        rx.el.p(words),
        rx.el.div(
            rx.el.code(text, class_name="made-key"),
            copy_button(text=text, label=t("keys.copy")),
            button(t("keys.done"), on_click=on_done),
            class_name="share-row",
        ),
        role="status",
        **props,
    )


def panel_head(title: Shown, title_id: str, about: rx.Component, on_close: Any) -> rx.Component:
    """The head of a side panel: its title, a line about it, and the button that closes it."""
    return rx.el.div(
        rx.el.div(rx.el.h2(title, id=title_id), about),
        icon_button(
            t("common.close_panel"),
            "x",
            on_click=on_close,
            auto_focus=True,
            custom_attrs={"data-close-panel": "true"},
        ),
        class_name="panel-head",
    )


def modal_row(on_cancel: Any, *acts: rx.Component) -> rx.Component:
    """The buttons at the end of a dialog: Cancel, and the others."""
    return rx.el.div(button(t("common.cancel"), on_click=on_cancel), *acts, class_name="modal-row")


def name_dialog(
    title: Shown, label: Shown, save: Shown, *, is_open: Shown, on_close: Any, on_submit: Any, **field: Any
) -> rx.Component:
    """A dialog that asks for a name. `save` is the text of its button."""
    line = rx.el.input(class_name="field", aria_label=label, auto_focus=True, required=True, **field)
    row = modal_row(on_close, button(save, kind="primary", type="submit"))
    form = rx.el.form(rx.el.h2(title), line, row, on_submit=on_submit)
    return modal(form, open=is_open, label=title, on_close=on_close)


def confirmation(title: Shown, *content: Any, act: rx.Component, is_open: Shown, on_close: Any) -> rx.Component:
    """A dialog that asks before something is done. `act` is the button that does it."""
    return modal(
        rx.el.h2(title),
        *content,
        modal_row(on_close, act),
        open=is_open,
        label=title,
        on_close=on_close,
    )


def banner(tone: str, name: str, *children: Any) -> rx.Component:
    """A message across a page: info, warning or error."""
    return rx.el.div(
        icon(name), rx.el.div(*children, class_name="banner-text"), class_name=f"banner {tone}", role="status"
    )


def spinner() -> rx.Component:
    """A spinner. Text next to it must say what is in progress."""
    return rx.el.span(class_name="spinner", aria_hidden=True)


def skeleton(label: Shown, *widths: str) -> rx.Component:
    """Placeholders for content that is being fetched. They appear after a quarter of a second."""
    return rx.el.div(rx.el.span(label, class_name="unseen"), *_bones(widths), class_name="skeleton")


def bones(*widths: str, class_name: str = "bones shimmer") -> rx.Component:
    """Placeholders without a label, for places where text nearby says what is loading."""
    return rx.el.div(*_bones(widths), class_name=class_name, aria_hidden=True)


def _bones(widths: Iterable[str]) -> list[rx.Component]:
    return [rx.el.div(class_name="bone", style={"width": width}) for width in widths]


def skip_link() -> rx.Component:
    """A link that takes keyboard users past the sidebar."""
    return anchor(t("common.skip_to_content"), href="#main", class_name="skip-link")
