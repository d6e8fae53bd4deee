"""The playground of an agent: an answer as a visitor would see it, while it is written."""

from contextlib import aclosing
from typing import Any

import reflex as rx

from leaf import errors, streams, texts
from leaf.parts import nesting
from leaf.parts.blocks import blocks
from leaf.services import readers, sites
from leaf.sites import Frame, Frames
from leaf.state import session
from leaf.state.site_agent import agent_in
from leaf.streams import Batch, Revoked


class PlaygroundState(rx.State):
    """The last trial."""

    asked: str = ""
    text: str = ""
    """The answer so far, as Markdown."""
    blocks: list[str] = []  # noqa: RUF012
    """The same in the blocks that the page draws."""
    tools: list[str] = []  # noqa: RUF012 - Reflex copies it
    problem: str = ""
    busy: bool = False

    @rx.event(background=True)
    async def ask(self, form: dict[str, Any]) -> None:
        """Sends a question and shows its growing answer; the event ends with the answer."""
        member = await session.required(self)
        content = str(form.get("content", ""))
        agent_id = agent_in(str(self.router.url.path))
        async with self:
            if self.busy:
                return
            self.asked, self.text, self.tools, self.problem, self.busy = content, "", [], "", True
            self.blocks = []
        try:
            chat_id, run_id = await sites.try_out(member.actor, agent_id, content)
            proof = readers.session_proof(member, self.router.headers.cookie)
            frames = Frames()
            async with aclosing(streams.follow(run_id, readers.site_reader(member.actor, chat_id, proof))) as events:
                async for event in events:
                    if isinstance(event, Batch):
                        frames = Frames() if event.anew else frames
                        async with self:
                            self._show(event, frames.feed(event.chunks))
                    elif isinstance(event, Revoked):
                        raise event.error
        except errors.NotFound:
            raise
        except errors.LeafError as error:
            async with self:
                self.problem = texts.told(error.message)
        finally:
            async with self:
                self.busy = False

    def _show(self, batch: Batch, frames: list[Frame]) -> None:
        if batch.anew:
            self.text, self.tools = "", []
        for chunk in batch.chunks:
            if chunk["type"] == "error":
                self.problem = chunk["errorText"]
        for frame in frames:
            if frame["type"] == "reset":
                self.text, self.tools = "", []
            elif frame["type"] == "text":
                self.text += frame["delta"]
            elif frame["type"] == "tool_call":
                self.tools = [*self.tools, frame["toolName"]]
        settled, growing = blocks(self.text)
        self.blocks = [nesting.flattened(one) for one in (*settled, growing) if one.strip()]
