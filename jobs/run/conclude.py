"""How an answer ends that has used what was set aside for it of its asker's budgets."""

from decimal import Decimal

from jobs.run import endings as ending
from jobs.run.turns import Limit
from leaf import errors, parts
from leaf.db.models import utc_now
from leaf.services import runs, usage
from leaf.services.usage import Usage

_OF_A_SITE = "I have used what this answer may use, so it is partial. Ask me to go on."
_UNKNOWN = (
    "I have used what this answer may use of your budget, so this answer is partial. "
    "What is left stands on the [Usage page](/usage)."
)


async def ended(fold: parts.Fold, limit: Limit, used: Usage, task: runs.Assignment) -> ending.Ending:
    """The end of such an answer, which says what is left and when the budget begins anew.

    Args:
        fold: The answer so far.
        limit: "token budget" or "usd budget".
        used: What it has used, which is not entered yet.
        task: Whose answer it is.
    """
    if task.visit is not None:
        # What a tenant has left is nothing that its visitors are told.
        return ending.partial(fold, "budget", _OF_A_SITE, used)
    unit: usage.Unit = "tokens" if limit == "token budget" else "usd"
    own = Decimal(used.input_tokens + used.output_tokens) if unit == "tokens" else used.cost_usd or Decimal(0)
    try:
        found = [standing.after(own) for standing in await usage.standings(task.actor) if standing.unit == unit]
    except errors.DatabaseUnavailable:
        found = []
    least = min(found, key=lambda standing: standing.left, default=None)
    text = _UNKNOWN if least is None else usage.ended(least, utc_now())
    return ending.partial(fold, "budget", text, used)
