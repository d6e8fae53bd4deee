"""Feedback on answers, and on Leaf."""

from typing import Any

import reflex as rx

from leaf import errors, texts
from leaf.db.session import Actor
from leaf.services import feedback
from leaf.state import notices, session
from leaf.state.page import id_in_path

REASONS = {
    "wrong": "account.reason_wrong",
    "missed": "account.reason_missed",
    "sources": "account.reason_sources",
    "request": "account.reason_request",
    "unclear": "account.reason_unclear",
}
"""The reasons that can be ticked for a bad answer. They are stored as the first words of the comment."""


class FeedbackState(rx.State):
    """The thumbs under the answers of the open chat, the comment box, and the feedback page."""

    thumbs: dict[str, str] = {}  # noqa: RUF012 - Reflex copies it
    """The member's ratings by run: up or down."""
    asking: str = ""
    """The run under whose answer the comment box is open."""
    sent: bool = False
    """Whether the message of the feedback page was stored."""

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads the member's ratings of the open chat."""
        found: dict[str, str] = {}
        try:
            who = await session.required(self)
            sentiments = await feedback.of_chat(who.actor, id_in_path(self, "/chat/", "chat"))
            found = {str(run_id): sentiment for run_id, sentiment in sentiments.items()}
        except (errors.Unauthenticated, errors.NotFound, errors.Unavailable):
            pass  # The tab's attendance shows the failure.
        async with self:
            self.thumbs, self.asking = found, ""

    @rx.event(background=True)
    async def choose(self, run_id: str, sentiment: str) -> None:
        """Sets a rating and opens the comment box. If the same rating is chosen again, removes it."""
        who = await session.required(self)
        run = session.identifier(run_id, "answer")
        removes = self.thumbs.get(run_id) == sentiment
        if removes:
            await feedback.take_back(who.actor, run)
        else:
            await feedback.rate(who.actor, run, sentiment, page=self._page, user_agent=self._user_agent)
        async with self:
            others = {key: value for key, value in self.thumbs.items() if key != run_id}
            self.thumbs = others if removes else {**others, run_id: sentiment}
            self.asking = "" if removes else run_id

    @rx.event(background=True)
    async def comment(self, form: dict[str, Any]):  # noqa: ANN201 - an event's generator
        """Adds the ticked reasons and the comment to the rating."""
        who = await session.required(self)
        run_id = self.asking
        run, sentiment = session.identifier(run_id, "answer"), self.thumbs.get(run_id, "")
        reasons = [texts.say(key) for name, key in REASONS.items() if form.get(f"reasons-{name}")]
        text = "\n".join(filter(None, (" ".join(reasons), str(form.get("comment") or "").strip())))
        if text:
            await feedback.rate(who.actor, run, sentiment, text, page=self._page, user_agent=self._user_agent)
        async with self:
            self.asking = ""
        if text:
            yield notices.info(texts.say("notices.feedback_sent"))

    @rx.event
    def close(self) -> None:
        """Closes the comment box. The rating stays."""
        self.asking = ""

    @rx.event
    def begin(self) -> None:
        """Shows the page's form."""
        self.sent = False

    @rx.event(background=True)
    async def send(self, form: dict[str, str]) -> None:
        """Sends feedback on Leaf, from a member or a signed-out browser."""
        who = await session.optional(self)
        await feedback.send(
            who.actor if who is not None else Actor.system(),
            form.get("comment", ""),
            form.get("sentiment", ""),
            address=session.address(self),
            page=self._page,
            user_agent=self._user_agent,
        )
        async with self:
            self.sent = True

    @property
    def _page(self) -> str:
        """The path of the page that the feedback is about. The feedback page has it in its address."""
        return str(self.router.url.query_parameters.get("page") or self.router.url.path)

    @property
    def _user_agent(self) -> str:
        return self.router.headers.user_agent
