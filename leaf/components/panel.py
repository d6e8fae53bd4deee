"""The panel of sources: exactly the files read, where they lie in Drive, and the passages used."""

import reflex as rx

from leaf.components.basics import Shown, icon, icon_button, match
from leaf.components.client import panel
from leaf.components.texts import t
from leaf.state.details import DetailsState

_KINDS = {
    "document": "file-text",
    "word": "file-text",
    "text": "file-text",
    "spreadsheet": "sheet",
    "excel": "sheet",
    "csv": "sheet",
    "presentation": "presentation",
    "powerpoint": "presentation",
    "pdf": "file-type",
    "markdown": "file-code",
    "code": "file-code",
    "html": "file-code",
    "json": "braces",
    "folder": "folder",
    "image": "image",
}


def sources_panel() -> rx.Component:
    """The panel: at the side on wide screens, a sheet on phones."""
    found: Shown = DetailsState.found
    return rx.cond(
        DetailsState.panel,
        panel(
            rx.el.div(
                rx.el.div(
                    rx.el.h2(t("messages.sources"), id="panel-title"),
                    rx.el.p(DetailsState.heading),
                ),
                icon_button(
                    t("common.close_panel"),
                    "x",
                    on_click=DetailsState.close_panel,
                    auto_focus=True,
                    custom_attrs={"data-close-panel": "true"},
                ),
                class_name="panel-head",
            ),
            rx.cond(
                found.length() > 0,
                rx.el.ol(rx.foreach(found, _source), class_name="source-list"),
                rx.el.p(
                    t("messages.no_sources"),
                    class_name="panel-empty",
                ),
            ),
            class_name="panel",
            labelledby="panel-title",
        ),
    )


def _source(source: Shown) -> rx.Component:
    name = rx.fragment(source.name)
    return rx.el.li(
        rx.el.div(
            rx.el.span(source.number, class_name="source-number"),
            rx.el.span(kind_icon(source.kind), class_name="source-kind"),
            rx.cond(
                source.url != "",
                rx.el.a(
                    name,
                    icon("external-link", 13),
                    href=source.url,
                    target="_blank",
                    rel="noopener noreferrer",
                    class_name="source-name",
                ),
                rx.el.span(name, class_name="source-name"),
            ),
            class_name="source-head",
        ),
        rx.foreach(source.excerpts, _excerpt),
        class_name="source",
        key=source.id,
    )


def _excerpt(excerpt: Shown) -> rx.Component:
    return rx.el.div(
        rx.el.div(excerpt.part, class_name="excerpt-part"),
        rx.el.blockquote(excerpt.used),
        rx.el.details(
            rx.el.summary(t("messages.all_read_size", size=excerpt.size)),
            rx.el.pre(excerpt.whole, tab_index=0, aria_label=t("messages.all_read")),
        ),
        class_name="excerpt",
    )


def kind_icon(kind: Shown) -> rx.Component:
    """The icon of a kind of file."""
    return match(kind, *((name, icon(shape, 16)) for name, shape in _KINDS.items()), icon("file", 16))
