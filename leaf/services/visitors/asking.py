"""A visitor's message: a question of the same engine as everybody's, answered by the tenant's agent."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from leaf import client_tools, errors
from leaf.catalog import Choice, Kind, Mode
from leaf.client_tools import Declared
from leaf.services import chats
from leaf.services import models as model_service
from leaf.services.runs import Turn, starting, waiting, wording
from leaf.services.visitors import quotas
from leaf.services.visitors.calling import Visiting
from leaf.services.visitors.chats import note_context
from leaf.visiting import Context, PublicAgent

MESSAGE_CHARACTERS: Final = 8000


async def ask(
    who: Visiting,
    chat_id: UUID,
    content: str,
    context: Context,
    *,
    files: Sequence[str] = (),
    address: str = "",
) -> Turn:
    """Stores a message at the end of a chat, and starts its answer.

    Args:
        who: The visitor.
        chat_id: A chat of theirs.
        content: 1-8,000 characters.
        context: What their page says of itself now; what it leaves out stays.
        files: Paths of files of the chat that come with it.
        address: Where they ask from, as it is counted.

    Raises:
        errors.Invalid: It is empty or too long.
        errors.NotFound: There is no such chat for this visitor, or no such file in it.
        errors.Conflict: An answer is still being written in it.
        errors.Forbidden: The agent is paused.
        errors.LimitReached: A quota is reached, or the tenant's budget; nothing was stored.
        errors.RedisUnavailable: The answer cannot be started; nothing was stored.
    """
    actor = who.required()
    asked = wording.of(content, {"files": [*files]})
    if len(text := asked.text) > MESSAGE_CHARACTERS:
        raise errors.Invalid(f"A message has at most {MESSAGE_CHARACTERS:,} characters.", field="content")
    await quotas.asks(who, address)
    try:
        async with starting.beginning(actor, chat_id, tools_of(who)) as begun:
            await note_context(begun.tx, chat_id, context)
            await waiting.give_up(begun.tx, chat_id)
            end = await chats.end_of_path(begun.tx, chat_id)
            await wording.require_files(begun.tx, chat_id, asked.paths)
            question, answer = begun.ask(asked.parts(), choice(who.agent), end)
    except errors.LeafError:
        await quotas.came_to_nothing(who, address)
        raise
    title = chats.title_of(begun.chat) if begun.chat.title else " ".join(text.split())[:80]
    await starting.begin(actor, answer)
    return Turn(chats.message_of(question), chats.message_of(answer), title, chat_id)


def tools_of(who: Visiting) -> Declared | None:
    """The tools that run in the visitor's page; none where a member tries the agent out, who has no such page."""
    if who.kind == "member" or not who.agent.client_tools:
        return None
    return client_tools.stored({"tools": who.agent.client_tools})


def choice(agent: PublicAgent) -> Choice:
    """What an agent answers with: its model, as long as that is offered here."""
    usual = model_service.select(Mode.QUICK, Kind.SPEED)
    offered = {one.id for one in model_service.offered()}
    return Choice(usual.mode, usual.kind, agent.model) if agent.model in offered and agent.model else usual
