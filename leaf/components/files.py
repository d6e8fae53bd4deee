"""The panel with the files of a chat. It shows the list and the uploads, or one file with its text, changes and
history.
"""

from typing import Any

import reflex as rx

from leaf.components import links, markdown
from leaf.components.basics import Shown, button, each, icon, match, panel_head
from leaf.components.client import anchor, panel
from leaf.components.composer import ACCEPTED, UPLOAD_LIMIT, is_going, upload_words
from leaf.components.controls import copy_button
from leaf.components.diffs import diff
from leaf.components.hooks import calls, handler, hook
from leaf.components.panel import kind_icon
from leaf.components.texts import t
from leaf.services.files import MAX_UPLOAD_BYTES
from leaf.state.files import FilesState


def files_panel() -> rx.Component:
    """The panel with the list of files, or with one file and its history."""
    one: Shown = FilesState.path
    return rx.cond(
        FilesState.panel,
        panel(
            panel_head(
                rx.cond(one != "", one, t("files.title")),
                "files-title",
                rx.cond(one != "", rx.fragment(), rx.el.p(t("files.about"))),
                FilesState.close_panel,
            ),
            rx.cond(one != "", _one_file(), _list()),
            class_name="panel",
            labelledby="files-title",
        ),
    )


def _list() -> rx.Component:
    listed: Shown = FilesState.listed
    deleted: Shown = FilesState.deleted
    return rx.fragment(
        rx.el.div(
            chat_zone(chat=FilesState.chat),
            upload_list(place=FilesState.chat),
            class_name="uploads",
        ),
        rx.cond(
            listed.length() > 0,
            rx.fragment(
                rx.el.ul(rx.foreach(listed, _entry), class_name="file-list"),
                rx.el.p(_download(FilesState.archive, t("files.download_all")), class_name="panel-foot"),
            ),
            rx.el.p(t("files.none"), class_name="panel-empty"),
        ),
        rx.cond(
            deleted.length() > 0,
            rx.el.details(
                rx.el.summary(t("files.deleted", count=deleted.length())),
                rx.el.ul(rx.foreach(deleted, _entry), class_name="file-list"),
                class_name="deleted-files",
            ),
        ),
    )


def upload_zone(
    place: Shown,
    address: Shown,
    face: rx.Component,
    note: Shown,
    *,
    limit: int,
    on_taken: Any = None,
    **picker: Any,
) -> rx.Component:
    """A place to which files can be dropped, with a button that opens the browser's choice of files.

    Args:
        place: The name of the list of uploads (`upload_list`). For files of a chat, it is the chat's id.
        address: The route that receives the files.
        face: The content of the button.
        note: A line below the button.
        limit: The maximum size of a file in bytes.
        on_taken: The event that is raised for each file that the server has accepted.
        picker: Properties of the file input.
    """
    target = {"address": address, "limit": limit, "limitText": f"{limit // 1_000_000} MB"}
    if on_taken is not None:
        target["onTaken"] = handler(on_taken)
    view = hook("view", "useUploadZone", "uploads", place, target)
    return rx.el.div(
        rx.el.button(face, type="button", class_name="button secondary", special_props=[view["choose"]]),
        rx.el.p(note, class_name="small-note"),
        rx.el.input(type="file", hidden=True, special_props=[view["picker"]], **picker),
        class_name=rx.cond(view["over"], "upload-zone over", "upload-zone"),
        special_props=[view["zone"]],
    )


@rx.memo
def chat_zone(chat: rx.Var[str]) -> rx.Component:
    """The button that uploads files into a chat."""
    return upload_zone(
        chat,
        links.backend("/api/chats/") + chat.to(str) + "/files",
        rx.fragment(icon("upload", 15), t("files.upload")),
        t("files.drop", limit=UPLOAD_LIMIT),
        limit=MAX_UPLOAD_BYTES,
        multiple=True,
        accept=ACCEPTED,
        aria_label=t("files.to_upload"),
    )


@rx.memo
def upload_list(place: rx.Var[str]) -> rx.Component:
    """The uploads of a place that are in progress, were refused, or have a notice."""
    uploads = hook("uploads", "useUploads", "uploads", place)
    return rx.el.ul(
        rx.foreach(uploads.to(list[dict[str, Any]]), _upload),
        class_name="upload-list",
        aria_label=t("files.uploads"),
        aria_live="polite",
    )


def _upload(upload: Shown) -> rx.Component:
    name, words = upload["name"], upload_words(upload)
    going, failed = is_going(upload), upload["state"] == "failed"

    def act(picture: str, label: Shown, function: Shown) -> rx.Component:
        return rx.el.button(
            icon(picture, 15), type="button", aria_label=label, on_click=calls(function), class_name="icon-button small"
        )

    return rx.el.li(
        rx.cond(failed, icon("triangle-alert", 15)),
        rx.el.div(
            rx.el.span(name, class_name="file-path"),
            rx.el.span(rx.cond(failed, t("files.not_uploaded", reason=words), words), class_name="upload-said"),
            rx.cond(
                going,
                rx.el.progress(value=upload["share"], max=1, aria_label=t("files.upload_of", name=name)),
            ),
            class_name="upload-text",
        ),
        rx.cond(
            failed & upload["again"],
            act("rotate-ccw", t("files.try_again", name=name), upload["sendAgain"]),
        ),
        rx.cond(~going, act("x", t("files.dismiss", name=name), upload["drop"])),
        key=upload["id"],
        class_name=rx.cond(failed, "upload failed", "upload"),
    )


def _entry(file: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.button(
            rx.el.span(kind_icon(kind=file.kind), class_name="file-kind"),
            rx.el.span(
                rx.el.span(file.path, class_name="file-path"),
                rx.el.span(file.about, class_name="file-about"),
                class_name="file-names",
            ),
            rx.el.span(file.size, class_name="file-size"),
            icon("chevron-right", 14),
            type="button",
            class_name="file-entry",
            on_click=FilesState.open_file(file.path, 0),
        ),
        key=file.path,
    )


def _one_file() -> rx.Component:
    changes: Shown = FilesState.changes
    return rx.el.div(
        rx.el.div(
            button(icon("arrow-left", 15), t("files.all"), on_click=FilesState.back),
            rx.cond(FilesState.text != "", copy_button(text=FilesState.text, label=t("files.copy_text"))),
            rx.cond(FilesState.gone, rx.fragment(), _download(FilesState.address, t("files.download"))),
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
        rx.cond(changes, _changes(), _preview()),
        rx.el.h3(t("files.history")),
        rx.el.ol(rx.foreach(FilesState.versions, _version), class_name="file-list"),
        class_name="file-one",
    )


def _download(path: Shown, label: Shown) -> rx.Component:
    """A link that downloads a file from an HTTP route. The router's link would look for a page instead."""
    return anchor(
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
    return rx.fragment(
        match(
            FilesState.form,
            (
                "markdown",
                rx.el.div(markdown.text(blocks=[text], run="", slot=0, growing=False), class_name="file-text"),
            ),
            ("table", _table()),
            ("pages", _pages()),
            ("nothing", rx.fragment()),
            rx.el.pre(text, tab_index=0, aria_label=t("files.file"), class_name="file-text"),
        ),
        each(FilesState.notes, lambda note: rx.el.p(note, class_name="small-note")),
    )


def _table() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.table(
                rx.el.thead(rx.el.tr(each(FilesState.head, lambda cell: rx.el.th(cell, scope="col")))),
                rx.el.tbody(each(FilesState.rows, lambda row: rx.el.tr(rx.foreach(row, _cell)))),
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
    return rx.el.div(
        rx.foreach(FilesState.pages, _page),
        role="region",
        aria_label=t("files.file"),
        tab_index=0,
        class_name="file-text",
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
