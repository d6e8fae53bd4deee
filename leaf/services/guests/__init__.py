"""Guests: browsers without an account. Redis stores a guest's chat until it expires; the database stores nothing of it.

Turns of guests work like all others (`leaf.services.conversations`). This package has the cookie of a guest, the chat,
and its adoption by the member who signs in (decision 0028).
"""

from leaf.db.actor import Guest
from leaf.services.guests.adoption import keep, kept_by
from leaf.services.guests.chat import Conversation, forget, read, require_guest
from leaf.services.guests.cookies import (
    LIFETIME_SECONDS,
    GuestCaller,
    another_chat,
    as_text,
    cookie_name,
    guest_of,
    issue,
    new,
    of_text,
)
