"""The member's watched questions: the list, the number of questions with news, and the dialog to watch a question."""

from collections.abc import Sequence
from typing import Any, cast

import reflex as rx

from leaf import texts
from leaf.services import watches
from leaf.services.watches import digests
from leaf.state import notices, session
from leaf.state.internal import internal, set_changed
from leaf.views import watches as views
from leaf.views.watches import WatchRow


class WatchesState(rx.State):
    """The list, which every page shows, and the dialog."""

    listed: list[WatchRow] = []  # noqa: RUF012 - Reflex copies it
    news: int = 0
    """The number of watched questions with news."""
    lines: dict[str, str] = {}  # noqa: RUF012
    """The line under each answer that a watch has requested, by the id of the answer."""
    message_id: str = ""
    """The id of the question in the dialog, or of an answer to it; empty while the dialog is closed."""
    kind: str = "change"
    every: str = "day"
    watched: str = ""
    """The id of this question's watch; empty if the question is not watched."""

    mails: str = ""
    """Whether the member gets the daily e-mail: on or off; empty if this server sends none."""

    @internal
    def show(self, found: Sequence[watches.Watch]) -> None:
        """Shows the watched questions. Sets only vars that differ."""
        zone = session.zone(self)
        set_changed(
            self,
            listed=views.rows_of(found, zone),
            news=sum(one.is_news for one in found),
            lines=views.lines_of(found, zone),
        )

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads whether the member gets the daily e-mail."""
        with session.while_available():
            who = await session.required(self)
            wanted = await digests.wanted(who.actor, language=texts.current())
            async with self:
                self.mails = {None: "", True: "on", False: "off"}[wanted]

    @rx.event(background=True)
    async def mail(self, wants: bool):  # noqa: ANN201 - an event's generator
        """Switches the daily e-mail on or off."""
        who = await session.required(self)
        wanted = await digests.choose(who.actor, wants=wants is True, language=texts.current())
        async with self:
            self.mails = "on" if wanted else "off"
        yield notices.info(texts.say("watches.mail_on" if wanted else "watches.mail_off"))

    @rx.event(background=True)
    async def ask(self, message_id: str, kind: str) -> None:
        """Opens the dialog about a question.

        Args:
            message_id: The id of the question, or of an answer to it.
            kind: The kind of watch to propose; an existing watch shows its own.
        """
        who = await session.required(self)
        found = await watches.of_message(who.actor, session.identifier(message_id, "message"))
        async with self:
            self.message_id, self.kind, self.every, self.watched = message_id, kind, "day", ""
            if found is not None:
                self.kind, self.every, self.watched = found.kind, found.every, str(found.id)

    @rx.event
    def close(self) -> None:
        self.message_id = ""

    @rx.event(background=True)
    async def begin(self, form: dict[str, Any]):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        kind, every = str(form.get("kind", "change")), str(form.get("every", "day"))
        await watches.begin(
            who.actor, session.identifier(self.message_id, "message"),
            kind=cast("watches.Kind", kind), every=cast("watches.Every", every),
        )  # fmt: skip
        # Stores the language of the page as that of the e-mail.
        await digests.wanted(who.actor, language=texts.current())
        async with self:
            self.message_id = ""
        yield notices.info(texts.say("watches.begun"))

    @rx.event(background=True)
    async def end(self, watch_id: str):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        await watches.end(who.actor, session.identifier(watch_id, "watch"))
        async with self:
            self.message_id = ""
        yield notices.info(texts.say("watches.ended"))
