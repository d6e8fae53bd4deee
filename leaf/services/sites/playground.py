"""Trying an agent out: a member asks it as a visitor would, in a chat of its own."""

from typing import Final
from uuid import UUID

from leaf import errors
from leaf.db.session import Actor, transaction
from leaf.services import conversations
from leaf.services.sites import visitors
from leaf.services.sites.agents import read_agent
from leaf.services.sites.visitors.identity import Visiting, visitor
from leaf.sites import Context, PublicAgent

SAMPLE: Final[Context] = {
    "pageUrl": "https://shop.example/orders/7",
    "referrer": "https://www.example.org/",
    "userAgent": "Mozilla/5.0 (X11; Linux x86_64)",
    "locale": "de-AT",
    "timezone": "Europe/Vienna",
    "customMetadata": {"plan": "pro"},
}
"""A visitor's page, for trying out and for the preview of the prompt."""


async def try_out(actor: Actor, agent_id: UUID, content: str) -> tuple[UUID, UUID]:
    """Asks an agent in a new chat; the turn counts and costs like a site visitor's.

    Args:
        actor: A member of the site's team.
        agent_id: The agent.
        content: The question, 1-8,000 characters.

    Returns:
        The new chat, and the run of the answer.

    Raises:
        errors.NotFound: The agent does not exist for this member.
        errors.LeafError: The question is refused like a site visitor's.
    """
    row = await read_agent(actor, agent_id)
    agent = PublicAgent.of({"id": str(row.id), "tenant_id": str(row.site_id), **row.settings})
    subject = str(actor.user_id)
    async with transaction(Actor.system()) as tx:
        found = await visitor(tx, agent.id, "member", subject, adds=True)
    who = Visiting(agent, "member", subject, found)
    await visitors.may_begin(who, "")
    chat_id = await visitors.begin(who, SAMPLE)
    turn = await conversations.ask(who.required(), chat_id, content, terms=visitors.terms(who, {}, ""))
    if turn.assistant.run_id is None:
        raise errors.LeafError.unexpected()
    return chat_id, turn.assistant.run_id
