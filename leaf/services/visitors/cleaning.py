"""What is kept of visitors no longer."""

from sqlalchemy import text

from leaf.db.session import Actor, transaction


async def expire() -> int:
    """Hides the chats that their agents keep no longer; `chats.purge` removes them. Visitors without anything go, too.

    Returns:
        How many chats were hidden.
    """
    async with transaction(Actor.system()) as tx:
        found = await (await tx.session.connection()).execute(text("SELECT leaf_expire_widget_chats()"))
        return int(found.scalar_one())
