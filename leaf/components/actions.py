"""What can be done with a message: copy it, ask or answer it in another way, and look at its other versions."""

from typing import Any

import reflex as rx

from leaf.components import feedback, links
from leaf.components.basics import Shown, icon
from leaf.components.client import copy_button, once_button
from leaf.components.spent import details_button
from leaf.components.texts import t
from leaf.state.branches import BranchState
from leaf.state.chat import MESSAGE_CHARACTERS, ChatState
from leaf.state.details import DetailsState
from leaf.state.session import SessionState
from leaf.views.versions import Versions as Places


def _edit_spec(text: rx.Var[str], extras: rx.Var[dict[str, Any]]) -> tuple[rx.Var[str], rx.Var[dict[str, Any]]]:
    return (text, extras)


class Question(rx.Component):
    """A question, and the box in its place in which it is asked in another way; its children stand below it.

    `on_edit` gets the new text and the files that it names anew; where `own` is false, nobody is offered to give one.
    """

    library = "$/public/client/question.js"
    tag = "Question"

    text: rx.Var[str]
    mentions: rx.Var[Any]
    came: rx.Var[Any]
    origin: rx.Var[str]
    limit: rx.Var[int]
    own: rx.Var[bool]
    on_edit: rx.EventHandler[_edit_spec]


class Versions(rx.Component):
    """Which of several versions of a message is shown (`leaf.views.versions`); `on_choose` gets the id of another."""

    library = "$/public/client/versions.js"
    tag = "Versions"

    message: rx.Var[str]
    shown: rx.Var[Any]
    on_choose: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class Regenerate(rx.Component):
    """Has an answer written once more; `on_choose` gets the id of the model, empty for the usual one."""

    library = "$/public/client/again.js"
    tag = "Regenerate"

    models: rx.Var[Any]
    on_choose: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class ReadAloud(rx.Component):
    """Has the browser read the answer in which it stands aloud; nothing where a browser cannot."""

    library = "$/public/client/aloud.js"
    tag = "ReadAloud"


def question(row: Shown, *, guest: bool = False) -> rx.Component:
    """A question with what can be done with it; guests ask nothing in another way."""

    def edit(text: Shown, extras: Shown) -> Shown:
        return BranchState.edit(row.id, text, extras)

    return Question.create(
        versions(row.id),
        copy_button(text=row.text, label=t("versions.copy_message")),
        text=row.text,
        mentions=row.mentions,
        came=row.came,
        origin=links.backend(""),
        limit=MESSAGE_CHARACTERS,
        own=False if guest else row.asker == SessionState.person,
        on_edit=edit,
    )


def answer_actions(
    items: Shown, files: Shown, run_id: Shown, citations: Shown, message_id: Shown, ended: Shown = True
) -> rx.Component:
    """The row under an answer.

    Args:
        items: What the answer consists of.
        files: How many files were read for it.
        run_id: The run that wrote it.
        citations: What it rests on.
        message_id: The answer.
        ended: Whether it can be written once more beside this one.
    """
    return rx.el.div(
        versions(message_id),
        rx.cond(
            items.length() > 0, copy_button(items=items, citations=citations.quotes, label=t("versions.copy_answer"))
        ),
        rx.cond(items.length() > 0, ReadAloud.create()),
        rx.cond(ended, _regenerate(message_id)),
        once_button(
            icon("git-fork", 15),
            aria_label=t("versions.fork"),
            title=t("versions.fork_title"),
            class_name="icon-button small",
            on_click=BranchState.fork(message_id),
        ),
        rx.cond(
            files > 0,
            rx.el.button(
                icon("book-open", 15),
                t("versions.files_read", count=files),
                type="button",
                class_name="text-button",
                on_click=DetailsState.open_sources(run_id),
                custom_attrs={"data-opens-panel": "true"},
            ),
        ),
        details_button(run_id),
        feedback.thumbs(run_id),
        class_name="actions",
    )


def copy_answer(items: Shown, citations: Shown) -> rx.Component:
    """The row under an answer of a guest's."""
    return rx.el.div(
        rx.cond(
            items.length() > 0, copy_button(items=items, citations=citations.quotes, label=t("versions.copy_answer"))
        ),
        class_name="actions",
    )


def versions(message_id: Shown) -> rx.Component:
    """Which version of a message is shown, and the way to the others; nothing where there is one."""
    places: Shown = ChatState.versions
    return rx.cond(
        places.contains(message_id),
        Versions.create(message=message_id, shown=places[message_id].to(Places), on_choose=BranchState.choose),
    )


def _regenerate(message_id: Shown) -> rx.Component:
    def choose(model: Shown) -> Shown:
        return BranchState.regenerate(message_id, model)

    return Regenerate.create(models=SessionState.models, on_choose=choose)
