"""The command palette: commands, chats and messages, found by typing and selected with the arrow keys.

The server's results come from `leaf/state/search.py`.
"""

from dataclasses import dataclass
from typing import Any

import reflex as rx
from reflex.style import set_color_mode
from reflex_base.utils.imports import ImportVar
from reflex_base.vars import VarData
from reflex_base.vars.function import FunctionVar

from leaf.components import links
from leaf.components.basics import Shown, each, icon
from leaf.components.chatlists import Chat
from leaf.components.exchange import PRINT_PAGE
from leaf.components.hooks import hook
from leaf.components.shortcuts import LAST_ANSWER, shortcut_sheet
from leaf.components.texts import t
from leaf.state.projects import ProjectsState
from leaf.state.search import Chat as Found
from leaf.state.search import SearchState
from leaf.state.sidebar import SidebarState

_LIBRARY = "$/public/client/palette.js"
_CHAT = icon("message-square", 16)


@dataclass(frozen=True)
class View:
    """The palette as `usePalette` returns it."""

    open: bool
    typed: str
    away: bool
    """Whether the server cannot be reached."""
    chat: Chat
    recent: list[Found]
    known: list[Found]
    """Matching chats that this tab knows; used until the server has answered."""
    found: bool
    """Whether the server has answered."""
    status: str


class Part(rx.Component):
    """A component of the library cmdk."""

    library = _LIBRARY
    tag = "Part"
    lib_dependencies: list[str] = ["cmdk@1.1.1"]  # noqa: RUF012 - Reflex declares it as a list

    of: rx.Var[str]
    value: rx.Var[str]
    label: rx.Var[str]
    heading: rx.Var[str]
    placeholder: rx.Var[str]
    max_length: rx.Var[int]
    auto_focus: rx.Var[bool]
    should_filter: rx.Var[bool]
    vim_bindings: rx.Var[bool]
    loop: rx.Var[bool]
    disabled: rx.Var[bool]
    on_select: rx.EventHandler[rx.event.no_args_event_spec]
    on_value_change: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class Count(rx.Component):
    """The number of options for screen readers, or the text that there are none."""

    library = _LIBRARY
    tag = "Count"

    typed: rx.Var[str]
    none: rx.Var[str]


def palette() -> rx.Component:
    """The palette and the list of shortcuts. Both are hidden until they are opened."""
    return rx.fragment(_palette(), shortcut_sheet())


@rx.memo
def _palette() -> rx.Component:
    view: Shown = hook("palette", "usePalette", "palette", SearchState.query).to(View)
    return rx.el.dialog(
        rx.cond(view.open, _content(view)),
        class_name="palette",
        aria_label=t("palette.search"),
        custom_attrs={
            "ref": _member("dialog"),
            "onClose": _member("onClose"),
            "data-dialog": "palette",
            "data-closes": "true",
        },
    )


def _member(name: str) -> Shown:
    """A function or a ref in the result of `usePalette`."""
    return rx.Var("palette").to(dict[str, Any])[name]


def _call(name: str, *arguments: Shown) -> Shown:
    """The result of a function of `usePalette`."""
    return _member(name).to(FunctionVar).call(*arguments)


def _content(view: Shown) -> rx.Component:
    return Part.create(
        rx.el.div(
            icon("search"),
            Part.create(
                of="CommandInput",
                value=view.typed,
                placeholder=t("palette.placeholder"),
                auto_focus=True,
                max_length=200,
                on_value_change=[_member("setTyped").to(FunctionVar), SearchState.search.debounce(120)],
            ),
            class_name="palette-field",
        ),
        Part.create(
            _group(t("palette.recent"), rx.foreach(view.recent, _chat)),
            _group(t("palette.actions"), *_commands(view.chat, view.away)),
            _group(
                t("sidebar.chats"),
                rx.cond(
                    view.found,
                    each(SearchState.chats, lambda chat: rx.cond(chat.titled, _chat(chat))),
                    rx.foreach(view.known, _chat),
                ),
            ),
            rx.cond(view.found, rx.foreach(SearchState.chats, _hits)),
            of="CommandList",
            label=t("palette.list"),
            class_name="palette-list",
        ),
        Count.create(typed=view.typed, none=view.status),
        of="CommandRoot",
        label=t("palette.search"),
        should_filter=False,
        vim_bindings=False,
        loop=True,
        class_name="palette-content",
        custom_attrs={"onKeyDown": _member("onKeyDown")},
    )


def _group(heading: Shown, *options: rx.Component) -> rx.Component:
    return Part.create(*options, of="CommandGroup", heading=heading, class_name="palette-group")


def _hits(chat: Shown) -> rx.Component:
    """The matching messages of a chat."""

    def draw(hit: Shown) -> rx.Component:
        path = "/chat/" + chat.id.to(str) + "#message-" + hit.id.to(str)
        note = rx.cond(hit.mine, t("palette.you"), "Leaf")
        return _option(hit.id, rx.cond(hit.mine, _CHAT, icon("text-quote", 16)), hit.pieces, note, path)

    return _group(chat.name, rx.foreach(chat.hits, draw))


def _chat(chat: Shown) -> rx.Component:
    return _option(chat.id, _CHAT, chat.title, _call("noteOf", chat), "/chat/" + chat.id.to(str))


def _option(key: Shown, face: rx.Component, pieces: Shown, note: Shown, path: Shown) -> rx.Component:
    """A chat or message that can be opened. The typed text is marked in it."""

    def piece(one: Shown) -> rx.Component:
        return rx.cond(one[1], rx.el.mark(one[0]), rx.fragment(one[0]))

    return Part.create(
        face,
        rx.el.span(rx.foreach(pieces, piece), class_name="palette-body"),
        rx.el.span(note, class_name="palette-note"),
        of="CommandItem",
        value=key,
        key=key,
        class_name="palette-option",
        custom_attrs={"onSelect": _call("go", path)},
    )


def _command(name: Shown, icon_name: str, run: Any, *, away: Shown = False) -> rx.Component:
    """An option with an action.

    It is shown if its name matches the typed text. It is disabled while the server that it needs is `away`.
    """
    return rx.cond(
        _call("matches", name).to(bool),
        Part.create(
            icon(icon_name, 16),
            rx.el.span(name, class_name="palette-body"),
            of="CommandItem",
            value=name,
            class_name="palette-option",
            disabled=away,
            on_select=[_member("close").to(FunctionVar), run],
        ),
    )


def _press(selector: str) -> Any:
    data = VarData(imports={"$/public/client/shell.js": [ImportVar(tag="press")]})
    return rx.Var(f"(() => press({rx.Var.create(selector)!s}))", _var_data=data).to(FunctionVar)


def _go(path: str) -> Any:
    return _call("go", path).to(FunctionVar)


def _save(chat: Shown, ending: str) -> Any:
    """The action that downloads a chat. The server names the file."""
    address: Shown = links.backend("/api/chats/") + chat.id.to(str) + f"/export.{ending}"
    return _call("save", address).to(FunctionVar)


def _commands(chat: Shown, away: Shown) -> list[rx.Component]:
    """All commands. Some are about the open chat, and some need the server."""
    ids = [chat.id]
    return [
        _command(t("sidebar.new_chat"), "square-pen", _press("[data-new-chat]"), away=away),
        rx.cond(
            chat.id != "",
            rx.fragment(
                rx.cond(
                    chat.archived,
                    _command(t("palette.restore"), "archive-restore", SidebarState.do("unarchive", ids), away=away),
                    rx.fragment(
                        rx.cond(
                            chat.pinned,
                            _command(t("palette.unpin"), "pin-off", SidebarState.do("unpin", ids), away=away),
                            _command(t("palette.pin"), "pin", SidebarState.do("pin", ids), away=away),
                        ),
                        _command(t("palette.archive"), "archive", SidebarState.do("archive", ids), away=away),
                    ),
                ),
                _command(t("palette.delete"), "trash-2", SidebarState.delete(ids), away=away),
                _command(t("palette.copy_last"), "copy", _press(LAST_ANSWER)),
                _command(t("imports.markdown"), "file-text", _save(chat, "md"), away=away),
                _command(t("imports.json"), "braces", _save(chat, "json"), away=away),
                _command(t("imports.print"), "printer", PRINT_PAGE),
            ),
        ),
        _command(t("projects.new"), "folder-plus", ProjectsState.ask_new(True), away=away),
        _command(t("imports.title"), "file-input", _go("/settings/import"), away=away),
        _command(t("sidebar.archived"), "archive", _go("/archived"), away=away),
        _command(t("settings.title"), "settings", _go("/settings"), away=away),
        _command(t("settings.integrations"), "plug", _go("/settings/integrations"), away=away),
        _command(t("sidebar.usage"), "chart-column", _go("/usage"), away=away),
        _command(t("palette.light"), "sun", set_color_mode("light")),
        _command(t("palette.dark"), "moon", set_color_mode("dark")),
        _command(t("palette.system"), "monitor", set_color_mode("system")),
        _command(t("palette.toggle_sidebar"), "panel-left", _press("[data-toggle-sidebar]")),
        _command(t("palette.shortcuts"), "keyboard", _press("[data-help]")),
    ]
