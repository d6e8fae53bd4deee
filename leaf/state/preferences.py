"""The choice of mode and model for answers, which the browser and each chat remember, and the density of pages."""

from typing import Any

import reflex as rx

from leaf.config import catalog
from leaf.config.catalog import Kind, Mode
from leaf.services import chats, conversations, models, preferences
from leaf.state.internal import internal, set_changed

_YEAR_SECONDS = 365 * 86_400


def _cookie(name: str) -> Any:
    return rx.Cookie("", name=name, max_age=_YEAR_SECONDS, same_site="lax")


_DENSITY: Any = rx.LocalStorage("", name="leaf:density")


class PreferencesState(rx.State):
    """The pickers in the composer, and the density of pages."""

    search_mode: str = _cookie("searchMode")
    """The last choice, from a cookie of the browser, which may hold any text."""
    model_type: str = _cookie("modelType")
    model_id: str = _cookie("modelId")
    """The id of the last model that was chosen by its name; empty for the model of the mode and type."""
    density: str = _DENSITY
    """comfortable or compact; empty if nothing was chosen."""
    mode_here: str = ""
    """The mode of the open chat: that of its last answer or a later choice; empty in a new chat."""
    kind_here: str = ""
    model_here: str = ""
    """The id of the model that was chosen for the open chat, or `USUAL_MODEL`; empty in a new chat."""
    mode_usual: str = ""
    """The default of new chats from the member's settings; empty to start with the last choice."""
    kind_usual: str = ""
    _chat: str = ""
    """The id of the chat to which `mode_here`, `kind_here` and `model_here` belong."""

    @rx.var
    def mode(self) -> str:
        """The mode of the next answer."""
        return catalog.chosen(self.mode_here or self.mode_usual or self.search_mode, None)[0].value

    @rx.var
    def kind(self) -> str:
        """The type of model of the next answer."""
        return catalog.chosen(None, self.kind_here or self.kind_usual or self.model_type)[1].value

    @rx.var
    def named(self) -> str:
        """The id of the model that was chosen by its name; empty for the model of the mode and type."""
        wanted = self.model_here or self.model_id
        return wanted if wanted != conversations.USUAL_MODEL and models.may_be_chosen(wanted) else ""

    @rx.var
    def model(self) -> str:
        """The label of the model that writes the next answer."""
        return models.info(self.named or models.select(Mode(self.mode), Kind(self.kind)).model).label

    @rx.var
    def kinds(self) -> bool:
        """Whether there is a choice between types of models."""
        return models.kinds_differ()

    @property
    def chosen(self) -> tuple[Mode, Kind, str]:
        """The mode, the type and the named model of the next answer (`Terms.asked_model`)."""
        return Mode(self.mode), Kind(self.kind), self.named or conversations.USUAL_MODEL

    @rx.event
    def choose_mode(self, mode: str) -> None:
        self.search_mode = self.mode_here = catalog.chosen(mode, None)[0].value

    @rx.event
    def choose_kind(self, kind: str) -> None:
        self.model_type = self.kind_here = catalog.chosen(None, kind)[1].value
        self.model_id, self.model_here = "", conversations.USUAL_MODEL

    @rx.event
    def choose_model(self, model_id: str) -> None:
        """Sets the model of the next answers. An empty or unknown id stands for the model of the mode and type."""
        self.model_id = model_id if models.may_be_chosen(model_id) else ""
        self.model_here = self.model_id or conversations.USUAL_MODEL

    @rx.event
    def choose_density(self, density: str) -> None:
        self.density = "compact" if density == "compact" else "comfortable"

    @internal
    def prefer(self, preferred: preferences.Preferences) -> None:
        """Sets the member's defaults of new chats."""
        self.mode_usual, self.kind_usual = preferred.mode or "", preferred.kind or ""

    @internal
    def enter(self, chat_id: str) -> None:
        """Forgets the choices of another chat that was open before. `chat_id` is empty on a page without a chat."""
        if self._chat != chat_id:
            self._chat, self.mode_here, self.kind_here, self.model_here = chat_id, "", "", ""

    @internal
    def adopt(self, chat: chats.Chat) -> None:
        """Adopts the choices of a chat's last answer, unless the member has chosen since the chat was opened.

        A new chat adopts those of its first answer. So a later choice in another tab does not change the chat.
        """
        self.enter(str(chat.id))
        answers = [message for message in chat.messages if message.role == "assistant"]
        details = answers[-1].details if answers else {}
        named = str(details.get(conversations.CHOSEN_MODEL) or (conversations.USUAL_MODEL if answers else ""))
        set_changed(
            self,
            mode_here=self.mode_here or str(details.get("searchMode", "")),
            kind_here=self.kind_here or str(details.get("modelType", "")),
            model_here=self.model_here or named,
        )
