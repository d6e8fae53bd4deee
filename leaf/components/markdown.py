"""The text of an answer, and the components of its Markdown: citations, links, code and others.

`assets/client/markdown.js` parses the model's Markdown and draws it with these components (`_parts`).
"""

from functools import cache
from typing import Any

import reflex as rx
from reflex_base.utils.imports import ImportVar
from reflex_base.vars import VarData

from leaf.components.basics import Shown, icon, icon_button, outer_link
from leaf.components.client import Text, anchor, link, portal
from leaf.components.controls import copy_button
from leaf.components.hooks import hook
from leaf.components.tables import markdown_table
from leaf.components.texts import t

_BODY: Any = rx.Var("document.body")
_REL = "noopener noreferrer nofollow"


@rx.memo
def citation(label: rx.Var[str]) -> rx.Component:
    """The number of a citation. A card with the quoted words opens on hover or focus.

    Args:
        label: `2`, or `2?` if the quote could not be verified.
    """
    view = hook("view", "useCitation", "citations", label)
    cited, unverified = view["cited"].to(dict[str, Any]), view["unverified"]
    number = view["number"]
    name = rx.cond(
        unverified,
        t("messages.source_unverified", number=number),
        rx.cond(
            cited["moved"],
            rx.cond(
                cited["verified"] & ~cited["unchecked"].to(bool),
                t("messages.source_moved", number=number),
                t("messages.source_told", number=number, status=cited["status"]),
            ),
            t("messages.source", number=number),
        ),
    )
    chip = rx.el.button(
        label,
        type="button",
        class_name="cite-chip",
        aria_label=name,
        custom_attrs={"data-opens-panel": "true"},
        special_props=[view["chip"]],
    )
    return rx.fragment(
        rx.el.sup(
            # The narrow space separates "page 3" from a number after it, also in a copied text.
            "\u202f",
            rx.cond(view["cited"], chip, rx.el.span(label, class_name="cite-chip")),
            class_name=rx.cond(unverified, "cite unverified", rx.cond(cited["moved"], "cite moved", "cite")),
        ),
        rx.cond(view["open"], portal(_card(cited, view["card"]), into=_BODY)),
    )


def _card(cited: Shown, attributes: Shown) -> rx.Component:
    moved: Shown = rx.cond(cited["moved"], " moved", "")
    return rx.el.div(
        rx.el.p(cited["name"], rx.cond(cited["place"], rx.el.span(", ", cited["place"])), class_name="cite-card-name"),
        rx.cond(cited["quote"], rx.el.blockquote(cited["quote"])),
        rx.el.p(
            rx.cond(
                cited["verified"] & ~cited["moved"].to(bool),
                rx.cond(cited["call"], icon("calculator", 15), icon("badge-check", 15)),
                icon("triangle-alert", 15),
            ),
            rx.el.span(cited["status"]),
            class_name="cited-status",
        ),
        rx.cond(
            cited["edited"],
            rx.el.p(icon("pencil", 15), rx.el.span(cited["edited"]), class_name="cited-status"),
        ),
        role="tooltip",
        class_name=rx.cond(cited["verified"], "cite-card", "cite-card unverified").to(str) + moved,
        custom_attrs={"popover": "auto"},
        special_props=[attributes],
    )


@rx.memo
def own_figure(children: rx.Var[rx.Component]) -> rx.Component:
    """A figure of an answer that is neither quoted nor computed."""
    return rx.el.span(children, class_name="own-figure", title=t("messages.own_figure"))


@rx.memo
def text_picture(alt: rx.Var[str]) -> rx.Component:
    """The alternative text of a picture. The picture is never fetched."""
    return rx.el.span(t("messages.image", text=alt), class_name="md-image")


@rx.memo
def diagram(children: rx.Var[rx.Component], picture: rx.Var[dict[str, Any]], fails: rx.Var[Any]) -> rx.Component:
    """A drawn diagram and its code.

    Args:
        children: The code.
        picture: The address, size and words of the drawing (`diagram.js`).
        fails: A function that is called if the browser cannot show the drawing.
    """
    drawn: Shown = picture
    image = rx.el.img(
        src=drawn["src"].to(str),
        alt=t("research.diagram_of", words=drawn["words"]),
        width=drawn["width"],
        height=drawn["height"],
        custom_attrs={"onError": fails},
    )
    return rx.el.figure(
        rx.el.div(image, class_name="diagram-frame", tab_index=0, role="region", aria_label=t("research.diagram")),
        rx.el.details(rx.el.summary(t("research.diagram_code")), children),
        class_name="diagram",
    )


@rx.memo
def text_link(children: rx.Var[rx.Component], href: rx.Var[str], says: rx.Var[str]) -> rx.Component:
    """A link in a text.

    A link out of Leaf shows its host. It asks for confirmation first if its address may contain text of documents. An
    empty `href` must not be opened.
    """
    view = hook("view", "useOutsideLink", "external_links", href, says)
    inside: Shown = href
    return rx.cond(
        href == "",
        rx.el.span(children),
        rx.cond(
            inside.startswith("#"),
            anchor(children, href=href),
            rx.cond(inside.startswith("/"), link(children, to=href), _outside(children, view, href)),
        ),
    )


def _outside(words: Shown, view: Shown, href: Shown) -> rx.Component:
    host = {"data-host": view["host"]}
    return rx.fragment(
        rx.cond(
            view["asks"],
            rx.fragment(
                rx.el.button(
                    words,
                    type="button",
                    class_name="outside asked",
                    custom_attrs={**host, "data-address": view["address"], "popoverTarget": view["id"]},
                ),
                rx.el.span(
                    t("messages.link_asks"),
                    rx.el.bdi(view["address"], dir="ltr"),
                    outer_link(t("messages.link_open"), url=href, rel=_REL),
                    id=view["id"].to(str),
                    role="dialog",
                    aria_label=t("messages.link_asks"),
                    class_name="link-asks",
                    custom_attrs={"popover": "auto"},
                ),
            ),
            outer_link(words, url=href, rel=_REL, class_name="outside", custom_attrs=host),
        ),
        rx.cond(view["shown"], rx.el.bdi(" (", view["host"], ")", dir="ltr", class_name="link-host")),
    )


@rx.memo
def code(text: rx.Var[str], language: rx.Var[str], growing: rx.Var[bool]) -> rx.Component:
    """A code block with its language, a button that wraps its lines, and a button that copies it.

    The code is coloured when it no longer grows.
    """
    coloured = hook("shown", "coloured", "markdown", text, language, growing).to(rx.Component)
    state = VarData(
        imports={"react": [ImportVar(tag="useState")]}, hooks={"const [wraps, setWraps] = useState(false);": None}
    )
    wraps: Shown = rx.Var("wraps", _var_data=state).to(bool)
    wrap = icon_button(
        t("research.wrap"),
        "wrap-text",
        size=15,
        class_name="small",
        custom_attrs={"aria-pressed": wraps, "onClick": rx.Var("() => setWraps(!wraps)")},
    )
    return rx.el.figure(
        rx.el.figcaption(
            rx.el.span(rx.cond(language, language, t("messages.code_text"))),
            rx.el.span(wrap, copy_button(text=text, label=t("messages.copy_code")), class_name="md-code-tools"),
        ),
        rx.el.pre(rx.el.code(coloured), tab_index=0),
        class_name="md-code",
        custom_attrs={"data-wraps": wraps},
    )


@rx.memo
def _source(text: rx.Var[str], language: rx.Var[str], label: rx.Var[str], look: rx.Var[str]) -> rx.Component:
    coloured = hook("shown", "coloured", "markdown", text, language, False).to(rx.Component)
    return rx.el.pre(rx.el.code(coloured), tab_index=0, aria_label=label, class_name=look)


def source(text: Shown, label: Shown, language: Shown, class_name: str = "") -> rx.Component:
    """The input or output of a tool, in the colours of its language if it has one."""
    return _source(text=text, language=language, label=label, look=class_name)


@cache
def _parts() -> Shown:
    """A JavaScript object with the components of this module, by name."""
    elements = {
        "citation": citation(label=""),
        "figure": own_figure(),
        "link": text_link(href="", says=""),
        "picture": text_picture(alt=""),
        "diagram": diagram(picture={}, fails=None),
        "code": code(text="", language="", growing=False),
        "table": markdown_table(growing=False),
    }
    members = ", ".join(f"{name}: {one.tag}" for name, one in elements.items())
    imports = [VarData(imports={str(one.library): [ImportVar(tag=one.tag)]}) for one in elements.values()]
    return rx.Var(f"({{ {members} }})", _var_data=VarData.merge(*imports))


def text(**props: Shown) -> rx.Component:
    """A text of an answer; `props` are those of `Text`."""
    return Text.create(parts=_parts(), **props)
