"""The playground of an agent. It shows an answer as a site visitor sees it while it is written.

It draws the frames of the widget, so it follows the run itself and not through `leaf.state.run_feed`.
"""

from contextlib import aclosing
from typing import Any

import reflex as rx

from leaf import errors, streams, texts
from leaf.parts import nesting
from leaf.parts.blocks import blocks
from leaf.services import readers, sites
from leaf.sites import Frame, Frames
from leaf.state import session
from leaf.state.site_agent import agent_of
from leaf.streams import Batch, Event, Lost, Revoked, Untaken
from leaf.views.events import tool_label


class PlaygroundState(rx.State):
    """The last question that a team member tried, and its answer."""

    asked: str = ""
    text: str = ""
    """The answer so far, as Markdown."""
    blocks: list[str] = []  # noqa: RUF012
    """The answer so far, cut into the blocks that the page draws."""
    tools: list[str] = []  # noqa: RUF012 - Reflex copies it
    """The labels of the tools that were called, each once."""
    problem: str = ""
    busy: bool = False
    lost: bool = False
    """Whether the answer cannot be followed at the moment."""
    untaken: bool = False
    """Whether no worker has taken the question."""
    _part: int = -1
    """The number of the last text part in `text`."""

    @rx.event(background=True)
    async def ask(self, form: dict[str, Any]) -> None:
        """Sends a question and shows its growing answer. The event ends when the answer does."""
        member = await session.required(self)
        content = str(form.get("content", ""))
        agent_id = agent_of(self)
        async with self:
            if self.busy:
                return
            self.asked, self.text, self.tools, self.problem, self.busy = content, "", [], "", True
            self.blocks, self.lost, self.untaken = [], False, False
        try:
            chat_id, run_id = await sites.try_out(member.actor, agent_id, content)
            proof = readers.session_proof(member, self.router.headers.cookie)
            frames = Frames()
            async with aclosing(streams.follow(run_id, readers.site_reader(member.actor, chat_id, proof))) as events:
                async for event in events:
                    if isinstance(event, Revoked):
                        raise event.error
                    if isinstance(event, Batch):
                        frames = Frames() if event.restarts else frames
                    async with self:
                        self._note(event)
                        if isinstance(event, Batch):
                            self._show(event, frames.feed(event.chunks))
        except errors.NotFound:
            raise
        except errors.LeafError as error:
            async with self:
                self.problem = texts.translated(error.message)
        finally:
            async with self:
                self.busy = self.lost = self.untaken = False

    def _note(self, event: Event) -> None:
        """Records whether the run can be followed and whether it waits for a worker."""
        if isinstance(event, Batch):
            self.lost = self.untaken = False
        elif isinstance(event, Lost):
            self.lost = True
        elif isinstance(event, Untaken):
            self.untaken = event.waits

    def _show(self, batch: Batch, frames: list[Frame]) -> None:
        if batch.restarts:
            self.text, self.tools = "", []
        for chunk in batch.chunks:
            if chunk["type"] == "error":
                self.problem = chunk["errorText"]
        for frame in frames:
            if frame["type"] == "reset":
                self.text, self.tools = "", []
            elif frame["type"] == "text":
                begins = self.text != "" and frame["part"] != self._part
                self.text += f"\n\n{frame['delta']}" if begins else frame["delta"]
                self._part = frame["part"]
            elif frame["type"] == "tool_call":
                self.tools = [*dict.fromkeys([*self.tools, tool_label(frame["toolName"])])]
        settled, growing = blocks(self.text)
        self.blocks = [nesting.flattened(one) for one in (*settled, growing) if one.strip()]
