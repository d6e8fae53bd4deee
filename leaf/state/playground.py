"""Trying an agent out on its page: the answer as a visitor would see it, while it is written."""

from contextlib import aclosing
from typing import Any

import reflex as rx

from leaf import errors, texts
from leaf.services import runs, tenants
from leaf.state import session
from leaf.state.site_agent import agent_in
from leaf.visiting import Frame, Frames


class PlaygroundState(rx.State):
    """What was tried last."""

    asked: str = ""
    told: str = ""
    """The answer so far, as text."""
    tools: list[str] = []  # noqa: RUF012 - Reflex copies it
    problem: str = ""
    busy: bool = False

    @rx.event(background=True)
    async def ask(self, form: dict[str, Any]) -> None:
        """Asks, and shows the answer while it is written; it ends with the answer."""
        who = await session.required(self)
        content = str(form.get("content", ""))
        agent_id = agent_in(str(self.router.url.path))
        async with self:
            if self.busy:
                return
            self.asked, self.told, self.tools, self.problem, self.busy = content, "", [], "", True
        try:
            visitor, run_id = await tenants.try_out(who.actor, agent_id, content)
            frames = Frames()
            async with aclosing(runs.follow(visitor, run_id)) as batches:
                async for chunks in batches:
                    if told := frames.feed(chunks):
                        async with self:
                            self._show(told)
            ended = await runs.result(visitor, run_id)
            async with self:
                self.problem = ended.error_text or ""
        except errors.NotFound:
            raise
        except errors.LeafError as error:
            async with self:
                self.problem = texts.told(error.message)
        finally:
            async with self:
                self.busy = False

    def _show(self, frames: list[Frame]) -> None:
        for frame in frames:
            if frame["type"] == "reset":
                self.told, self.tools = "", []
            elif frame["type"] == "text":
                self.told += frame["delta"]
            elif frame["type"] == "tool_call":
                self.tools = [*self.tools, frame["toolName"]]
