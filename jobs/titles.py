"""Titles of new chats. A model writes the title while the first answer is written. It never fails the answer."""

import asyncio
import logging
import re
import textwrap

from jobs.run import usage
from leaf import config, errors
from leaf.agent import models, side_texts
from leaf.config import catalog
from leaf.services import chats, runs

log = logging.getLogger(__name__)

TITLE_SECONDS = 15.0
_ADDRESS = re.compile(r"https?://\S+")


async def give_title(task: runs.Assignment) -> None:
    """Gives a new chat the title that a model writes, or else the first words of the question.

    A title that a member has set is kept.
    """
    if not task.untitled or not config.current().titles:
        return
    title = ""
    try:
        async with asyncio.timeout(TITLE_SECONDS):
            model = catalog.side_model(config.current(), "title")
            title, response = await side_texts.title(models.build(model), task.question)
            await usage.enter(task, "title", model, response)
    except Exception as error:  # noqa: BLE001 - a failed title must not fail the answer
        log.warning("run %s: no title was written (%s)", task.run_id, type(error).__name__)
    try:
        await chats.set_generated_title(task.actor, task.chat_id, title or first_words(task.question))
    except errors.DatabaseUnavailable:
        log.warning("run %s: the title is not stored (no database); the next answer tries again", task.run_id)


def first_words(question: str) -> str:
    """The beginning of a question, cut between words. Web addresses are left out, unless there is nothing else."""
    bare = " ".join(_ADDRESS.sub(" ", question).split())
    question = bare if any(one.isalnum() for one in bare) else question
    cut = textwrap.shorten(question, side_texts.TITLE_CHARACTERS, placeholder="…")
    return cut if cut != "…" else " ".join(question.split())[: side_texts.TITLE_CHARACTERS]
