"""The panel of the files of a chat: the list and the uploads."""

from typing import Any

import reflex as rx

from leaf.components import links
from leaf.components.basics import Shown, drop_zone, icon, panel_head
from leaf.components.client import panel
from leaf.components.composer import ACCEPTED, UPLOAD_LIMIT
from leaf.components.file import download, one_file
from leaf.components.hooks import calls, hook
from leaf.components.panel import kind_icon
from leaf.components.texts import t
from leaf.services.files import MAX_UPLOAD_BYTES
from leaf.state.files import FilesState


def files_panel() -> rx.Component:
    """The panel: the list, or one file with its history."""
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
            rx.cond(one != "", one_file(), _list()),
            class_name="panel",
            labelledby="files-title",
        ),
    )


def _list() -> rx.Component:
    listed: Shown = FilesState.listed
    deleted: Shown = FilesState.deleted
    return rx.fragment(
        rx.el.div(
            upload_zone(chat=FilesState.chat),
            upload_list(chat=FilesState.chat),
            class_name="uploads",
        ),
        rx.cond(
            listed.length() > 0,
            rx.fragment(
                rx.el.ul(rx.foreach(listed, _entry), class_name="file-list"),
                rx.el.p(download(FilesState.archive, t("files.download_all")), class_name="panel-foot"),
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


@rx.memo
def upload_zone(chat: rx.Var[str]) -> rx.Component:
    """The button that uploads files into a chat, to which they can also be dropped."""
    target = {"origin": links.backend(""), "limit": MAX_UPLOAD_BYTES, "limitText": UPLOAD_LIMIT}
    view = hook("view", "useUploadZone", "uploads", chat, target)
    return drop_zone(
        view,
        rx.fragment(icon("upload", 15), t("files.upload")),
        t("files.drop", limit=UPLOAD_LIMIT),
        multiple=True,
        accept=ACCEPTED,
        aria_label=t("files.to_upload"),
    )


@rx.memo
def upload_list(chat: rx.Var[str]) -> rx.Component:
    """The uploads into a chat that are under way, were refused, or came with a notice."""
    uploads = hook("uploads", "useUploads", "uploads", chat, False)
    return rx.el.ul(
        rx.foreach(uploads.to(list[dict[str, Any]]), _upload),
        class_name="upload-list",
        aria_label=t("files.uploads"),
        aria_live="polite",
    )


def _upload(upload: Shown) -> rx.Component:
    name, words = upload["name"], upload["words"]

    def act(picture: str, label: Shown, function: Shown) -> rx.Component:
        return rx.el.button(
            icon(picture, 15), type="button", aria_label=label, on_click=calls(function), class_name="icon-button small"
        )

    return rx.el.li(
        rx.cond(upload["failed"], icon("triangle-alert", 15)),
        rx.el.div(
            rx.el.span(name, class_name="file-path"),
            rx.el.span(
                rx.cond(upload["failed"], t("files.not_uploaded", reason=words), words), class_name="upload-said"
            ),
            rx.cond(
                upload["going"],
                rx.el.progress(value=upload["share"], max=1, aria_label=t("files.upload_of", name=name)),
            ),
            class_name="upload-text",
        ),
        rx.cond(
            upload["failed"] & upload["again"],
            act("rotate-ccw", t("files.try_again", name=name), upload["sendAgain"]),
        ),
        rx.cond(~upload["going"].to(bool), act("x", t("files.dismiss", name=name), upload["drop"])),
        key=upload["id"],
        class_name=rx.cond(upload["failed"], "upload failed", "upload"),
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
