"""What an agent's run is given of its asker, its chat and its worker."""

from collections.abc import Sequence

from pydantic_ai.messages import ModelMessage

from jobs import keeping
from jobs.run.journal import Journal
from leaf import outbound
from leaf.agent.context import Window
from leaf.agent.deps import Deps
from leaf.agent.web import WebSession
from leaf.services import runs


def deps(
    task: runs.Assignment,
    journal: Journal,
    earlier: Sequence[ModelMessage],
    window: Window,
    withheld: frozenset[str],
) -> Deps:
    """One run's surroundings.

    Args:
        task: What is answered, and for whom.
        journal: How far it has come.
        earlier: The messages of the turns before.
        window: What it sees of its chat.
        withheld: The tools at its caller that the model is not told of.
    """
    shelves = keeping.Shelves.of(task)
    return Deps(
        user_id=keeping.asker(task),
        guest=task.actor.kind == "guest",
        run_id=task.run_id,
        drive=shelves.drive,
        documents=shelves.documents,
        files=shelves.files,
        mode=task.mode,
        client_tools=task.tools.tools if task.tools is not None else (),
        withheld=withheld,
        journal=journal,
        preview=outbound.preview,
        approvals=task.approvals,
        earlier_tools=task.earlier_tools,
        clicked=task.clicked,
        instructions=task.instructions,
        web=WebSession.of(journal.progress.messages, earlier=earlier, kept=journal.result),
        context=window,
        visit=task.visit,
    )
