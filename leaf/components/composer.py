"""The composer: the box in which messages are written, with its buttons."""

from typing import Any

import reflex as rx

from leaf import audiences
from leaf.audiences import Audience
from leaf.components import links
from leaf.components.basics import Shown, button, each, icon, icon_button, match, match_text
from leaf.components.client import anchor, plain_form
from leaf.components.hooks import calls, handler, hook
from leaf.components.panel import kind_icon
from leaf.components.pickers import pickers
from leaf.components.texts import date, number, t
from leaf.documents.kinds import BY_SUFFIX
from leaf.services.files import MAX_UPLOAD_BYTES
from leaf.state.chat import MESSAGE_CHARACTERS, ChatState
from leaf.state.file_mentions import FileMentionsState
from leaf.state.session import SessionState
from leaf.state.sidebar import SidebarState

ACCEPTED = ",".join((*BY_SUFFIX, "text/*"))
"""The file types that a browser offers for upload. The server checks the content."""
UPLOAD_LIMIT = f"{MAX_UPLOAD_BYTES // 1_000_000} MB"

_PAUSE_MS = 180
"""The pause between a keystroke and the search for a file by name, in milliseconds."""
_OBJECTS = list[dict[str, Any]]
_COMMANDS = (
    ("commands.new", "sidebar.new_chat", "square-pen", "[data-new-chat]"),
    ("commands.stop", "palette.stop", "square", ".send-button.stop"),
    ("commands.quick", "commands.quick_name", "zap", '[data-chooses="quick"]'),
    ("commands.adaptive", "commands.adaptive_name", "telescope", '[data-chooses="adaptive"]'),
    ("commands.speed", "commands.speed_name", "gauge", '[data-chooses="speed"]'),
    ("commands.quality", "commands.quality_name", "gem", '[data-chooses="quality"]'),
    ("commands.files", "commands.files_name", "files", '[data-command="files"]'),
    ("commands.sources", "commands.sources_name", "book-open", '[data-command="sources"]'),
    ("commands.share", "commands.share_name", "share-2", '[data-command="share"]'),
    ("commands.search", "palette.search", "search", "[data-palette]"),
    ("commands.keys", "palette.shortcuts", "keyboard", "[data-help]"),
)
"""The commands of the composer: the keys of the word and the name, the icon, and the selector of a control to press."""


def composer(
    *,
    shown: Shown,
    running: Shown,
    on_send: Shown,
    on_stop: Shown,
    person: Shown = SessionState.member_id,
    audience: Audience = audiences.MEMBER,
) -> rx.Component:
    """The text box with Send and Stop. It takes the chat from the address, and keeps a draft for each person and chat.

    Args:
        shown: The open chat; empty if there is none.
        running: Whether an answer is being written there.
        on_send: Sends a message. Its arguments are the chat, the text, and a dict with a key and the files that the
            message mentions or attaches. Instead of a chat, it gets "guest" on the page of guests, and "dashboard" if
            no chat is open.
        on_stop: Stops the answer.
        person: The id to which drafts are bound.
        audience: The audience of the page.
    """
    options = {
        "person": person,
        "shown": shown,
        "running": running,
        "acknowledged": ChatState.acknowledged,
        "opened": SidebarState.opened,
        "limit": MESSAGE_CHARACTERS,
        "origin": links.backend(""),
        "fileLimit": MAX_UPLOAD_BYTES,
        "fileLimitText": UPLOAD_LIMIT,
        "onSend": handler(on_send, str, str, dict[str, Any]),
        "onDoubt": handler(ChatState.was_sent, str, str),
    }
    model = rx.cond(SessionState.model != "", rx.el.span(SessionState.model, class_name="model-name"))
    return composer_form(
        pickers() if audience.chooses_model else model,
        options=options,
        files=audience.has_files,
        placeholder=t("composer.placeholder") if audience.has_drive else t("guest.placeholder"),
        on_stop=on_stop,
    )


@rx.memo
def left_draft(person: rx.Var[str], chat: rx.Var[str]) -> rx.Component:
    """The draft of a chat that no longer exists, with the button that takes it to a new chat."""
    left = hook("left", "useLeft", "composer", person, chat)
    return rx.cond(
        left["text"],
        rx.el.section(
            rx.el.h2(t("chat.left_title")),
            rx.el.p(left["text"], class_name="left-draft"),
            button(t("chat.left_take"), kind="primary", on_click=calls(left["take"])),
            aria_label=t("chat.left_title"),
            class_name="left",
        ),
    )


@rx.memo
def composer_form(
    children: rx.Var[rx.Component],
    options: rx.Var[dict[str, Any]],
    files: rx.Var[bool],
    placeholder: rx.Var[str],
    on_stop: rx.EventHandler[rx.event.no_args_event_spec],
) -> rx.Component:
    """The form of the composer. `options` are those of `useComposer`; `children` are drawn below the text."""
    commands = [
        {"word": t(word), "name": t(name), "icon": icon_name, "press": press}
        for word, name, icon_name, press in _COMMANDS
    ]
    view = hook("view", "useComposer", "composer", options, commands, drive_names())
    return plain_form(
        chips(items=view["chips"]),
        rx.el.textarea(
            name="message",
            aria_label=t("composer.message"),
            aria_describedby="composer-hint",
            placeholder=placeholder,
            special_props=[view["area"]],
        ),
        choice_list(choices=view["list"]),
        rx.cond(view["offer"].to(dict[str, Any])["length"], _offer(view["offer"].to(dict[str, Any]))),
        rx.el.div(
            rx.el.div(
                rx.cond(files, _attachment(view)),
                children,
                class_name="composer-note",
            ),
            rx.el.div(
                rx.cond(view["answering"], _stop(on_stop)),
                rx.cond(view["sendable"], _submit(view)),
                class_name="composer-send",
            ),
            class_name="composer-row",
        ),
        rx.el.p(view["hint"], id="composer-hint", class_name="composer-hint", role="alert"),
        rx.cond(view["over"], rx.el.p(t("composer.drop"), class_name="composer-drop")),
        special_props=[view["form"]],
    )


def drive_names() -> dict[str, Shown]:
    """The options of the search for a file by name (`useChoices`)."""
    return {"found": FileMentionsState.found, "onFind": handler(FileMentionsState.find.debounce(_PAUSE_MS), str)}


def _attachment(view: Shown) -> rx.Component:
    """The button that attaches files."""
    return rx.fragment(
        rx.el.button(
            icon("paperclip", 17),
            type="button",
            aria_label=t("composer.attach"),
            title=t("composer.attach_title", limit=UPLOAD_LIMIT),
            class_name="icon-button small",
            special_props=[view["choose"]],
        ),
        rx.el.input(
            type="file",
            multiple=True,
            accept=ACCEPTED,
            hidden=True,
            aria_label=t("files.to_upload"),
            special_props=[view["picker"]],
        ),
    )


def _stop(on_stop: Shown) -> rx.Component:
    return rx.el.button(
        rx.icon("square", size=13, fill="currentColor", aria_hidden="true"),
        type="button",
        aria_label=t("composer.stop"),
        title=t("composer.stop"),
        on_click=on_stop,
        class_name="send-button stop",
        key="stop",
    )


def _submit(view: Shown) -> rx.Component:
    return rx.el.button(
        icon("arrow-up", 18),
        type="submit",
        aria_label=rx.cond(view["answering"], t("composer.queue"), t("composer.send")),
        title=rx.cond(view["answering"], t("composer.queue_title"), t("composer.send_title")),
        aria_busy=view["sending"],
        class_name="send-button",
        key="send",
    )


def _offer(offer: Shown) -> rx.Component:
    """The offer to send a long text as a file."""
    return rx.el.p(
        rx.el.span(t("composer.long_paste", length=offer["length"])),
        rx.el.button(
            t("composer.as_file"), type="button", class_name="text-button", custom_attrs={"onClick": offer["onClick"]}
        ),
        class_name="composer-offer",
    )


@rx.memo
def chips(items: rx.Var[dict[str, Any]]) -> rx.Component:
    """The files of a message that is being written: mentioned Drive files, files of the chat, and uploads.

    Args:
        items: The `mentions`, `files` and `uploads`, and the functions `unname` and `detach` that remove mentions and
            files.
    """
    shown: Shown = items
    mentions, uploads, files = (
        shown["mentions"].to(_OBJECTS),
        shown["uploads"].to(_OBJECTS),
        shown["files"].to(list[str]),
    )
    return rx.cond(
        mentions.length() + files.length() + uploads.length() > 0,
        rx.el.ul(
            each(mentions, lambda one: _mention(one, shown["unname"])),
            each(files, lambda path: _file(path, shown["detach"])),
            rx.foreach(uploads, _upload),
            class_name="chips",
            aria_label=t("composer.beside"),
        ),
    )


def _mention(one: Shown, unname: Shown) -> rx.Component:
    kind = rx.cond(one["kind"], one["kind"], "")
    remove = _removal(t("composer.remove", name=one["name"]), calls(unname, one))
    return _chip(kind_icon(kind=kind), one["name"], t("composer.in_drive"), remove, key=one["id"])


def _file(path: Shown, detach: Shown) -> rx.Component:
    name = path.split("/")[-1]
    remove = _removal(t("composer.remove", name=name), calls(detach, path))
    return _chip(kind_icon(kind="text"), name, "", remove, key=path)


def _upload(one: Shown) -> rx.Component:
    going, failed = is_going(one), one["state"] == "failed"
    turning = rx.icon("loader-circle", size=15, aria_hidden="true", class_name="turning")
    remove = _removal(t("files.dismiss", name=one["name"]), calls(one["drop"]))
    return _chip(
        rx.cond(going, turning, icon("triangle-alert", 15)),
        one["name"],
        upload_words(one),
        rx.cond(going, rx.fragment(), remove),
        key=one["id"],
        class_name=rx.cond(failed, "chip failed", "chip"),
    )


def is_going(one: Shown) -> Shown:
    """Whether an upload is waiting or in progress."""
    return (one["state"] == "waiting") | (one["state"] == "sending")


def upload_words(one: Shown) -> Shown:
    """The text for the state of an upload (`useUploads`)."""
    share = one["share"].to(float)
    return match_text(
        one["state"],
        ("waiting", t("files.waiting")),
        ("sending", rx.cond(share < 1, number(share, style="percent"), t("files.reading"))),
        one["message"],
    )


def _chip(face: rx.Component, name: Shown, words: Shown, remove: rx.Component, **props: Any) -> rx.Component:
    props.setdefault("class_name", "chip")
    return rx.el.li(
        face,
        rx.el.span(
            rx.el.span(name, class_name="chip-name"),
            rx.cond(words, rx.el.span(words, class_name="chip-said")),
            class_name="chip-text",
        ),
        remove,
        **props,
    )


def _removal(label: Shown, event: Shown) -> rx.Component:
    return icon_button(label, "x", size=14, class_name="small", on_click=event)


@rx.memo
def choice_list(choices: rx.Var[dict[str, Any]]) -> rx.Component:
    """The list at the caret (`useChoices`). It shows Drive files after `@` and commands after `/`."""
    listed: Shown = choices
    options = listed["options"].to(_OBJECTS)
    label = rx.cond(listed["commands"], t("commands.list"), t("composer.files_list"))
    return rx.cond(
        listed["open"],
        rx.el.div(
            rx.el.div(rx.foreach(options, _choice), id=listed["id"].to(str), role="listbox", aria_label=label),
            rx.el.div(
                _search_status(listed, options.length()),
                role="status",
                class_name=rx.cond(options.length() > 0, "unseen", "choices-none"),
            ),
            rx.cond(
                listed["state"] == "unconnected",
                anchor(t("composer.open_settings"), href="/settings/integrations", class_name="choices-help"),
            ),
            # The list can be focused so that keys scroll it. Arrow keys in the text scroll it as well.
            tab_index=0,
            role="group",
            aria_label=label,
            class_name="choices",
            custom_attrs={"ref": listed["panel"], "popover": "manual"},
        ),
    )


def _search_status(listed: Shown, count: Shown) -> Shown:
    """The text for the state of the search, such as the number of files found."""
    found = rx.cond(listed["more"], t("composer.more_found", count=count), t("palette.results", count=count))
    return match_text(
        listed["state"],
        ("found", rx.cond(count > 0, found, t("composer.no_file_named", name=listed["typed"]))),
        ("idle", t("composer.type_name")),
        ("searching", t("composer.searching")),
        ("unconnected", t("composer.unconnected")),
        ("often", t("composer.too_often")),
        t("composer.search_failed"),
    )


def _choice(choice: Shown) -> rx.Component:
    commands = ((name, icon(name, 16)) for _, _, name, _ in _COMMANDS)
    # Folder and day tell files with the same name apart.
    folder, day = choice["folder"], date(choice["modified"], dateStyle="medium")
    place = rx.cond(folder & (day != ""), folder.to(str) + " · " + day, rx.cond(folder, folder, day))
    note = rx.cond(choice["note"], choice["note"], place)
    return rx.el.div(
        match(choice["icon"], *commands, kind_icon(kind=choice["icon"].to(str))),
        rx.el.span(choice["name"], class_name="choice-name"),
        rx.cond(note, rx.el.span(note, class_name="choice-note")),
        role="option",
        class_name=rx.cond(choice["lined"], "choice lined", "choice"),
        key=choice["key"],
        special_props=[choice["props"]],
    )
