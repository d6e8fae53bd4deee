"""The events of an agent's run, one at a time (decision 0004).

`Agent.run_stream_events` lets the agent run ahead of the consumer of its events. Here the agent waits until each event
is processed. A checkpoint before a request to the model therefore covers the chunks of exactly the earlier events.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Sequence
from typing import Any

from pydantic_ai import Agent, AgentRunResult, RunContext, capture_run_messages
from pydantic_ai.messages import AgentStreamEvent, ModelMessage
from pydantic_ai.run import AgentRunResultEvent

from leaf.agent.agents import Output
from leaf.agent.deps import Deps
from leaf.agent.translate import Silent

Event = AgentStreamEvent | AgentRunResultEvent[Output]


async def agent_events(
    agent: Agent[Deps, Output],
    keep_messages: Callable[[Sequence[ModelMessage]], None],
    silence_seconds: float,
    is_busy: Callable[[], bool],
    **options: Any,
) -> AsyncGenerator[Event]:
    """The events of one run of an agent, then its result. An exception of the run is raised after its last event.

    Args:
        agent: The agent.
        keep_messages: Called with the list of messages of the run, also if the run failed.
        silence_seconds: The time limit for the next event.
        is_busy: Whether an event may take longer, because the agent waits for work with its own time limit.
        options: Arguments of `Agent.run`.

    Raises:
        Silent: An event took too long.
    """
    queue: asyncio.Queue[Event | None] = asyncio.Queue()

    async def handle(_: RunContext[Deps], stream: AsyncIterable[AgentStreamEvent]) -> None:
        async for event in stream:
            queue.put_nowait(event)
            await queue.join()

    async def run() -> AgentRunResult[Output]:
        with capture_run_messages() as messages:
            try:
                return await agent.run(event_stream_handler=handle, **options)
            finally:
                if messages:
                    keep_messages(messages)

    running = asyncio.create_task(run())
    running.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while True:
            try:
                async with asyncio.timeout(silence_seconds):
                    event = await queue.get()
            except TimeoutError:
                if is_busy():
                    continue
                raise Silent from None
            if event is None:
                break
            yield event
            queue.task_done()
        yield AgentRunResultEvent(await running)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
