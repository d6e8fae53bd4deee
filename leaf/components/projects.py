"""Components of projects: the list in the sidebar, the dialogs, and the sections of a project's page."""

import reflex as rx

from leaf.components import forms
from leaf.components.basics import Shown, button, confirmation, icon, modal_row, name_dialog, needs_server
from leaf.components.chatlists import chat_list
from leaf.components.client import link
from leaf.components.controls import modal
from leaf.components.scope import scope_of
from leaf.components.texts import t
from leaf.services.projects import INSTRUCTION_CHARACTERS, NAME_CHARACTERS
from leaf.state.projects import PATH, ProjectsState, ProjectState
from leaf.state.sidebar import PROJECT


def sidebar_projects() -> rx.Component:
    """The button that creates a project, followed by the list of projects if there are any."""
    listed: Shown = ProjectsState.listed
    new = rx.el.button(
        icon("folder-plus"),
        rx.el.span(t("projects.new"), class_name="word"),
        type="button",
        aria_label=t("projects.new"),
        title=t("projects.new"),
        class_name="nav-item",
        on_click=ProjectsState.ask_new(True),
        custom_attrs=needs_server(),
    )
    rows = rx.el.nav(rx.el.ul(rx.foreach(listed, _row)), aria_label=t("projects.title"), class_name="projects word")
    return rx.fragment(new, rx.cond(listed.length() > 0, rows))


def _row(project: Shown) -> rx.Component:
    return rx.el.li(
        link(
            icon("folder-kanban"),
            rx.el.span(project.name, class_name="chat-name"),
            to=PATH + project.id.to(str),
            class_name="nav-item",
            custom_attrs={"title": project.name, **needs_server()},
        ),
        key=project.id,
    )


def project_link(project: Shown) -> rx.Component:
    """The link from a chat to its project; nothing if the chat is in no project."""
    names: Shown = ProjectsState.names
    return rx.cond(
        names.contains(project),
        link(
            icon("folder-kanban", 15),
            rx.el.span(names[project], class_name="chat-name"),
            to=PATH + project.to(str),
            class_name="project-link",
            aria_label=t("projects.in_project", name=names[project]),
        ),
    )


def project_dialogs() -> rx.Component:
    """The dialog that creates a project, and the dialog that moves a chat."""
    return rx.fragment(_new_dialog(), _move_dialog())


def _new_dialog() -> rx.Component:
    return name_dialog(
        t("projects.new"),
        t("projects.name"),
        t("projects.create"),
        is_open=ProjectsState.asks_new,
        on_close=ProjectsState.ask_new(False),
        on_submit=ProjectsState.create,
        name="name",
        max_length=NAME_CHARACTERS,
        placeholder=t("projects.name"),
        auto_complete="off",
    )


def _move_dialog() -> rx.Component:
    def choice(project: Shown) -> rx.Component:
        return _target(project.id, project.name)

    return modal(
        rx.el.h2(t("projects.move_title")),
        rx.el.p(t("projects.move_lead")),
        rx.el.ul(
            _target("", t("projects.no_project")),
            rx.foreach(ProjectsState.listed, choice),
            class_name="project-targets",
        ),
        modal_row(
            ProjectsState.ask_move("", ""),
            button(icon("folder-plus", 16), t("projects.new"), on_click=ProjectsState.ask_new(True)),
        ),
        open=ProjectsState.moving != "",
        label=t("projects.move_title"),
        on_close=ProjectsState.ask_move("", ""),
    )


def _target(project_id: Shown, name: Shown) -> rx.Component:
    """A project to which the chat can be moved. The chat's current project is marked."""
    here = ProjectsState.moving_from == project_id
    return rx.el.li(
        rx.el.button(
            rx.el.span(name, class_name="chat-name"),
            rx.cond(here, icon("check", 16)),
            type="button",
            class_name="nav-item",
            custom_attrs={"aria-current": rx.cond(here, "true", "false")},
            on_click=ProjectsState.move(project_id),
        ),
        key=project_id,
    )


def settings_form() -> rx.Component:
    return rx.el.form(
        forms.field(
            t("projects.name"),
            forms.line(
                id="project-name",
                name="name",
                default_value=ProjectState.name,
                max_length=NAME_CHARACTERS,
                required=True,
                auto_complete="off",
                key=ProjectState.project + ProjectState.name,
            ),
            of="project-name",
        ),
        forms.field(
            t("projects.instructions"),
            forms.area(
                id="project-instructions",
                name="instructions",
                default_value=ProjectState.instructions,
                max_length=INSTRUCTION_CHARACTERS,
                rows="5",
                key=ProjectState.project + ProjectState.instructions,
            ),
            of="project-instructions",
            note=t("projects.instructions_lead"),
        ),
        rx.el.div(
            button(t("common.save"), kind="primary", type="submit"),
            button(icon("trash-2", 16), t("projects.delete"), on_click=ProjectState.ask_delete(True)),
            class_name="field-row",
        ),
        on_submit=ProjectState.save,
        class_name="project-form",
    )


def scope_section() -> rx.Component:
    """The section with the part of the Drive to which new chats of the project are limited."""
    return rx.el.section(
        rx.el.h2(t("projects.scope")),
        rx.el.p(t("projects.scope_lead"), class_name="small-note"),
        scope_of(ProjectState, t("projects.scope"), t("projects.everywhere")),
    )


def chats_section() -> rx.Component:
    """The project's chats, and the button that starts a new one."""
    return rx.el.section(
        rx.el.div(
            rx.el.h2(t("projects.chats")),
            button(
                icon("square-pen", 16),
                t("projects.new_chat"),
                kind="primary",
                once=True,
                on_click=ProjectState.new_chat,
            ),
            class_name="project-head",
        ),
        chat_list(PROJECT + ProjectState.project, wide=True, none=t("projects.none")),
        class_name="dashboard-chats",
    )


def deletion() -> rx.Component:
    return confirmation(
        t("projects.delete"),
        rx.el.p(t("projects.delete_lead", name=ProjectState.name)),
        act=button(t("projects.delete"), kind="danger", once=True, on_click=ProjectState.delete),
        is_open=ProjectState.deleting,
        on_close=ProjectState.ask_delete(False),
    )
