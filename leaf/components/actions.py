"""The actions below a message: copy, edit, regenerate, fork, read aloud, and the choice of a version."""

import reflex as rx

from leaf import audiences
from leaf.audiences import Audience
from leaf.components import editor, feedback, links, watches
from leaf.components.answer_usage import details_button
from leaf.components.basics import Shown, icon, icon_button, menu_item, outer_link
from leaf.components.client import anchor
from leaf.components.controls import copy_button, menu, once_button
from leaf.components.hooks import calls, hook
from leaf.components.texts import t
from leaf.state.branches import BranchState
from leaf.state.change_dialogs import ChangeDialogState
from leaf.state.chat import ChatState
from leaf.state.session import SessionState
from leaf.views.versions import VersionPlace


@rx.memo
def read_aloud() -> rx.Component:
    """The button with which the browser reads an answer aloud; absent in browsers without voices."""
    aloud = hook("aloud", "useReadAloud", "speech")
    label = rx.cond(aloud["reading"], t("versions.stop_reading"), t("versions.read_aloud"))
    return rx.cond(
        aloud["able"],
        rx.el.button(
            rx.cond(aloud["reading"], icon("square", 15), icon("volume-2", 15)),
            type="button",
            aria_label=label,
            title=label,
            class_name="icon-button small",
            special_props=[aloud["button"]],
        ),
    )


def question(row: Shown, audience: Audience) -> rx.Component:
    """A question with the actions that the audience may use."""

    def edit(text: Shown, extras: Shown) -> Shown:
        return BranchState.edit(row.id, text, extras)

    shown = editor.question(
        rx.el.div(
            rx.cond(row.pieces.length() > 0, rx.foreach(row.pieces, _piece), row.text),
            class_name="bubble",
        ),
        text=row.text,
        mentions=row.mentions,
        own=row.asker == SessionState.member_id if audience.may("edit") else False,
        actions=rx.fragment(versions(row.id), copy_button(text=row.text, label=t("versions.copy_message"))),
        on_edit=edit,
    )
    return rx.fragment(
        rx.cond(
            row.attachments.length() > 0,
            rx.el.ul(rx.foreach(row.attachments, _attachment), class_name="chips came", aria_label=t("composer.came")),
        ),
        shown,
    )


def _piece(piece: Shown) -> rx.Component:
    """A piece of a question's text, or a file that it mentions."""
    return rx.cond(
        piece.address != "",
        outer_link(piece.label, url=piece.address, class_name="mention"),
        piece.label,
    )


def _attachment(file: Shown) -> rx.Component:
    """A file of the chat that was sent with a question."""
    return rx.el.li(
        anchor(
            rx.cond(
                file.picture != "",
                rx.el.img(
                    src=links.backend("/api/chats/") + ChatState.chat_id + "/pictures/" + file.picture,
                    alt="",
                    loading="lazy",
                    class_name="chip-picture",
                ),
                icon("file-text", 15),
            ),
            rx.el.span(file.label.split("/")[-1], class_name="chip-name"),
            href=links.backend("/api/chats/") + ChatState.chat_id + "/files/" + file.address,
            custom_attrs={"download": ""},
            class_name="chip",
        ),
        key=file.address,
    )


def answer_actions(
    items: Shown,
    run_id: Shown,
    citations: Shown,
    message_id: Shown,
    *,
    ended: Shown = True,
    audience: Audience = audiences.MEMBER,
) -> rx.Component:
    """The row of buttons under an answer. An audience that may not regenerate can only copy it."""
    copied = rx.cond(
        items.length() > 0, copy_button(items=items, citations=citations.quotes, label=t("versions.copy_answer"))
    )
    if not audience.may("regenerate"):
        return rx.el.div(copied, class_name="actions")
    return rx.el.div(
        versions(message_id),
        _compare(message_id),
        copied,
        rx.cond(items.length() > 0, read_aloud()),
        rx.cond(ended, _regenerate(message_id)),
        rx.cond(ended, watches.watch_button(message_id)) if audience.has_drive else rx.fragment(),
        once_button(
            icon("git-fork", 15),
            aria_label=t("versions.fork"),
            title=t("versions.fork_title"),
            class_name="icon-button small",
            on_click=BranchState.fork(message_id),
        ),
        details_button(run_id),
        feedback.thumbs(run_id),
        class_name="actions",
    )


def versions(message_id: Shown) -> rx.Component:
    """The buttons that switch between the versions of a message; nothing for a message with one version."""
    places: Shown = ChatState.versions
    return rx.cond(
        places.contains(message_id), version_choice(message=message_id, shown=places[message_id].to(VersionPlace))
    )


def _compare(message_id: Shown) -> rx.Component:
    """The button that compares an answer with the version before it."""
    places: Shown = ChatState.versions
    return rx.cond(
        places.contains(message_id) & (places[message_id].to(VersionPlace).before != ""),
        icon_button(
            t("living.answers_before"), "diff", size=15, class_name="small",
            on_click=ChangeDialogState.compare_versions(message_id),
        ),
    )  # fmt: skip


@rx.memo
def version_choice(message: rx.Var[str], shown: rx.Var[VersionPlace]) -> rx.Component:
    place: Shown = shown
    way = hook("way", "useVersionFocus", "focus", message, place.at)

    def button(side: str, to: Shown, label: Shown) -> rx.Component:
        return icon_button(
            label,
            "chevron-left" if side == "before" else "chevron-right",
            size=15,
            class_name="small",
            disabled=to == "",
            on_click=[calls(way["go"], to, side), BranchState.choose(to)],
            custom_attrs={"data-side": side},
        )

    return rx.el.div(
        button("before", place.before, t("versions.previous")),
        rx.el.span(
            rx.el.span(t("versions.version"), class_name="unseen"), place.at, "/", place.of, class_name="versions-at"
        ),
        button("after", place.after, t("versions.next")),
        role="group",
        aria_label=t("versions.versions"),
        custom_attrs={"data-keeps-place": "true"},
        class_name="versions",
    )


def _regenerate(message_id: Shown) -> rx.Component:
    """The button that regenerates an answer; a menu if there are several models."""
    models: Shown = SessionState.models
    label, retry = t("versions.regenerate"), {"data-retry": "true"}

    def item(words: Shown, model: Shown) -> rx.Component:
        return menu_item(None, words, BranchState.regenerate(message_id, model), custom_attrs={**retry})

    def other(model: Shown) -> rx.Component:
        return item(model.label, model.id)

    return rx.cond(
        models.length() > 0,
        menu(
            item(t("versions.try_again"), ""),
            rx.foreach(models, other),
            label=label,
            face=icon("refresh-cw", 15),
            class_name="icon-button small",
        ),
        icon_button(
            label,
            "refresh-cw",
            size=15,
            once=True,
            class_name="small",
            on_click=BranchState.regenerate(message_id, ""),
            custom_attrs={**retry},
        ),
    )
