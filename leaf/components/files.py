"""The panel of the chat's own files."""

import reflex as rx

from leaf.components import client, links
from leaf.components.basics import Shown, button, icon, icon_button
from leaf.components.client import copy_button, panel
from leaf.state.files import FilesState


def files_panel() -> rx.Component:
    """The panel: the list, or one file with its history."""
    one: Shown = FilesState.path
    return rx.cond(
        FilesState.panel,
        panel(
            rx.el.div(
                rx.el.div(
                    rx.el.h2(rx.cond(one != "", one, "Files"), id="files-title"),
                    rx.cond(one != "", rx.fragment(), rx.el.p("Files that Leaf keeps for this chat")),
                ),
                icon_button(
                    "Close panel",
                    "x",
                    on_click=FilesState.close_panel,
                    auto_focus=True,
                    custom_attrs={"data-close-panel": "true"},
                ),
                class_name="panel-head",
            ),
            rx.cond(one != "", _one(), _list()),
            class_name="panel",
            labelledby="files-title",
        ),
    )


def _list() -> rx.Component:
    listed: Shown = FilesState.listed
    return rx.cond(
        listed.length() > 0,
        rx.fragment(
            rx.el.ul(rx.foreach(listed, _entry), class_name="file-list"),
            rx.el.p(
                _download(FilesState.archive, "Download all"),
                class_name="panel-foot",
            ),
        ),
        rx.el.p("There are no files yet. Ask Leaf to write something down.", class_name="panel-empty"),
    )


def _entry(file: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.button(
            icon("file-text", 16),
            rx.el.span(file.path, class_name="file-path"),
            rx.el.span(file.size, class_name="file-size"),
            type="button",
            class_name="file-entry",
            on_click=FilesState.open_file(file.path, 0),
        ),
        key=file.path,
    )


def _one() -> rx.Component:
    text: Shown = FilesState.text
    versions: Shown = FilesState.versions
    return rx.el.div(
        rx.el.div(
            button(icon("arrow-left", 15), "All files", on_click=FilesState.back),
            copy_button(text=text, label="Copy file"),
            rx.cond(
                FilesState.newest,
                _download(FilesState.address, "Download"),
                button(icon("rotate-ccw", 15), "Restore", once=True, on_click=FilesState.restore(FilesState.number)),
            ),
            class_name="file-actions",
        ),
        rx.cond(
            FilesState.markdown,
            rx.el.div(client.text(blocks=[text], run="", slot=0, growing=False, far=False), class_name="file-text"),
            rx.el.pre(text, tab_index=0, aria_label="File", class_name="file-text"),
        ),
        rx.cond(FilesState.note != "", rx.el.p(FilesState.note, class_name="small-note")),
        rx.el.h3("History"),
        rx.el.ol(rx.foreach(versions, _version), class_name="file-list"),
        class_name="file-one",
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


def _download(path: Shown, label: str) -> rx.Component:
    # A plain link: the router's would look for a page.
    return client.anchor(
        icon("download", 15),
        label,
        href=links.backend("") + path,
        class_name="button secondary",
        custom_attrs={"download": True},
    )
