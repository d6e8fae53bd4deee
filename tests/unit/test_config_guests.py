"""The settings of guests."""

from leaf import config


def made(**given: object) -> config.Settings:
    return config.Settings(_env_file=None, **given)  # pyright: ignore[reportCallIssue, reportArgumentType]


def test_there_are_no_guests_unless_they_are_asked_for() -> None:
    """# 002-02"""
    assert made().guests is False


def test_an_address_may_ask_as_much_as_one_guest_unless_it_is_said() -> None:
    assert made(guest_questions=4).questions_per_address == 4
    assert made(guest_questions=4, guest_address_questions=9).questions_per_address == 9
