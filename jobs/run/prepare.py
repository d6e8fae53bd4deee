"""The first stage: a run is opened at its last checkpoint, and its agent gets the files, the chat and the question."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pydantic_ai.messages import UserContent

from jobs import stores
from jobs.metrics import Timing
from jobs.run import turns
from jobs.run.journal import Journal, Progress
from jobs.run.resumption import resumption
from jobs.run.state import Run
from jobs.run.stop import Stop, unless
from leaf import errors, outbound, streams
from leaf.agent import mentions as file_mentions
from leaf.agent.attachments import Attachments
from leaf.agent.cells import Cells
from leaf.agent.context import Turn, Window, costs
from leaf.agent.deps import Deps
from leaf.agent.web import WebSession
from leaf.google.drive import Drive
from leaf.google.links import DriveLink
from leaf.google.refusals import Named
from leaf.parts import question_files
from leaf.services import passages, runs, summaries

log = logging.getLogger(__name__)

MENTION_SECONDS = 15.0
"""The time limit for looking up a mentioned file. After it the model gets only the id of the file."""


async def open_run(task: runs.Assignment, lease: streams.Lease, timing: Timing) -> Run:
    """Opens a run for writing, at its beginning or at the checkpoint of an earlier worker."""
    task = await _confirmed(task)
    earlier = [turns.history([turn]) for turn in task.history]
    history = [message for turn in earlier for message in turn]
    stop = Stop()
    writer = await streams.Writer.open(task.run_id, lease.token)
    run = Run(
        task,
        lease,
        timing,
        writer,
        Journal(writer, len(history), stop.token.cancel),
        stop,
        history,
        _window(task, [len(turn) for turn in earlier]),
        resumption(task.waited),
        messages=history,
    )
    if writer.index:
        await _take_over(run)
    elif run.resumption is not None:
        for chunk in run.resumption.chunks:
            run.fold.apply(chunk)
        await writer.append(run.resumption.chunks)
        run.journal.progress = Progress(writer.index, run.fold.copy(), run.resumption.messages)
    return run


async def _take_over(run: Run) -> None:
    """Continues the answer of a killed worker from its last checkpoint, after the text that readers have."""
    run.fold = await run.journal.load(run.task.run_id)
    run.window.summaries += costs.kept(run.journal.result)
    if run.resumption is not None and run.journal.progress.index == 0:
        run.journal.progress.messages = run.resumption.messages
    await run.go_on()


async def _confirmed(task: runs.Assignment) -> runs.Assignment:
    """The assignment without the texts of Drive files for which Google does not confirm the asker's access now.

    Such texts are removed from earlier turns and from a turn that waited.
    """
    waited = task.waited
    if waited is None:
        return replace(task, history=await passages.history(task.actor, task.history))
    *earlier, own = await passages.history(task.actor, [*task.history, waited.model_messages])
    return replace(task, history=earlier, waited=replace(waited, model_messages=own))


def _window(task: runs.Assignment, lengths: list[int]) -> Window:
    """The part of the chat that is sent to the model; `lengths` counts the messages of each earlier turn."""
    return Window(
        task.model,
        [Turn(message_id, length) for message_id, length in zip(task.turns, lengths, strict=True)],
        task.summary,
        store=partial(summaries.keep, task.actor, task.chat_id) if task.actor.audience.summaries else None,
    )


def dependencies(run: Run) -> Deps:
    """The dependencies of the agent: the asker's files, the chat, and the journal of the run."""
    task = run.task
    access = stores.Stores.of(task)
    return Deps(
        user_id=task.actor.asker_id,
        audience=task.actor.audience,
        run_id=task.run_id,
        drive=access.drive,
        documents=access.documents,
        files=access.files,
        knowledge=access.knowledge,
        library=access.library,
        mode=task.mode,
        client_tools=task.tools.tools if task.tools is not None else (),
        withheld=run.withheld,
        journal=run.journal,
        preview=outbound.preview,
        attachments=Attachments(access.files),
        approvals=task.approvals,
        earlier_tools=task.earlier_tools,
        suggested=task.suggested,
        instructions=task.instructions,
        project_instructions=task.project_instructions,
        awaits=task.awaits,
        subquestions=run.subquestions,
        web=WebSession.of(run.journal.progress.messages, run.journal.result),
        context=run.window,
        cells=Cells(partial(stores.results, task) if task.turns or task.summary else None),
        cut_calls=run.seam.calls,
        site=task.site,
        chat_tools=task.chat_tools,
    )


async def question(run: Run, deps: Deps) -> str | list[UserContent]:
    """The question as it is sent to the model, with the files that it mentions.

    The files are looked up in the asker's own Drive, because the names and ids that a page sends are not trusted.

    Args:
        run: The run.
        deps: The dependencies with the asker's Drive. Names and resource keys of mentioned files are added to them.
    """
    mentions = question_files.mentions_of(run.task.asked)[: question_files.MOST_MENTIONS]
    named = await _mentioned_files(run, deps, mentions) if mentions else []
    return file_mentions.prompt(run.task.question, named, question_files.attachments_of(run.task.asked))


async def _mentioned_files(
    run: Run, deps: Deps, mentions: Sequence[question_files.Mention]
) -> list[file_mentions.Named]:
    """The mentioned files; if the run is stopped, only those that were looked up before."""
    deps.resource_keys.update({one.id: one.resource_key for one in mentions if one.resource_key})
    deps.names.update({one.id: Named(one.name) for one in mentions})
    client = Drive(deps.drive, resource_keys=deps.resource_keys)
    found = await asyncio.gather(*(unless(run.stop.requested, _looked_up(client, one)) for one in mentions))
    return [one for one in found if one is not None]


async def _looked_up(client: Drive, mention: question_files.Mention) -> file_mentions.Named:
    try:
        async with asyncio.timeout(MENTION_SECONDS):
            file = await client.get_file(DriveLink(mention.id, mention.resource_key), about=Named(mention.name))
    except errors.LeafError as error:
        return file_mentions.Named(mention.id, mention.name, reason=error.message)
    except TimeoutError:
        log.info("a mentioned file was not looked up in time")
        return file_mentions.Named(mention.id, mention.name, reason="Google Drive did not answer in time.")
    return file_mentions.Named(file.id, mention.name, file)
