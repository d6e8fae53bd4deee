"""Costs that count towards the limits of a run but that pydantic-ai misses: Leaf's own prices, and summaries."""

from collections.abc import Callable, Iterable, Sequence
from itertools import count

from pydantic import TypeAdapter
from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import RequestUsage, RunUsage

from leaf.agent import pricing
from leaf.agent.deps import Journal
from leaf.parts.summaries import Summary

_SUMMARY = TypeAdapter(Summary)


def price(spent: RunUsage, response: ModelResponse, model_id: str) -> None:
    """Adds the price of a reply to the usage of a run, if pydantic-ai knows no price and Leaf's own table has one."""
    if response.usage.cost is not None:
        return
    cost = pricing.of_response(response, model_id)
    if cost is not None:
        response.usage.cost = cost
        spent.cost = (spent.cost or 0) + cost


def add(spent: RunUsage, summaries: Iterable[Summary]) -> None:
    """Adds the usage of summaries. They are separate requests, but do not count as steps of the run."""
    for one in summaries:
        spent.incr(RequestUsage(input_tokens=one.input_tokens, output_tokens=one.output_tokens, cost=one.cost_usd))


async def keep(journal: Journal | None, summaries: Sequence[Summary], first: int) -> None:
    """Stores the usage of a run's summaries, without their texts, for a worker that takes over.

    The first `first` of them are already stored.
    """
    if journal is None:
        return
    for number, one in enumerate(summaries[first:], first):
        await journal.keep_result(_key(number), _SUMMARY.dump_json(one, exclude={"text"}))


def kept(result: Callable[[str], bytes | None]) -> list[Summary]:
    """Returns the usage of the summaries that earlier workers of a run have made."""
    found: list[Summary] = []
    for number in count():
        spent = result(_key(number))
        if spent is None:
            return found
        found.append(_SUMMARY.validate_json(spent))
    return found


def _key(number: int) -> str:
    # No provider uses such an id for a tool call.
    return f":summary:{number}"
