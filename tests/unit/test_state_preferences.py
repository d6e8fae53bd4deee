"""The mode of the next answer: chosen in the composer, or that of the open chat's last answer."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from leaf import config
from leaf.services import chats
from leaf.state.preferences import PreferencesState

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


def _pickers(*, last_choice: str = "") -> PreferencesState:
    state = PreferencesState(_reflex_internal_init=True)  # pyright: ignore[reportCallIssue]
    state.search_mode = last_choice
    return state


def _chat(*modes: str, chat_id: UUID | None = None) -> chats.Chat:
    """A chat with an answer in each of these modes."""
    answers = [
        chats.Message(uuid4(), "assistant", "completed", [], NOW, NOW, details={"searchMode": mode}) for mode in modes
    ]
    return chats.Chat(chat_id or uuid4(), "A chat", used_drive=False, messages=answers)


def test_a_chat_keeps_the_mode_of_its_first_answer_when_another_is_chosen_elsewhere() -> None:
    """Also where nothing was chosen in this chat, because the browser's last choice was right. # 002-06"""
    new = _chat()
    state = _pickers(last_choice="adaptive")
    state.enter(str(new.id))
    state.adopt(new)
    assert state.mode == "adaptive"
    state.adopt(_chat("adaptive", chat_id=new.id))
    # Another tab has chosen, and this one is loaded again.
    state.search_mode = "quick"
    state.enter(str(new.id))
    assert state.mode == "adaptive"


def test_a_choice_that_is_made_while_the_chat_is_being_read_stands() -> None:
    """# 002-06"""
    for opened in (_chat(), _chat("quick")):
        state = _pickers()
        state.enter(str(opened.id))
        state.choose_mode("adaptive")  # pyright: ignore[reportCallIssue]
        state.adopt(opened)
        state.search_mode = "quick"
        assert state.mode == "adaptive"


def test_another_chat_has_its_own_mode() -> None:
    """A page without a chat has the browser's last choice. # 002-06"""
    state = _pickers(last_choice="quick")
    state.adopt(_chat("quick", "adaptive"))
    assert state.mode == "adaptive"
    state.enter("")
    assert state.mode == "quick"
    state.adopt(_chat("adaptive"))
    state.adopt(_chat("quick"))
    assert state.mode == "quick"


def test_a_model_is_chosen_for_a_chat_and_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another chat keeps its own, and one whose server has stopped is not replaced. # 000-65"""
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None, model="sandbox:sandbox"))
    parrot, eagle = "local:localhost:11434/parrot:3b", "local:localhost:8000/eagle"
    state, new = _pickers(), _chat()
    state.enter(str(new.id))
    state.choose_model(parrot)  # pyright: ignore[reportCallIssue]
    assert (state.model, state.chosen[2]) == ("parrot:3b", parrot)
    state.adopt(_chat("quick"))
    assert (state.model, state.chosen[2]) == ("Sandbox model", "default")
    named = _chat("quick")
    named.messages[-1].details["chosenModel"] = eagle
    state.adopt(named)
    assert (state.model, state.chosen[2]) == ("eagle", eagle)
    state.enter("")
    assert state.chosen[2] == parrot
    state.choose_kind("speed")  # pyright: ignore[reportCallIssue]
    assert state.chosen[2] == "default"
    state.choose_model("local:elsewhere.example:80/parrot")  # pyright: ignore[reportCallIssue]
    assert state.chosen[2] == "default"
