"""The page *Files*: the member's Drive, as the index knows it."""

from functools import partial

import reflex as rx

from leaf.components.basics import bones, centred, each, match
from leaf.components.cards import connect_strip
from leaf.components.client import link
from leaf.components.library import browser, kept, results, search_form, totals
from leaf.components.shell import shell
from leaf.components.texts import t
from leaf.state.library import LibraryState
from leaf.state.settings import SettingsState


def files() -> rx.Component:
    return shell(
        rx.el.div(rx.el.span(t("library.title"), class_name="chat-title"), class_name="title-row"),
        match(
            LibraryState.phase,
            ("off", centred("search-x", t("library.off_title"), rx.el.p(t("library.off_text")))),
            (
                "missing",
                centred(
                    "folder-x",
                    t("library.missing_title"),
                    rx.el.p(t("library.missing_text")),
                    link(t("library.all_drives"), to="/files", class_name="button secondary"),
                ),
            ),
            rx.el.div(
                rx.el.h1(t("library.title"), class_name="greeting"),
                match(
                    LibraryState.phase,
                    ("unconnected", each(SettingsState.cards, partial(connect_strip, following="/files"))),
                    ("loading", bones("92%", "84%", "64%", class_name="skeleton")),
                    rx.fragment(
                        rx.el.p(t("library.lead"), class_name="lead"),
                        totals(),
                        each(SettingsState.cards, kept),
                        search_form(),
                        rx.cond(LibraryState.query != "", results(), browser()),
                    ),
                ),
                class_name="page-column scroll library",
            ),
        ),
    )
