"""The panel of sources, which shows the files that were read, their links, and the passages that were used."""

import reflex as rx

from leaf.components import links
from leaf.components.basics import Shown, button, each, icon, match, outer_link, panel_head, unfolds
from leaf.components.client import anchor, panel
from leaf.components.forms import area
from leaf.components.texts import t
from leaf.components.trust import check, receipt
from leaf.state.chat import ChatState
from leaf.state.details import DetailsState

_KINDS = {
    "file-text": ("document", "word", "text", "mail", "chat"),
    "sheet": ("spreadsheet", "excel", "csv"),
    "presentation": ("presentation", "powerpoint"),
    "file-type": ("pdf",),
    "file-code": ("markdown", "code", "html"),
    "braces": ("json",),
    "folder": ("folder",),
    "image": ("image",),
    "globe": ("web",),
}
"""The kinds of files for each icon."""


def sources_panel() -> rx.Component:
    """The panel of sources. It is at the side on wide screens, and a sheet on phones."""
    found: Shown = DetailsState.found
    others: Shown = DetailsState.others
    unused: Shown = DetailsState.unused
    return rx.cond(
        DetailsState.panel,
        panel(
            panel_head(t("messages.sources"), "panel-title", rx.el.p(DetailsState.heading), DetailsState.close_panel),
            receipt(DetailsState.warning_lines),
            rx.cond(
                found.length() > 0,
                rx.el.ol(rx.foreach(found, _source), class_name="source-list"),
                rx.cond(others.length() == 0, rx.el.p(t("messages.no_sources"), class_name="panel-empty")),
            ),
            rx.cond(unused.length() > 0, _unused(unused)),
            rx.cond(
                others.length() > 0,
                rx.fragment(
                    rx.el.h3(t("research.also_quoted"), class_name="panel-part"),
                    rx.el.ol(rx.foreach(others, _other), class_name="source-list"),
                ),
            ),
            rx.cond(
                DetailsState.has_cells,
                anchor(
                    icon("download", 15),
                    t("research.export_cells"),
                    href=links.backend("/api/chats/") + ChatState.chat_id + "/cells.zip",
                    class_name="cells-export",
                    custom_attrs={"download": ""},
                ),
            ),
            rx.cond(
                DetailsState.summary != "",
                rx.fragment(
                    rx.el.h3(t("research.looked"), class_name="panel-part"),
                    rx.el.p(DetailsState.summary, class_name="panel-empty"),
                    receipt(DetailsState.other_lines),
                ),
            ),
            class_name="panel",
            labelledby="panel-title",
            passage=DetailsState.passage,
        ),
    )


def _unused(read: Shown) -> rx.Component:
    """The files that no answer uses, folded under one line, because a chat with many searches has read many files."""
    return rx.el.details(
        unfolds("files", t("research.unused", count=read.length())),
        rx.el.ol(rx.foreach(read, _source), class_name="source-list"),
        class_name="source-rest",
    )


def _source(source: Shown) -> rx.Component:
    return rx.el.li(
        _head(source),
        rx.cond(source.note != "", rx.el.p(source.note, class_name="cited-status cited-warn")),
        rx.foreach(source.quotes, _quote),
        rx.foreach(source.excerpts, _excerpt),
        class_name="source",
        key=source.id,
    )


def _other(source: Shown) -> rx.Component:
    return rx.el.li(_head(source), rx.foreach(source.quotes, _quote), class_name="source other", key=source.id)


def _head(source: Shown) -> rx.Component:
    name = rx.fragment(source.name)
    return rx.el.div(
        rx.el.span(kind_icon(kind=source.kind), class_name="source-kind"),
        rx.cond(
            source.url.startswith("http"),
            outer_link(name, icon("external-link", 13), url=source.url, class_name="source-name"),
            rx.el.span(name, class_name="source-name"),
        ),
        class_name="source-head",
    )


def _quote(quote: Shown) -> rx.Component:
    """A quote of the answer with the words around it, or a computed figure. Its head has its number in the text."""
    computed: Shown = DetailsState.computed
    return rx.el.div(
        rx.el.div(
            rx.el.span(quote.n, class_name="source-number"),
            rx.cond(quote.place != "", rx.el.span(quote.place, class_name="excerpt-part")),
            rx.cond(quote.url != "", _opener(quote)),
            class_name="passage-head",
        ),
        rx.cond(quote.quote != "", _passage(quote)),
        rx.cond(quote.picture != "", _picture(quote)),
        rx.cond(computed.contains(quote.call), _computation(computed[quote.call], quote.call)),
        check(quote),
        id="passage-" + quote.n.to(str),
        tab_index=-1,
        role="group",
        aria_label=t("messages.source", number=quote.n.to(str)),
        class_name="quoted",
        custom_attrs={"data-verified": quote.verified},
        key=quote.n,
    )


def _passage(quote: Shown) -> rx.Component:
    words = rx.cond(quote.verified, rx.el.mark(quote.quote), rx.el.span(quote.quote))
    return rx.el.blockquote(
        quote.before,
        words,
        quote.after,
        class_name="passage",
    )


def _computation(made: Shown, call: Shown) -> rx.Component:
    """A computation that was repeated just now, with its query, the cells in their sheets, and the edited version."""
    edit = button(
        icon("pencil", 14), t("research.edit_query"), kind="secondary small", on_click=DetailsState.begin_edit(call)
    )
    name = rx.el.span(t("research.cell", name=made.name), class_name="cell-note")
    named = rx.el.div(name, edit, class_name="cell-row")
    query = rx.cond(made.query != "", rx.fragment(_query(made.query), rx.cond(made.name != "", named)))
    return rx.el.div(
        _status(made.status, made.moved),
        rx.cond(made.rests_on != "", rx.el.p(made.rests_on, class_name="cell-note")),
        rx.foreach(made.sheets, _sheet),
        rx.cond(DetailsState.editing == call, _editor(made, call), query),
        rx.cond(made.edited.title != "", _edited(made.edited, call)),
        class_name="computation",
    )


def _query(query: Shown) -> rx.Component:
    return rx.el.details(
        rx.el.summary(t("research.query")),
        rx.el.pre(query, tab_index=0, aria_label=t("research.query")),
    )


def _status(status: Shown, moved: Shown) -> rx.Component:
    return rx.el.p(
        rx.cond(moved, icon("triangle-alert", 15), icon("badge-check", 15)),
        rx.el.span(status),
        class_name=rx.cond(moved, "cited-status cited-warn", "cited-status"),
    )


def _editor(made: Shown, call: Shown) -> rx.Component:
    """The form that edits the query of a computation and runs it again."""
    query = rx.cond(made.edited.by_hand, made.edited.query, made.query)
    return rx.el.form(
        rx.el.label(t("research.query"), html_for="cell-query"),
        area(
            id="cell-query", name="query", default_value=query, rows=8, max_length=4000, spell_check=False,
            auto_focus=True, custom_attrs={"dir": "ltr"},
        ),
        rx.cond(
            DetailsState.edit_problem != "", rx.el.p(DetailsState.edit_problem, class_name="cited-warn", role="alert")
        ),
        rx.el.div(
            button(t("research.run"), kind="primary small", type="submit"),
            button(t("common.cancel"), kind="secondary small", on_click=DetailsState.leave_edit),
            class_name="cell-row",
        ),
        on_submit=DetailsState.run_edited,
        class_name="cell-editor",
        key=call,
    )  # fmt: skip


def _edited(made: Shown, call: Shown) -> rx.Component:
    """A computation that was edited by hand, or that depends on an edited one."""
    return rx.el.section(
        rx.el.h4(icon("pencil", 14), made.title),
        rx.cond(made.formula != "", rx.el.p(made.formula)),
        rx.cond(made.result != "", rx.el.p(rx.el.strong(made.result))),
        _status(made.status, made.moved),
        rx.foreach(made.sheets, _sheet),
        rx.cond(
            made.by_hand,
            rx.fragment(
                _query(made.query),
                button(
                    t("research.undo_edit"), kind="secondary small", once=True, on_click=DetailsState.undo_edit(call)
                ),
            ),
        ),
        aria_label=made.title,
        class_name="cell-edited",
    )


def _sheet(sheet: Shown) -> rx.Component:
    return rx.el.figure(
        rx.el.figcaption(sheet.title),
        rx.el.div(
            rx.el.table(
                rx.el.thead(rx.el.tr(rx.el.th(), each(sheet.head, lambda label: rx.el.th(label, scope="col")))),
                rx.el.tbody(rx.foreach(sheet.rows, _sheet_row)),
            ),
            class_name="sheet-cells",
            tab_index=0,
            role="region",
            aria_label=t("research.cells"),
        ),
        rx.cond(sheet.notes.length() > 0, rx.el.ul(rx.foreach(sheet.notes, rx.el.li), class_name="sheet-notes")),
        class_name="sheet",
    )


def _sheet_row(row: Shown) -> rx.Component:
    return rx.el.tr(
        rx.el.th(row.number, scope="row"),
        rx.foreach(row.cells, _cell),
    )


def _cell(cell: Shown) -> rx.Component:
    return rx.el.td(rx.cond(cell.used, rx.el.mark(cell.text), rx.el.span(cell.text)))


def _picture(quote: Shown) -> rx.Component:
    address = links.backend("") + quote.picture.to(str)
    shown = rx.el.img(src=address, alt=t("research.page_picture"), loading="lazy")
    return outer_link(shown, url=address, aria_label=t("research.page_picture"), class_name="passage-picture")


def _opener(quote: Shown) -> rx.Component:
    """A link to the quoted words, or to their file if no address leads to the words."""
    shown = rx.fragment(icon("external-link", 13), t("research.open"))
    outside = outer_link(shown, url=quote.url, class_name="passage-link")
    inside = anchor(shown, href=links.backend("") + quote.url.to(str), class_name="passage-link")
    return rx.cond(quote.own, inside, outside)


def _excerpt(excerpt: Shown) -> rx.Component:
    return rx.el.div(
        rx.el.div(excerpt.part, class_name="excerpt-part"),
        rx.el.blockquote(excerpt.used),
        rx.cond(
            excerpt.whole != "",
            rx.el.details(
                rx.el.summary(t("messages.all_read_size", size=excerpt.size)),
                rx.el.pre(excerpt.whole, tab_index=0, aria_label=t("messages.all_read")),
            ),
        ),
        class_name="excerpt",
    )


@rx.memo
def kind_icon(kind: rx.Var[str]) -> rx.Component:
    return match(kind, *((*kinds, icon(shape, 16)) for shape, kinds in _KINDS.items()), icon("file", 16))
