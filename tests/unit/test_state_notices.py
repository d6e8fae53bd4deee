"""Notices: in the reader's language, and with what can be done next."""

import pytest

from leaf import errors, texts
from leaf.state.notices import NoticeState


def told(error: errors.LeafError) -> dict[str, str]:
    state = NoticeState(_reflex_internal_init=True)  # pyright: ignore[reportCallIssue]
    said = error.message.as_data() if isinstance(error.message, texts.Message) else {}
    NoticeState.event_handlers["show"].fn(state, error.message, "error", said, "", error.code)
    return dict(state.notice)


@pytest.mark.parametrize(
    ("error", "name", "path"),
    [
        (errors.DriveNotConnected(), "Open integrations", "/settings/integrations"),
        (errors.DriveRevoked(), "Open integrations", "/settings/integrations"),
        (errors.BudgetReached("No tokens are left today.", resets_in_seconds=9), "See usage", "/usage"),
        (errors.NotFound("chat"), "All chats", "/dashboard"),
        (errors.RedisUnavailable(), "Reload", ""),
        (errors.DatabaseUnavailable(), "Reload", ""),
        (errors.LeafError.unexpected(), "Reload", ""),
    ],
    ids=lambda one: getattr(one, "code", None),
)
def test_a_failure_is_told_with_what_can_be_done_next(error: errors.LeafError, name: str, path: str) -> None:
    """# 000-44"""
    notice = told(error)
    assert (notice["text"], notice["tone"]) == (error.message, "error")
    assert (notice["next"], notice["path"]) == (name, path)


def test_a_refusal_that_says_everything_offers_nothing() -> None:
    assert "next" not in told(errors.Invalid("Please write something first."))
