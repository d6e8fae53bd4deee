"""The limits of guests' questions: by the guest's cookie, and by their address (decision 0028).

The numbers are the settings `LEAF_GUEST_QUESTIONS` and `LEAF_GUEST_ADDRESS_QUESTIONS`.
"""

import math

from leaf import config, errors, texts
from leaf.db.actor import Guest
from leaf.services.conversations.store import Quota
from leaf.texts import dates


def questions(guest: Guest) -> Quota:
    """The questions that a guest may still ask."""
    settings = config.current()
    limits = {
        f"guest:{guest.id}": settings.guest_questions,
        f"guest-address:{guest.address}": settings.questions_per_address,
    }
    return Quota(limits, _refused)


def _refused(seconds: float) -> errors.LimitReached:
    wait = math.ceil(seconds)
    return errors.LimitReached(texts.english("guest.refused_limit", span=dates.span(wait)), resets_in_seconds=wait)
