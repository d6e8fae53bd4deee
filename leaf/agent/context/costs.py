"""What a run's limits have to count beside what its library counts by itself."""

from collections.abc import Callable, Iterable, Sequence
from itertools import count

from pydantic import TypeAdapter
from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import RequestUsage, RunUsage

from leaf.agent import pricing
from leaf.agent.context.window import Summary
from leaf.agent.deps import Journal

_SUMMARY = TypeAdapter(Summary)


def price(spent: RunUsage, response: ModelResponse, model_id: str) -> None:
    """Adds the price of a reply that has been counted, where only Leaf's own table of prices has it.

    Args:
        spent: What the run has used, this reply included.
        response: The reply; it keeps the price.
        model_id: `provider:name` of the model that was asked first.
    """
    if response.usage.cost is not None:
        return
    cost = pricing.of_response(response, model_id)
    if cost is not None:
        response.usage.cost = cost
        spent.cost = (spent.cost or 0) + cost


def add(spent: RunUsage, summaries: Iterable[Summary]) -> None:
    """Adds what summaries have used: requests of their own, which are no steps."""
    for one in summaries:
        spent.incr(RequestUsage(input_tokens=one.input_tokens, output_tokens=one.output_tokens, cost=one.cost_usd))


async def keep(journal: Journal | None, summaries: Sequence[Summary], first: int) -> None:
    """Keeps what a run's summaries have used for the worker that may have to take over; not their texts.

    Args:
        journal: Where the run keeps how far it has come.
        summaries: All that it has made.
        first: How many of them are kept already.
    """
    for number, one in enumerate(summaries[first:], first):
        if journal is not None:
            await journal.keep_result(_key(number), _SUMMARY.dump_json(one, exclude={"text"}))


def kept(result: Callable[[str], bytes | None]) -> list[Summary]:
    """What the summaries have used that earlier workers of a run have made (`Journal.result`)."""
    found: list[Summary] = []
    for number in count():
        spent = result(_key(number))
        if spent is None:
            return found
        found.append(_SUMMARY.validate_json(spent))
    return found


def _key(number: int) -> str:
    # No provider calls a tool call so.
    return f":summary:{number}"
