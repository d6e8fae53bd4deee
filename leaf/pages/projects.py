"""The page of a project."""

import reflex as rx

from leaf.components.basics import bones, centred
from leaf.components.client import link
from leaf.components.projects import chats_section, deletion, scope_section, settings_form
from leaf.components.shell import shell
from leaf.components.texts import t
from leaf.state.projects import ProjectState


def project() -> rx.Component:
    missing = centred(
        "folder-x",
        t("projects.missing_title"),
        rx.el.p(t("projects.missing_text")),
        link(t("chat.all_chats"), to="/dashboard", class_name="button secondary"),
    )
    there = rx.el.div(
        rx.el.h1(ProjectState.name, class_name="greeting"),
        chats_section(),
        settings_form(),
        scope_section(),
        deletion(),
        class_name="page-column scroll project",
    )
    loading = rx.el.div(bones("92%", "84%", "64%", class_name="skeleton"), class_name="page-column")
    return shell(
        rx.el.div(rx.el.span(t("projects.title"), class_name="chat-title"), class_name="title-row"),
        rx.cond(ProjectState.loaded, rx.cond(ProjectState.project != "", there, missing), loading),
    )
