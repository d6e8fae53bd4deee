"""`POST /api/chat`: the body of a request, its intent, and its idempotent execution."""

from leaf.api.turns.body import Ask
from leaf.api.turns.idempotency import Started, once, once_as
from leaf.api.turns.intent import scope_of, start
