"""The worker of the fault bench for the queue of streaq (`make chaos QUEUE=streaq`)."""

from leaf.agent import agents
from tests.chaos import worker
from tests.streaq_queue import worker as streaq_worker


def main() -> None:
    """Works until it gets a signal to end."""
    agents.toolsets = worker.toolsets
    streaq_worker.main()
