"""The settings of guests."""

from pydantic import Field
from pydantic_settings import BaseSettings


class GuestSettings(BaseSettings):
    """Whether people may chat without an account, and how much."""

    guests: bool = Field(False, validation_alias="LEAF_GUESTS")
    """Whether people may chat without an account; nothing of such a chat is stored in the database."""
    guest_questions: int = Field(10, ge=1, le=10_000, validation_alias="LEAF_GUEST_QUESTIONS")
    """Questions that one guest may ask within 24 hours."""
    guest_address_questions: int | None = Field(None, ge=1, le=100_000, validation_alias="LEAF_GUEST_ADDRESS_QUESTIONS")
    """Questions that guests of one client address may ask together within 24 hours; as many as one guest where it is
    not set."""
    guest_hours: int = Field(24, ge=1, le=168, validation_alias="LEAF_GUEST_HOURS")
    """Hours after the last question for which a guest's chat is kept in Redis."""
    guest_chats: int = Field(200, ge=1, le=100_000, validation_alias="LEAF_GUEST_CHATS")
    """Chats of guests that are kept at the same time, at most."""

    @property
    def questions_per_address(self) -> int:
        """Questions that guests of one client address may ask together within 24 hours."""
        return self.guest_address_questions or self.guest_questions
