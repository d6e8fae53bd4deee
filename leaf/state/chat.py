"""The open chat: its finished messages, and the events that send messages to it."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any
from uuid import UUID, uuid4

import reflex as rx

from leaf import citations, errors, parts
from leaf.config.catalog import Kind, Mode
from leaf.db.session import Actor
from leaf.services import chats, conversations, integrations
from leaf.services.library import standings
from leaf.services.library.scope import ChatScope
from leaf.state import notices, queue, session
from leaf.state.details import DetailsState
from leaf.state.internal import internal, set_changed
from leaf.state.live import LiveState
from leaf.state.preferences import PreferencesState
from leaf.state.scope import Scoped
from leaf.state.tabs import locked_tab, tab_of
from leaf.texts import say
from leaf.views import rows, scopes, source_changes, watches
from leaf.views.evidence import Evidence
from leaf.views.rows import Row
from leaf.views.versions import VersionPlace, versions_of

MESSAGE_CHARACTERS = conversations.MESSAGE_CHARACTERS
NO_EXTRAS: dict[str, Any] = {}
ONLY_CHAT = "guest"
"""The composer's name for the only chat of a guest."""
DASHBOARD = "dashboard"
"""The composer's name for a new chat."""


class ChatState(Scoped, rx.State):
    """The open chat, without its last answer (`LiveState`)."""

    chat_id: str = ""
    phase: str = "loading"
    """loading, ready, or missing. Without a network, browsers set it to unseen (`assets/client/offline.js`)."""
    title: str = ""
    used_drive: bool = False
    """Whether an answer of the chat has used a Drive."""
    drive: str = ""
    """The problem with the Drive of a chat that has used it: unconnected or disconnected; empty if there is none."""
    awaited: int = 0
    """Number of earlier messages to load. The end of a long chat is loaded first."""
    earlier: list[Row] = []  # noqa: RUF012 - Reflex copies it
    """The earlier messages of a long chat, after they are loaded."""
    earlier_kept: int = 0
    """The number of `earlier` messages to show."""
    history: list[Row] = []  # noqa: RUF012
    """The messages that the chat had when it was opened. For a long chat, only the last ones."""
    kept: int = 0
    """The number of `history` messages to show, from the first. The others may now be on another branch."""
    later: list[Row] = []  # noqa: RUF012
    """Later messages. They are a var of their own, so that a new turn or another branch does not send the history."""
    versions: dict[str, VersionPlace] = {}  # noqa: RUF012
    """Version switches by message id, for messages with several versions."""
    people: dict[str, str] = {}  # noqa: RUF012
    """The participants' names by their ids; empty for a chat with one participant."""
    turn: str = ""
    """The id of the last question whose answer has begun. The thread scrolls to the end when it changes."""
    summarised_to: str = ""
    """The id of the last answer that the summary covers; empty if models get the whole chat."""
    summary: str = ""
    acknowledged: str = ""
    """The outcome of the last sent message: "<id>:ok:<chat>:<key>" if it was accepted, "<id>:refused:<chat>:<key>" if
    not. The composer waits for a change of this value. `<key>` is the key under which the message was sent."""

    nearly_full: int = 0
    """The size of the chat as a percentage of the limit if it is nearly full; otherwise 0."""
    asks_title: bool = False
    """Whether the dialog that renames the chat is open."""
    imported: str = ""
    """`leaf` or `chatgpt` for a chat imported from a file."""
    project: str = ""
    """The id of the member's project that contains the chat."""
    approvals: bool = True
    """Whether Leaf asks for approval before a step that could send data out."""
    asks_approvals: bool = False
    """Whether the dialog that turns approvals off is open."""
    archived: bool = False
    """Whether the member has archived the chat."""

    hosts: dict[str, str] = {}  # noqa: RUF012 - Reflex copies it
    """The hosts that tools of the chat have found, and the shown form of each. Links to other hosts show the host."""
    evidence: dict[str, Evidence] = {}  # noqa: RUF012 - Reflex copies it
    """The evidence of answers that quote files of Drive, by message. It is set after Google was asked about them."""
    asked_again: dict[str, str] = {}  # noqa: RUF012
    """The lines under answers that a watch has requested, by message."""
    living: dict[str, str] = {}  # noqa: RUF012 - Reflex copies it
    """The lines about changed sources of answers, by message."""
    edited: dict[str, str] = {}  # noqa: RUF012
    """The lines about computations that were edited by hand, by message."""
    sources_line: str = ""
    """The present state of the sources of the whole branch, in one line; empty if no source has changed."""

    @rx.var
    def page_title(self) -> str:
        return f"{self.title} · Leaf" if self.title else "Leaf"

    @internal
    def leave(self) -> bool:
        """Closes the open chat. Returns whether a chat was open."""
        return bool(self.chat_id) and self.enter("")

    @internal
    def enter(self, chat_id: str) -> bool:
        """Prepares the page for another chat. Returns False if the chat is already open and shown.

        True means that all other states must also clear the data of the former chat.
        """
        if self.chat_id == chat_id and self.phase == "ready":
            return False
        acknowledged = self.acknowledged
        self.reset()
        # The composer still waits for the outcome of the message that it sent to the former chat.
        self.chat_id, self.acknowledged = chat_id, acknowledged
        return True

    @internal
    def show(self, chat: chats.Chat, live: LiveState) -> None:
        """Shows a stored chat. Sets only vars that differ."""
        last = chat.messages[-1] if chat.messages else None
        answer = last if last is not None and last.role == "assistant" else None
        self._show_messages(chat, answer)
        set_changed(
            self,
            title=chat.title if chat.messages else "",
            phase="ready",
            approvals=chat.approvals,
            archived=chat.archived,
            used_drive=chat.used_drive,
            nearly_full=chat.used_percent if chat.used_percent >= chats.ALERT_PERCENT else 0,
            imported=chat.imported_from,
            scope=scopes.chips_of(chat.scope),
            project=str(chat.project_id or ""),
            people={str(key): name for key, name in chat.people.items()} if len(chat.people) > 1 else {},
            summarised_to=str(chat.summary.message_id) if chat.summary else "",
            summary=chat.summary.text if chat.summary else "",
        )
        if answer is not None:
            live.show(answer)
        elif live.message_id:
            live.clear()

    def _show_messages(self, chat: chats.Chat, answer: chats.Message | None) -> None:
        """Shows the messages of a chat without its last `answer`."""
        shown = [rows.row_of(message, whole=True) for message in chat.messages if message is not answer]
        questions = [row.id for row in shown if row.role == "user"]
        begins = self.phase != "ready" or answer is None or answer.unfinished
        self._show_rows(shown, chat.above)
        set_changed(
            self,
            versions=versions_of(chat),
            turn=questions[-1] if begins and questions else self.turn,
            hosts=self.hosts | rows.known_hosts(chat.messages),
            asked_again=watches.asked_again(chat.messages, session.zone(self)),
        )

    @internal
    def show_evidence(self, shown: Iterable[tuple[chats.Message, list[parts.Part]]]) -> None:
        """Shows the evidence of answers.

        Args:
            shown: The answers that quote files of Drive, each with the parts that the reader may see now
                (`views.source_changes.annotated`).
        """
        several = [*shown]
        found = {str(message.id): rows.evidence_of(message, allowed) for message, allowed in several}
        zone = session.zone(self)
        states = [standings.of_answer(citations.stored(allowed), one.created_at) for one, allowed in several]
        lines = [source_changes.line(standings.combined([one]), zone) for one in states]
        set_changed(
            self,
            evidence=found,
            living={str(one.id): line for (one, _), line in zip(several, lines, strict=True) if line},
            edited={str(one.id): line for one, allowed in several if (line := source_changes.edited_line(allowed))},
            sources_line=source_changes.line(standings.combined(states), zone),
        )

    def _show_rows(self, shown: list[Row], above: int) -> None:
        """Shows the rows. `above` is the number of earlier messages that are loaded later."""
        before = rows.Shown(self.earlier, self.earlier_kept, self.history, self.kept, self.later, self.awaited)
        now = rows.shown_anew(shown, above) if self.phase != "ready" or above else rows.shown_after(before, shown)
        for name in ("earlier", "earlier_kept", "history", "kept", "later", "awaited"):
            old, new = getattr(before, name), getattr(now, name)
            if new is not old and new != old:
                setattr(self, name, new)

    @internal
    def show_drive(self, chat: chats.Chat | None, cards: Sequence[integrations.Card]) -> None:
        """Shows the state of Drive for a chat that has used it."""
        set_changed(self, drive=drive_of(chat, integrations.state_of(cards)) if chat is not None else "")

    @internal
    def acknowledge(self, chat: str, *, taken: bool, key: str = "") -> None:
        """Reports to the composer whether its message to a chat was accepted."""
        self.acknowledged = f"{uuid4().hex}:{'ok' if taken else 'refused'}:{chat}:{key}"

    @rx.event(background=True)
    async def send(self, chat: str, text: str, extras: dict[str, Any] = NO_EXTRAS):  # noqa: ANN201 - an event's generator
        """Sends a question with its files to a chat. While an answer is being written, the question is queued.

        A question to a new chat (`DASHBOARD`) opens the chat. The chat is an argument and not taken from the address of
        the page, because a page that was just left still sends its question.
        """
        if chat == DASHBOARD:
            async for event in _begin(self, text, extras):
                yield event
            return
        key = _key(extras)
        try:
            actor = await session.speaker(self)
            choice = await chosen(self)
            chat_id = session.identifier(self.chat_id if chat == ONLY_CHAT else chat, "chat")
            turn = await ask_once(actor, chat_id, text, extras, choice)
        except errors.LeafError as error:
            async with self:
                self.acknowledge(chat, taken=False, key=key)
                if isinstance(error, errors.NotFound) and error.what == "chat" and self.chat_id == chat:
                    # The chat was deleted while its page was open. The page then offers the text that was not sent.
                    self.phase = "missing"
            yield failure_notice(error, "/dashboard" if chat == ONLY_CHAT else f"/chat/{chat}")
            return
        if isinstance(turn, conversations.Queued):
            await queue.add(self, turn)
        elif turn is not None:
            await show_turn(self, actor, turn)
        async with self:
            self.acknowledge(chat, taken=True, key=key)

    @rx.event(background=True)
    async def search_drive(self, message_id: str):  # noqa: ANN201 - an event's generator
        """Asks the question of an answer again, as a request to search Drive for it."""
        actor = await session.speaker(self)
        answer_id, chat_id = session.identifier(message_id, "answer"), session.identifier(self.chat_id, "chat")
        messages = (await conversations.open(actor, chat_id)).messages
        if all(one.id != answer_id for one in messages):
            raise errors.NotFound("answer")
        before = takewhile(lambda one: one.id != answer_id, messages)
        questions = [parts.text_of(one.as_ui_message()) for one in before if one.role == "user"]
        text = say("messages.search_drive_for", question=questions[-1] if questions else "")[:MESSAGE_CHARACTERS]
        yield ChatState.send(self.chat_id, text)  # pyright: ignore[reportCallIssue, reportArgumentType]

    @rx.event(background=True)
    async def was_sent(self, chat: str, key: str) -> None:
        """Acknowledges a message if it was stored while its page was left."""
        with suppress(errors.LeafError):
            if await conversations.sent(await session.speaker(self), key) is not None:
                async with self:
                    self.acknowledge(chat, taken=True, key=key)

    @rx.event(background=True)
    async def retry(self, message_id: str, model: str = "") -> None:
        """Answers the last question again, with the named model or the model of the chat."""
        actor = await session.speaker(self)
        answer_id, chat_id = session.identifier(message_id, "answer"), session.identifier(self.chat_id, "chat")
        try:
            turn = await conversations.retry(actor, answer_id, model=model or None)
        except errors.Conflict:
            # The answer is already being regenerated: this was a second click.
            messages = (await conversations.open(actor, chat_id)).messages
            if not messages or messages[-1].id != answer_id:
                raise
            await reload_chat(self, actor, chat_id)
            return
        await show_turn(self, actor, turn)

    @rx.event(background=True)
    async def answer(self, message_id: str, call_id: str, given: dict[str, Any]) -> None:
        """Replies to a tool call of an answer that waits. After the last reply, the answer continues."""
        actor = await session.speaker(self)
        answer_id, chat_id = session.identifier(message_id, "answer"), session.identifier(self.chat_id, "chat")
        try:
            turn = await conversations.answer(actor, answer_id, call_id, given)
        except errors.Conflict:
            # A second click or another tab has already replied. The page shows the reply.
            await reload_chat(self, actor, chat_id)
            return
        await show_turn(self, actor, turn)

    @rx.event(background=True)
    async def ask_first(self, asks: bool) -> None:
        """Sets whether Leaf asks for approval in this chat before a step that could send data out."""
        who = await session.required(self)
        await chats.set_approvals(who.actor, session.identifier(self.chat_id, "chat"), asks)
        async with self:
            self.approvals, self.asks_approvals = asks, False

    def _scoped(self) -> UUID:
        return session.identifier(self.chat_id, "chat")

    async def _read_scope(self, actor: Actor, thing: UUID) -> ChatScope:
        return (await conversations.open(actor, thing)).scope

    async def _store_scope(self, actor: Actor, thing: UUID, scope: ChatScope) -> None:
        await chats.set_scope(actor, thing, scope)

    @rx.event
    def ask_approvals(self, asks: bool) -> None:
        """Opens or closes the dialog that turns approvals off."""
        self.asks_approvals = asks

    @rx.event(background=True)
    async def stop(self, run_id: str) -> None:
        await conversations.stop(await session.speaker(self), session.identifier(run_id, "answer"))

    @rx.event(background=True)
    async def rename(self, form: dict[str, str]) -> None:
        who = await session.required(self)
        title = await chats.rename(who.actor, session.identifier(self.chat_id, "chat"), form.get("title", ""))
        async with self:
            self.title, self.asks_title = title, False

    @rx.event
    def ask_title(self, asks: bool) -> None:
        """Opens or closes the dialog that renames the chat."""
        self.asks_title = asks


async def chosen(state: rx.State) -> tuple[Mode, Kind, str]:
    """The mode, the type and the name of the model that the page has chosen for the next answer."""
    async with state:
        return (await state.get_state(PreferencesState)).chosen


async def ask_once(
    actor: Actor, chat_id: UUID, text: str, extras: dict[str, Any], choice: tuple[Mode, Kind, str]
) -> conversations.Turn | conversations.Queued | None:
    """Asks a question, or queues it. Returns None if it was sent before under the same key (`conversations.ONCE`)."""
    question_id = conversations.message_id(actor, _key(extras))
    mode, kind, model = choice
    terms = conversations.Terms(asked_model=model if actor.audience.chooses_model else None)
    try:
        return await conversations.ask(
            actor, chat_id, text, queue=True, extras=extras, mode=mode, kind=kind, terms=terms, question_id=question_id
        )
    except errors.Conflict as error:
        if error.code != conversations.SENT:
            raise
    return None


async def show_turn(state: rx.State, actor: Actor, turn: conversations.Turn) -> None:
    """Shows a turn that has begun. The tab's follower then shows the chunks of its run.

    Args:
        state: Any state of the tab, in a background event.
        actor: The asker.
        turn: The turn. If the page does not have all messages before this turn, the chat is read.
    """
    async with locked_tab(state) as tab:
        known = tab.chat if tab.chat is not None and tab.chat.id == turn.chat_id else None
        chat = turn.at_end_of(known) if known is not None else None
        if chat is None:
            chat = await conversations.open(actor, turn.chat_id, known=tab.chat)
        tab.chat = chat
        async with state:
            (await state.get_state(LiveState)).await_end(str(turn.assistant.id))
            if (await state.get_state(ChatState)).chat_id == str(turn.chat_id):
                await show_chat(state, chat)


async def reload_chat(state: rx.State, actor: Actor, chat_id: UUID) -> None:
    """Reads a chat, and shows it if it is still the open chat.

    Args:
        state: Any state of the tab, in a background event.
        actor: The member, or the guest.
        chat_id: The chat.
    """
    await queue.refresh(state, actor, chat_id)
    async with locked_tab(state) as tab:
        chat = tab.chat = await conversations.open(actor, chat_id, known=tab.chat)
        async with session.proven(state):
            if (await state.get_state(ChatState)).chat_id == str(chat_id):
                await show_chat(state, chat)


async def show_chat(state: rx.State, chat: chats.Chat) -> None:
    """Shows a chat in all states of the tab. The caller must hold the state's lock."""
    (await state.get_state(PreferencesState)).adopt(chat)
    (await state.get_state(ChatState)).show(chat, await state.get_state(LiveState))
    if not chat.above:
        (await state.get_state(DetailsState)).leave_branch({str(one.run_id) for one in chat.messages})
    tab_of(state).shown.set()


def drive_of(chat: chats.Chat, state: integrations.State) -> str:
    """The problem with the Drive of a chat that has used one: unconnected or disconnected; empty if there is none."""
    if not chat.used_drive or state != "none":
        return ""
    # If a tool has returned a result, the Drive was connected at that time and has been disconnected since.
    calls = (part for message in chat.messages for part in message.parts if parts.is_tool(part))
    return "disconnected" if any(part.get("state") == "output-available" for part in calls) else "unconnected"


async def _begin(state: ChatState, text: str, extras: dict[str, Any]) -> AsyncIterator[rx.event.EventSpec]:
    """Sends a question to a new chat. The yielded event opens the chat, or shows the failure."""
    key = _key(extras)
    try:
        who = await session.required(state)
        choice = await chosen(state)
        chat_id = await conversations.sent(who.actor, key)
        if chat_id is None:
            chat_id = await chats.new(who.actor)
            await ask_once(who.actor, chat_id, text, extras, choice)
    except errors.LeafError as error:
        async with state:
            state.acknowledge(DASHBOARD, taken=False, key=key)
        yield failure_notice(error, "/dashboard")
        return
    async with state:
        state.acknowledge(DASHBOARD, taken=True, key=key)
    yield rx.redirect(f"/chat/{chat_id}")


def _key(extras: dict[str, Any]) -> str:
    """The key under which a message was sent; empty if the page has not sent a key."""
    key = extras.get(conversations.ONCE)
    return key if isinstance(key, str) else ""


def failure_notice(error: errors.LeafError, path: str) -> rx.event.EventSpec:
    if isinstance(error, errors.Unauthenticated):
        return rx.redirect(session.sign_in_address(path))
    return notices.failure(error)
