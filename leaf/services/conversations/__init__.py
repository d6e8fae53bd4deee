"""Conversations: one set of operations on turns for members, guests, visitors of sites and callers of the API.

`turns`, `replies` and `queue` hold the operations. `dispatch` passes each on to the store of the actor's audience, in
the database (`postgres`) or in Redis (`ephemeral`). The protocol of a store is in `store`.
"""

from leaf.services.conversations.dispatch import (
    News,
    active,
    announce,
    assignment,
    ended,
    finish,
    message_id,
    open,  # noqa: A004 - read as conversations.open
    result,
    sent,
    stop,
    stop_chat,
    unfinished,
    watch,
)
from leaf.services.conversations.question import MESSAGE_CHARACTERS, ONCE
from leaf.services.conversations.queue import BUDGET, queued, release, rewrite, withdraw
from leaf.services.conversations.replies import answer, carry_on
from leaf.services.conversations.steps import CHOSEN_MODEL
from leaf.services.conversations.store import SENT, USUAL_MODEL, NamedChat, Queued, Quota, Terms, Turn, id_of
from leaf.services.conversations.turns import answer_with_drive, ask, edit, proceed, regenerate, retry
