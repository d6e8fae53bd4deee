"""The page *Files*, which shows a member's Drives and folders with filters, and a search with passages."""

import reflex as rx

from leaf.components import forms
from leaf.components.basics import Shown, button, icon, icon_button, list_or, outer_link
from leaf.components.client import link
from leaf.components.panel import kind_icon
from leaf.components.texts import date, t
from leaf.state.library import QUERY_CHARACTERS, LibraryState


def totals() -> rx.Component:
    """The numbers of files in Drive that are known, that are searchable, and that could not be read."""
    return rx.el.ul(rx.foreach(LibraryState.totals, rx.el.li), class_name="library-totals")


def kept(card: Shown) -> rx.Component:
    """A note: whether Leaf keeps the texts of these files. It links to the page that changes this."""
    there = "/settings/integrations"
    return rx.el.p(
        rx.cond(
            card.keeps,
            rx.fragment(t("library.kept"), " ", link(t("settings.stop_keeping"), to=there, class_name="plain-link")),
            rx.fragment(t("settings.not_kept"), " ", link(t("settings.keep"), to=there, class_name="plain-link")),
        ),
        class_name="small-note",
    )


def search_form() -> rx.Component:
    return rx.el.form(
        forms.line(
            name="query", type="search", max_length=QUERY_CHARACTERS, aria_label=t("library.search_label"),
            placeholder=t("library.search_placeholder"), default_value=LibraryState.query, key=LibraryState.query,
        ),
        button(icon("search", 16), t("library.search"), type="submit", kind="primary"),
        on_submit=LibraryState.search,
        class_name="field-row",
        role="search",
    )  # fmt: skip


def results() -> rx.Component:
    """The files that a search has found, with their passages."""
    return rx.el.section(
        rx.el.div(
            rx.el.h2(t("library.results", query=LibraryState.query)),
            button(t("library.stop_searching"), on_click=LibraryState.search({"query": ""})),
            class_name="library-head",
        ),
        rx.el.p(LibraryState.looked, class_name="small-note", role="status"),
        list_or(
            LibraryState.found,
            _found,
            rx.el.p(t("library.nothing_found"), class_name="lead"),
            class_name="library-list",
        ),
        aria_label=t("library.results", query=LibraryState.query),
    )


def browser() -> rx.Component:
    """The open folder, or the list of all Drives."""
    drives = rx.el.ul(rx.foreach(LibraryState.drives, _drive), class_name="library-list")
    return rx.el.section(
        _trail(), _filters(), rx.cond(LibraryState.shows_entries, _entries(), drives), aria_label=t("library.title")
    )


def _ask(kind: Shown, item: Shown, name: Shown) -> rx.Component:
    """The button that opens a chat about a folder or file."""
    return icon_button(
        t("library.ask_named", name=name),
        "message-square-plus",
        class_name="library-ask",
        once=True,
        on_click=LibraryState.ask(rx.cond(kind == "folder", "folder", "file"), item),
    )


def _trail() -> rx.Component:
    def step(place: Shown) -> rx.Component:
        return rx.el.li(link(place.name, to="/files/" + place.id.to(str)), key=place.id)

    nav = rx.el.nav(
        rx.el.ol(rx.el.li(link(t("library.all_drives"), to="/files")), rx.foreach(LibraryState.above, step)),
        aria_label=t("library.where"),
        class_name="trail",
    )
    ask = button(
        icon("message-square-plus", 16),
        t("library.ask_folder"),
        once=True,
        on_click=LibraryState.ask("folder", LibraryState.place),
    )
    return rx.el.div(nav, rx.cond(LibraryState.can_ask, ask), class_name="library-head")


def _filters() -> rx.Component:
    states = {
        "": t("library.any_state"),
        "known": t("library.of_known"),
        "reading": t("library.of_reading"),
        "failed": t("library.of_failed"),
        "read": t("library.of_read"),
        "searchable": t("library.of_searchable"),
        "skipped": t("library.of_skipped"),
    }
    return rx.el.form(
        forms.line(
            name="name", aria_label=t("library.name_label"), placeholder=t("library.name_placeholder"),
            max_length=QUERY_CHARACTERS, default_value=LibraryState.name, key="name" + LibraryState.place,
        ),
        forms.select(
            states, name="state", aria_label=t("library.state_label"), default_value=LibraryState.state,
            key="state" + LibraryState.place,
        ),
        button(t("library.filter"), type="submit"),
        on_submit=LibraryState.filter,
        class_name="field-row library-filters",
    )  # fmt: skip


def _entries() -> rx.Component:
    filtered = (LibraryState.name != "") | (LibraryState.state != "")
    none = rx.el.p(rx.cond(filtered, t("library.no_match"), t("library.no_entries")), class_name="lead")
    return rx.fragment(
        list_or(LibraryState.entries, _entry, none, class_name="library-list"),
        rx.el.div(
            rx.el.p(LibraryState.count, class_name="small-note", role="status"),
            rx.cond(
                LibraryState.pages > 1,
                rx.el.div(
                    icon_button(
                        t("library.previous"), "chevron-left", disabled=LibraryState.page == 0,
                        on_click=LibraryState.turn(-1),
                    ),
                    icon_button(
                        t("library.next"), "chevron-right", disabled=LibraryState.page + 1 >= LibraryState.pages,
                        on_click=LibraryState.turn(1),
                    ),
                ),
            ),
            class_name="library-head",
        ),
    )  # fmt: skip


def _drive(place: Shown) -> rx.Component:
    return rx.el.li(
        icon("hard-drive", 18),
        rx.el.div(link(place.name, to="/files/" + place.id.to(str), class_name="library-name")),
        rx.cond(place.can_ask, _ask("folder", place.id, place.name)),
        key=place.id,
    )


def _entry(entry: Shown) -> rx.Component:
    about = rx.el.p(
        rx.cond(entry.state != "", rx.el.span(entry.state, class_name="state " + entry.tone.to(str))),
        rx.el.span(entry.about),
        rx.cond(entry.path != "", rx.el.span(entry.path)),
        rx.cond(entry.modified != "", rx.el.span(date(entry.modified, dateStyle="medium"))),
        class_name="library-about",
    )
    return rx.el.li(
        kind_icon(kind=entry.kind.to(str)),
        rx.el.div(
            rx.cond(
                entry.kind == "folder",
                link(entry.name, to="/files/" + entry.id.to(str), class_name="library-name"),
                _file_link(entry),
            ),
            about,
        ),
        rx.cond(entry.kind != "shortcut", _ask(entry.kind, entry.id, entry.name)),
        key=entry.id,
    )


def _found(file: Shown) -> rx.Component:
    return rx.el.li(
        kind_icon(kind=file.kind.to(str)),
        rx.el.div(
            _file_link(file),
            rx.cond(file.path != "", rx.el.p(rx.el.span(file.path), class_name="library-about")),
            rx.foreach(file.passages, _passage),
            rx.cond(file.copies != "", rx.el.p(rx.el.span(file.copies), class_name="library-about")),
        ),
        _ask(file.kind, file.id, file.name),
        key=file.id,
    )


def _passage(passage: Shown) -> rx.Component:
    return rx.el.blockquote(
        rx.cond(passage.place != "", rx.el.span(passage.place, class_name="library-place")), passage.text
    )


def _file_link(file: Shown) -> rx.Component:
    return outer_link(file.name, icon("external-link", 13), url=file.url, class_name="library-name")
