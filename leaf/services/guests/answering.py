"""What a worker does with a guest's run: learns what to answer, and keeps the answer where the chat is."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from leaf import catalog, parts
from leaf.db.actor import Actor
from leaf.db.models import MessageRole, utc_now
from leaf.services import runs
from leaf.services.guests import asking, store
from leaf.services.runs import answering, choosing, waiting
from leaf.services.runs.answering import Assignment, Outcome


async def assignment(run_id: UUID) -> Assignment | None:
    """What a worker needs for a guest's run; None where it is none, is gone, or has ended.

    Of a chat that has become a member's, the run is theirs as well (`runs.assignment`).

    Raises:
        errors.RedisUnavailable: Redis does not answer.
    """
    chat = await store.of_run(run_id)
    answer = chat.unfinished if chat is not None else None
    if chat is None or answer is None or answer.workflow_run_id != run_id:
        return None
    earlier = chat.rows[:-1]
    model, details = choosing.model_of(answer)
    questions = [parts.text_of({"parts": row.parts}) for row in earlier if row.role is MessageRole.USER]
    offering = [part for row in earlier for part in row.parts if part.get("type") in parts.OFFERING]
    turns = [row for row in earlier if row.model_messages]
    return Assignment(
        actor=Actor.guest(chat.guest),
        run_id=run_id,
        message_id=answer.id,
        chat_id=chat.guest.chat_id,
        model=model,
        mode=catalog.chosen(answer.details.get("searchMode"), None)[0],
        details=details,
        question=questions[-1],
        untitled=False,
        waited=waiting.waited(answer, details),
        history=[row.model_messages for row in turns if row.model_messages],
        turns=[row.id for row in turns],
        clicked=parts.clicked(questions, offering),
    )


async def finish(task: Assignment, outcome: Outcome) -> bool:
    """Keeps how a guest's run ended; the answer of a chat that was kept meanwhile is its keeper's.

    Returns:
        False where the answer is gone, or was ended by somebody else.

    Raises:
        errors.DatabaseUnavailable: The chat was kept, and the database does not answer.
        errors.RedisUnavailable: Redis does not answer.
    """
    while True:
        chat = await store.of_run(task.run_id)
        if chat is None:
            return False
        if chat.kept and chat.keeper is not None:
            return await runs.finish(replace(task, actor=Actor.worker_for(chat.keeper)), outcome)
        answer = chat.unfinished
        if answer is None or answer.workflow_run_id != task.run_id:
            return False
        answering.settle(answer, task.model, outcome)
        answer.updated_at = utc_now()
        if await store.write(chat, ended=task.run_id):
            return True


async def announce(task: Assignment) -> None:
    """Tells open pages that the run has ended."""
    if task.actor.guest_identity is not None:
        await asking.tell(task.actor.guest_identity)
    chat = await store.of_run(task.run_id)
    if chat is not None and chat.kept and chat.keeper is not None:
        await runs.announce(replace(task, actor=Actor.worker_for(chat.keeper)))


async def unfinished(older_than: timedelta) -> list[UUID]:
    """Guests' runs that have not ended, begun at least so long ago."""
    return await store.unfinished(older_than)
