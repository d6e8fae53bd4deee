"""The signed cookie that makes a browser a guest. Scripts cannot read it.

It holds the id of the guest, by which questions are counted, and the id of the chat. A new chat gets a new cookie.
"""

import time
from dataclasses import dataclass, replace
from uuid import UUID, uuid4

from starlette.requests import cookie_parser

from leaf import config, errors
from leaf.callers import tokens
from leaf.db.actor import Actor, Guest

LIFETIME_SECONDS = 30 * 24 * 3600
"""The lifetime of the cookie. It is longer than a chat is kept, so that the limits of a guest outlive the chat."""
_PURPOSE = "guest"


@dataclass(frozen=True)
class GuestCaller:
    """A guest's browser."""

    guest: Guest

    @property
    def actor(self) -> Actor:
        """The guest as an actor."""
        return Actor.guest(self.guest)

    @property
    def user_id(self) -> UUID:
        """The id of the guest, which identifies the guest's requests."""
        return self.guest.id


def cookie_name() -> str:
    """The name of the cookie. Several installations of Leaf on one machine need different names."""
    settings = config.current()
    if settings.secure_cookies:
        return "__Host-leaf_guest"
    return f"leaf_guest_{tokens.digest(settings.signing_secret)[:8]}"


def issue(guest: Guest) -> str:
    """The newly signed value of a guest's cookie."""
    claims: dict[str, object] = {
        "guest": str(guest.id),
        "chat": str(guest.chat_id),
        "exp": int(time.time()) + LIFETIME_SECONDS,
    }
    return tokens.sign(claims, key=config.current().signing_secret, purpose=_PURPOSE)


def new() -> Guest:
    """A new guest."""
    return Guest(uuid4(), uuid4())


def another_chat(guest: Guest) -> Guest:
    """The same guest with the id of a new chat."""
    return replace(guest, chat_id=uuid4())


def guest_of(cookie_header: str, address: str = "") -> Guest | None:
    """The guest that a Cookie header proves; None if it proves no guest, or guests are turned off.

    Args:
        cookie_header: The Cookie header of the request.
        address: The key of the caller's address for rate limits (`leaf.callers.counted`).
    """
    value = cookie_parser(cookie_header).get(cookie_name())
    if not value or not config.current().guests:
        return None
    try:
        claims = tokens.verify(value, key=config.current().signing_secret, purpose=_PURPOSE)
        return Guest(UUID(str(claims.get("guest"))), UUID(str(claims.get("chat"))), address)
    except (errors.Invalid, ValueError):
        return None


def as_text(guest: Guest) -> str:
    """A guest as text, which a sign-in stores."""
    return f"{guest.id} {guest.chat_id}"


def of_text(text: str) -> Guest | None:
    """The guest that `as_text` has written; None for any other text."""
    try:
        guest_id, chat_id = map(UUID, text.split())
    except ValueError:
        return None
    return Guest(guest_id, chat_id)
