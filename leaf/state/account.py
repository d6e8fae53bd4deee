"""Settings: the member's profile, and the defaults of answers."""

import reflex as rx

from leaf import errors, texts
from leaf.google import providers
from leaf.services import preferences
from leaf.state import notices, session
from leaf.state.preferences import PreferencesState
from leaf.state.session import SessionState


class AccountState(rx.State):
    """The sections Profile, Answers, and Data & account."""

    loaded: bool = False
    display_name: str = ""
    name: str = ""
    """The name from the identity provider."""
    only_google: bool = True
    """Whether Google is the only provider for sign-in."""
    mode: str = ""
    """The mode of new chats; empty for the mode that was chosen last."""
    kind: str = ""
    instructions: str = ""

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads the values of the sections."""
        with session.while_available(errors.NotFound):
            who = await session.required(self)
            found, chosen = await preferences.profile(who.actor), await preferences.read(who.actor)
            async with self:
                self.display_name, self.name = found.display_name, found.name
                self.only_google = len(providers.listed()) == 1
                self._show(chosen)
                self.loaded = True

    @rx.event(background=True)
    async def rename(self, form: dict[str, str]):  # noqa: ANN201 - an event's generator
        """Sets the member's display name."""
        who = await session.required(self)
        name = await preferences.rename(who.actor, form.get("name", ""))
        again = await session.required(self)
        async with self:
            self.display_name = name
            (await self.get_state(SessionState)).show(again)
        yield notices.info(texts.say("notices.saved"))

    @rx.event(background=True)
    async def choose(self, mode: str, kind: str) -> None:
        """Sets the mode and the type of model of new chats."""
        who = await session.required(self)
        chosen = await preferences.choose(who.actor, mode=mode, kind=kind)
        async with self:
            self._show(chosen)
            (await self.get_state(PreferencesState)).prefer(chosen)

    @rx.event(background=True)
    async def instruct(self, form: dict[str, str]):  # noqa: ANN201 - an event's generator
        """Sets the instructions that the agent gets with every question."""
        who = await session.required(self)
        chosen = await preferences.instruct(who.actor, form.get("instructions", ""))
        async with self:
            self._show(chosen)
        yield notices.info(texts.say("notices.saved"))

    def _show(self, chosen: preferences.Preferences) -> None:
        self.mode, self.kind, self.instructions = chosen.mode or "", chosen.kind or "", chosen.instructions
