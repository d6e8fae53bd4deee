"""Lists of chats in the sidebar and on pages. `assets/client/chats.js` holds their rows."""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex_base.event import passthrough_event_spec
from reflex_base.utils.imports import ImportVar
from reflex_base.vars import VarData
from reflex_base.vars.function import FunctionVar

from leaf.components.basics import Shown, bones, icon, icon_button, menu_item
from leaf.components.client import link
from leaf.components.controls import menu
from leaf.components.exchange import archive_item, export_items, print_item
from leaf.components.hooks import handler, hook
from leaf.components.texts import date, t
from leaf.state.live import LiveState
from leaf.state.projects import ProjectsState
from leaf.state.sidebar import SINK, SidebarState

_CHATS = "$/public/client/chats.js"


@dataclass(frozen=True)
class Chat:
    """A chat as the browser holds it."""

    id: str
    title: str
    running: bool
    waiting: bool
    unread: bool
    pinned: bool
    archived: bool
    changedSources: int  # noqa: N815 - the name in the browser
    """The number of sources of its answers that have changed."""
    sources: int
    """The number of all sources of its answers."""
    hiddenSources: int  # noqa: N815
    """The number of sources that the reader can no longer see."""
    uncheckedSources: int  # noqa: N815
    """The number of sources whose new version cannot be read."""
    since: int
    """The time at which the first answer with a changed source was written, in milliseconds since 1970."""
    seen: int
    """If Drive cannot be asked now, the time at which the last change was seen, in milliseconds since 1970; else 0."""
    project: str
    """The id of its project; empty if there is none."""


@dataclass(frozen=True)
class Line:
    """A visible row."""

    row: Chat
    when: str
    """The time at which the chat was last active; shown on pages only."""
    open: bool
    """Whether the page shows this chat."""
    selected: bool
    place: int
    """The number of the row in the list, from 1."""


@dataclass(frozen=True)
class Section:
    """The visible rows under the heading of one day."""

    key: str
    heading: str
    rows: list[Line]


@dataclass(frozen=True)
class Listing:
    """A list as `useChatList` returns it."""

    place: str
    loaded: bool
    empty: bool
    frame: Any
    height: int
    top: str
    sections: list[Section]
    count: int
    """The number of rows of the whole list; -1 until all older rows are loaded."""
    selecting: bool
    selected: list[str]


class ChatRows(rx.Component):
    """Receives the rows that the server sends, and requests more. It displays nothing."""

    library = _CHATS
    tag = "ChatRows"

    writing: rx.Var[bool]
    on_gap: rx.EventHandler[rx.event.no_args_event_spec]
    on_page: rx.EventHandler[passthrough_event_spec(str, str)]
    on_seen: rx.EventHandler[rx.event.passthrough_event_spec(str)]


@rx.memo
def title_field(row: rx.Var[Chat], on_keep: rx.Var[Any], on_done: rx.Var[Any]) -> rx.Component:
    """The field in which a chat is renamed."""
    field = hook("field", "useTitleField", "chats", row, on_keep, on_done)
    return rx.el.input(
        class_name="field chat-rename",
        aria_label=t("sidebar.title"),
        max_length=120,
        auto_focus=True,
        special_props=[field],
    )


def chat_rows() -> rx.Component:
    """The component that receives the rows. Each page has it once."""
    return ChatRows.create(
        id=SINK, writing=LiveState.running, on_gap=SidebarState.look, on_page=SidebarState.load,
        on_seen=SidebarState.seen,
    )  # fmt: skip


def chat_list(shelf: Shown, *, wide: bool = False, none: Any = "") -> rx.Component:
    """A list of chats.

    Args:
        shelf: `chats`, `archived`, or `PROJECT` followed by the id of a project.
        wide: Whether the list is on a page instead of in the sidebar.
        none: The text that replaces an empty list.
    """
    return _list(shelf=shelf, wide=wide, none=none)


def _script(expression: str, *names: str) -> rx.Var[Any]:
    """A JavaScript expression that uses names from `chats.js`."""
    return rx.Var(expression, _var_data=VarData(imports={_CHATS: [ImportVar(tag=name) for name in names]}))


_STOP: Any = _script("stopSelecting", "stopSelecting").to(FunctionVar)


@rx.memo
def _list(shelf: rx.Var[str], wide: rx.Var[bool], none: rx.Var[str]) -> rx.Component:
    listing: Shown = hook("listing", "useChatList", "chats", shelf, wide).to(Listing)

    def draw(section: Shown) -> rx.Component:
        return _section(section, listing, wide)

    return rx.cond(
        listing.loaded,
        rx.cond(
            listing.empty & (none != ""),
            rx.el.p(none, class_name="list-none"),
            rx.fragment(
                rx.el.div(
                    rx.el.div(rx.foreach(listing.sections, draw), custom_attrs={"style": {"transform": listing.top}}),
                    class_name="chat-rows",
                    # Reflex's own `style` would create a CSS class for each value.
                    custom_attrs={"ref": listing.frame, "style": {"height": listing.height}},
                ),
                rx.cond(listing.selecting, _selection(shelf, listing.selected)),
            ),
        ),
        bones("72%", "54%", "80%", "62%", "46%", class_name="skeleton list-skeleton"),
    )


def _section(section: Shown, listing: Shown, wide: Shown) -> rx.Component:
    def draw(line: Shown) -> rx.Component:
        return rx.el.li(
            chat_row(
                row=line.row,
                when=line.when,
                open=line.open,
                selected=line.selected,
                selecting=listing.selecting,
                within=listing.place,
                wide=wide,
            ),
            class_name="chat-row",
            custom_attrs={"aria-posinset": line.place, "aria-setsize": listing.count},
            key=line.row.id,
        )

    return rx.el.section(
        rx.cond(
            section.heading != "", rx.cond(wide, rx.el.h3(section.heading), rx.el.h2(section.heading)), rx.fragment()
        ),
        rx.el.ul(rx.foreach(section.rows, draw)),
        class_name="chat-group",
        key=section.key,
    )


def _selection(shelf: Shown, selected: Shown) -> rx.Component:
    """The toolbar for the selected rows."""

    def tool(label: Shown, icon_name: str, event: Any) -> rx.Component:
        return icon_button(
            label, icon_name, size=16, class_name="small", on_click=[event, _STOP], disabled=selected.length() == 0
        )

    return rx.el.div(
        rx.el.span(t("sidebar.selected", count=selected.length()), class_name="bulk-count", role="status"),
        rx.cond(
            shelf == "chats",
            rx.fragment(
                tool(t("sidebar.pin_selected"), "pin", SidebarState.do("pin", selected)),
                tool(t("sidebar.archive_selected"), "archive", SidebarState.do("archive", selected)),
            ),
            tool(t("sidebar.restore_selected"), "archive-restore", SidebarState.do("unarchive", selected)),
        ),
        tool(t("sidebar.delete_selected"), "trash-2", SidebarState.delete(selected)),
        icon_button(
            t("sidebar.stop_selecting"),
            "x",
            size=16,
            class_name="small",
            on_click=_STOP,
            custom_attrs={"data-on-escape": "true"},
        ),
        class_name="bulk-bar",
        role="toolbar",
        aria_label=t("sidebar.selected_chats"),
    )


@rx.memo
def chat_row(
    row: rx.Var[Chat],
    when: rx.Var[str],
    open: rx.Var[bool],  # noqa: A002 - the name of the attribute
    selected: rx.Var[bool],
    selecting: rx.Var[bool],
    within: rx.Var[str],
    wide: rx.Var[bool],
) -> rx.Component:
    """A chat in a list. It shows a link and a menu, or the field that renames it, or the checkbox that selects it."""
    chat: Shown = row
    state = VarData(
        imports={"react": [ImportVar(tag="useState")]}, hooks={"const [renaming, setRenaming] = useState(false);": None}
    )
    name: Shown = rx.cond(chat.title != "", chat.title, t("sidebar.new_chat"))
    title = rx.fragment(rx.el.span(name, class_name="chat-name"), _marks(chat, open))
    classes = rx.cond(wide, "chat-link chat-card", "nav-item chat-link")
    selects = f"{within!s}, {chat.id!s}"
    return rx.cond(
        rx.Var("renaming", _var_data=state).to(bool),
        title_field(
            row=row, on_keep=handler(SidebarState.rename, str, str), on_done=rx.Var("(() => setRenaming(false))")
        ),
        rx.cond(
            selecting,
            rx.el.label(
                rx.el.input(
                    type="checkbox",
                    checked=selected,
                    custom_attrs={"onChange": _script(f"(event) => select({selects}, event.nativeEvent)", "select")},
                ),
                title,
                class_name=classes.to(str) + " choosing",
            ),
            rx.fragment(
                link(
                    rx.cond(wide, icon("message-square", 17)),
                    title,
                    rx.cond(wide, rx.el.span(when, class_name="chat-when")),
                    to="/chat/" + chat.id,
                    class_name=classes,
                    custom_attrs={
                        "title": name,
                        "aria-current": rx.cond(open, "page", "false"),
                        "onClick": _script(f"selectByLink({selects})", "selectByLink"),
                    },
                ),
                menu(
                    *_row_items(chat, open, selects),
                    label=t("sidebar.options", title=name),
                    face=icon("ellipsis", 16),
                    class_name="icon-button small chat-menu",
                ),
            ),
        ),
    )


def _marks(chat: Shown, open_: Shown) -> rx.Component:
    def dot(class_name: str, title: Shown, label: Shown) -> rx.Component:
        return rx.el.span(class_name=class_name, title=title, role="img", aria_label=label)

    news = rx.cond(
        chat.waiting,
        dot("waiting-dot", t("sidebar.asks_you"), t("sidebar.asks")),
        rx.cond(
            chat.running,
            dot("running-dot", t("sidebar.is_answering"), t("sidebar.answering")),
            rx.cond(chat.unread & ~open_, dot("unread-dot", t("sidebar.has_news"), t("sidebar.news"))),
        ),
    )
    return rx.fragment(_moved(chat), news)


def _moved(chat: Shown) -> rx.Component:
    """The icon that says which sources have changed, in the words of the chat's header."""
    day = date(chat.since, day="numeric", month="long")
    moment = date(chat.seen, day="numeric", month="short", hour="2-digit", minute="2-digit")
    words: Shown = rx.Var.create("")
    for count, text in (
        (chat.changedSources, t("living.changed", changed=chat.changedSources, count=chat.sources, date=day)),
        (chat.hiddenSources, t("living.hidden", count=chat.hiddenSources)),
        (chat.uncheckedSources, t("living.unchecked", count=chat.uncheckedSources)),
        (chat.seen, t("living.seen", moment=moment)),
    ):
        words = rx.cond(count > 0, rx.cond(words != "", words + " · " + text, text), words)
    return rx.cond(
        words != "",
        rx.el.span(icon("history", 14), class_name="moved-mark", title=words, role="img", aria_label=words),
    )


def _row_items(chat: Shown, open_: Shown, selects: str) -> list[rx.Component]:
    ids = [chat.id]
    return [
        rx.cond(
            ~chat.archived,
            rx.cond(
                chat.pinned,
                menu_item("pin-off", t("sidebar.unpin"), SidebarState.do("unpin", ids)),
                menu_item("pin", t("sidebar.pin"), SidebarState.do("pin", ids)),
            ),
        ),
        menu_item("pencil", t("sidebar.rename"), rx.Var("(() => setTimeout(() => setRenaming(true)))").to(FunctionVar)),
        menu_item("folder-input", t("projects.move"), ProjectsState.ask_move(chat.id, chat.project)),
        archive_item(chat.archived, chat.id),
        *export_items(chat.id),
        rx.cond(open_, print_item()),
        menu_item("circle-check", t("sidebar.select"), _script(f"(() => select({selects}))", "select").to(FunctionVar)),
        menu_item("trash-2", t("sidebar.delete"), SidebarState.delete(ids), danger=True),
    ]
