"""The mode and the type of model of answers, remembered by the browser and by each chat."""

from typing import Any

import reflex as rx

from leaf.config import catalog
from leaf.config.catalog import Kind, Mode
from leaf.services import chats, models, preferences
from leaf.state.internal import internal, set_changed

_YEAR_SECONDS = 365 * 86_400


def _cookie(name: str) -> Any:
    return rx.Cookie("", name=name, max_age=_YEAR_SECONDS, same_site="lax")


class PreferencesState(rx.State):
    """The pickers in the composer."""

    search_mode: str = _cookie("searchMode")
    """The last choice in the browser's storage, which may hold anything."""
    model_type: str = _cookie("modelType")
    mode_here: str = ""
    """The choice of the open chat: that of its last answer, or a later one; empty in a new chat."""
    kind_here: str = ""
    mode_usual: str = ""
    """Defaults of new chats from the member's settings; empty to start with the last choice."""
    kind_usual: str = ""
    _chat: str = ""
    """The chat whose choices are held."""

    @rx.var
    def mode(self) -> str:
        """The mode of the next answer."""
        return catalog.chosen(self.mode_here or self.mode_usual or self.search_mode, None)[0].value

    @rx.var
    def kind(self) -> str:
        """The type of model of the next answer."""
        return catalog.chosen(None, self.kind_here or self.kind_usual or self.model_type)[1].value

    @rx.var
    def model(self) -> str:
        """The name of the model that writes the next answer."""
        return models.info(models.select(Mode(self.mode), Kind(self.kind)).model).label

    @rx.var
    def kinds(self) -> bool:
        """Whether there is a choice between types of models."""
        return models.kinds_differ()

    @property
    def chosen(self) -> tuple[Mode, Kind]:
        """The mode and the type of the next answer."""
        return Mode(self.mode), Kind(self.kind)

    @rx.event
    def choose_mode(self, mode: str) -> None:
        """Sets the mode of the next answers."""
        self.search_mode = self.mode_here = catalog.chosen(mode, None)[0].value

    @rx.event
    def choose_kind(self, kind: str) -> None:
        """Sets the type of model of the next answers."""
        self.model_type = self.kind_here = catalog.chosen(None, kind)[1].value

    @internal
    def prefer(self, preferred: preferences.Preferences) -> None:
        """Takes over the member's defaults of new chats."""
        self.mode_usual, self.kind_usual = preferred.mode or "", preferred.kind or ""

    @internal
    def enter(self, chat_id: str) -> None:
        """Forgets the choices of the chat that was open before; `chat_id` is empty on a page without a chat."""
        if self._chat != chat_id:
            self._chat, self.mode_here, self.kind_here = chat_id, "", ""

    @internal
    def adopt(self, chat: chats.Chat) -> None:
        """Takes over the mode and type of a chat's last answer, where the member has chosen none since it was opened.

        The first answer of a chat is adopted as well, so that a later choice in another tab does not become the chat's.
        """
        self.enter(str(chat.id))
        answers = [message for message in chat.messages if message.role == "assistant"]
        details = answers[-1].details if answers else {}
        set_changed(
            self,
            mode_here=self.mode_here or str(details.get("searchMode", "")),
            kind_here=self.kind_here or str(details.get("modelType", "")),
        )
