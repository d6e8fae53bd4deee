"""The instructions of a run are made at once, whatever the run has."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast
from uuid import uuid4

import pytest
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from leaf import audiences
from leaf.agent import site_agent
from leaf.agent.deps import Deps
from leaf.audiences import Audience


@pytest.mark.parametrize("audience", [audiences.MEMBER, audiences.GUEST, audiences.SITE_VISITOR])
async def test_no_thread_is_needed_before_a_request_to_the_model(audience: Audience):
    """# 000-33: pydantic-ai calls plain functions in threads, each of which waits for its turn on a busy machine."""

    nothing = cast("Any", None)
    deps = Deps(uuid4(), uuid4(), nothing, nothing, nothing, audience=audience, instructions="Be brief.")
    with ThreadPoolExecutor() as threads, Agent.using_thread_executor(threads):
        found = await site_agent.agent_for(audience).run("Hello", model=TestModel(call_tools=[]), deps=deps)
        # An executor starts its threads when it is given something to do.
        assert not threads._threads  # pyright: ignore[reportPrivateUsage]
    sent = found.all_messages()[0]
    assert ("Be brief." in str(getattr(sent, "instructions", ""))) is (audience.agent == "leaf")
