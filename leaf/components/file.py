"""One of the chat's own files: its text, its changes, and its history."""

import reflex as rx

from leaf.components import client, links
from leaf.components.basics import Shown, button, each, icon, match
from leaf.components.client import copy_button
from leaf.components.diffs import diff
from leaf.components.texts import t
from leaf.state.files import FilesState


def one_file() -> rx.Component:
    """The open file."""
    versions: Shown = FilesState.versions
    changes: Shown = FilesState.changes
    return rx.el.div(
        rx.el.div(
            button(icon("arrow-left", 15), t("files.all"), on_click=FilesState.back),
            rx.cond(FilesState.text != "", copy_button(text=FilesState.text, label=t("files.copy_text"))),
            rx.cond(FilesState.gone, rx.fragment(), download(FilesState.address, t("files.download"))),
            rx.cond(
                FilesState.newest | FilesState.gone,
                rx.fragment(),
                button(
                    icon("rotate-ccw", 15),
                    t("files.restore"),
                    once=True,
                    on_click=FilesState.restore(FilesState.number),
                ),
            ),
            class_name="file-actions",
        ),
        rx.el.div(
            _tab(t("files.text"), on=~changes, shows=False),
            _tab(t("files.changes"), on=changes, shows=True),
            role="group",
            aria_label=t("files.what_is_shown"),
            class_name="file-tabs",
        ),
        rx.cond(FilesState.changes, _changes(), _preview()),
        rx.el.h3(t("files.history")),
        rx.el.ol(rx.foreach(versions, _version), class_name="file-list"),
        class_name="file-one",
    )


def download(path: Shown, label: Shown) -> rx.Component:
    """A link to an HTTP route that gives a file."""
    # A plain link: the router's would look for a page.
    return client.anchor(
        icon("download", 15),
        label,
        href=links.backend("") + path,
        class_name="button secondary",
        custom_attrs={"download": True},
    )


def _tab(label: Shown, *, on: Shown, shows: bool) -> rx.Component:
    return rx.el.button(
        label,
        type="button",
        class_name="file-tab",
        custom_attrs={"aria-pressed": rx.cond(on, "true", "false")},
        on_click=FilesState.show_changes(shows),
    )


def _changes() -> rx.Component:
    return rx.cond(
        FilesState.diff_note != "",
        rx.el.p(FilesState.diff_note, class_name="small-note"),
        diff(FilesState.diff),
    )


def _preview() -> rx.Component:
    text: Shown = FilesState.text
    notes: Shown = FilesState.notes
    return rx.fragment(
        match(
            FilesState.form,
            (
                "markdown",
                rx.el.div(client.text(blocks=[text], run="", slot=0, growing=False, far=False), class_name="file-text"),
            ),
            ("table", _table()),
            ("pages", _pages()),
            ("nothing", rx.fragment()),
            rx.el.pre(text, tab_index=0, aria_label=t("files.file"), class_name="file-text"),
        ),
        each(notes, lambda note: rx.el.p(note, class_name="small-note")),
    )


def _table() -> rx.Component:
    head: Shown = FilesState.head
    rows: Shown = FilesState.rows
    return rx.el.div(
        rx.el.div(
            rx.el.table(
                rx.el.thead(rx.el.tr(each(head, lambda cell: rx.el.th(cell, scope="col")))),
                rx.el.tbody(each(rows, lambda row: rx.el.tr(rx.foreach(row, _cell)))),
            ),
            class_name="md-table",
            tab_index=0,
            role="region",
            aria_label=t("files.table"),
        ),
        class_name="file-table",
    )


def _cell(text: Shown) -> rx.Component:
    return rx.el.td(text)


def _pages() -> rx.Component:
    pages: Shown = FilesState.pages
    return rx.el.div(
        rx.foreach(pages, _page), role="region", aria_label=t("files.file"), tab_index=0, class_name="file-text"
    )


def _page(page: Shown) -> rx.Component:
    return rx.el.section(
        rx.cond(page.part != "", rx.el.h4(page.part, class_name="file-page")),
        rx.el.pre(page.text),
    )


def _version(version: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.button(
            rx.el.span(version.what, class_name="file-path"),
            rx.el.span(version.when, class_name="file-size"),
            type="button",
            class_name="file-entry",
            custom_attrs={"aria-current": rx.cond(FilesState.number == version.number, "true", "false")},
            on_click=FilesState.open_file(FilesState.path, version.number),
        ),
        key=version.number,
    )
