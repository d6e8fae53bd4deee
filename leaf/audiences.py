"""The audiences of Leaf: the groups of people who talk to it, with their permissions. Pure data.

Every actor has an audience (`leaf.db.actor`). Services, pages and jobs find each difference between audiences here or
in the store of the conversation (`leaf.services.conversations`).
"""

from dataclasses import dataclass
from typing import Final, Literal

from leaf import errors, texts

Action = Literal["ask", "retry", "regenerate", "edit", "continue", "answer", "stop", "queue"]
"""An operation on a turn."""

Agent = Literal["leaf", "site"]
"""Leaf's own agent, or the agents of sites."""


@dataclass(frozen=True)
class Audience:
    """An audience: one row of the table."""

    name: Literal["member", "guest", "site visitor", "site reader"]
    store: Literal["database", "redis"]
    """The store of the audience's conversations."""
    actions: frozenset[Action]
    """The operations that the audience may perform on turns of its own conversations."""
    agent: Agent = "leaf"
    """The agent that answers."""
    budget: Literal["person", "site", ""] = ""
    """The budget that is charged for answers: the asker's own, the site's, or none."""
    withheld_toolsets: frozenset[str] = frozenset()
    """The ids of Leaf's toolsets that are not offered."""
    message_characters: int = 32_000
    """The maximum length of a message."""
    chooses_model: bool = False
    """Whether askers may choose a type of model, or a model by name."""
    has_files: bool = False
    """Whether chats have files, which may come with a message."""
    has_drive: bool = False
    """Whether answers read the asker's Drive, and messages may name its files."""
    approves: bool = False
    """Whether a call that could send something out waits for the asker's consent. Otherwise it fails."""
    summaries: bool = False
    """Whether summaries of long chats are stored."""
    related_questions: bool = False
    """Whether related questions are written after an answer."""
    sees_models: bool = False
    """Whether failures name the model, which may include the address of a model server."""
    has_knowledge: bool = False
    """Whether answers read the knowledge of the site's agent."""
    sees_budget: bool = True
    """Whether an answer that a budget has ended tells how much of it is left."""
    is_billed: bool = True
    """Whether side requests, such as for titles, are recorded in the ledger of usage."""
    site_records: bool = False
    """Whether requests to models and the use of budgets are recorded for the team of the site."""

    def may(self, action: Action) -> bool:
        """Whether the audience may perform an operation."""
        return action in self.actions

    def require(self, action: Action) -> None:
        """Refuses an operation that is not for this audience.

        Raises:
            errors.Forbidden: The audience may not perform it (`not_for_audience`).
        """
        if action not in self.actions:
            raise errors.Forbidden(texts.english("errors.not_for_audience"), code="not_for_audience")


MEMBER: Final = Audience(
    name="member",
    store="database",
    actions=frozenset({"ask", "retry", "regenerate", "edit", "continue", "answer", "stop", "queue"}),
    budget="person",
    chooses_model=True,
    has_files=True,
    has_drive=True,
    approves=True,
    summaries=True,
    related_questions=True,
    sees_models=True,
)
"""A signed-in person."""

GUEST: Final = Audience(
    name="guest",
    store="redis",
    actions=frozenset({"ask", "retry", "answer", "stop"}),
    withheld_toolsets=frozenset({"drive", "files", "mcp"}),
    approves=True,
    related_questions=True,
    is_billed=False,
)
"""A browser without an account."""

SITE_VISITOR: Final = Audience(
    name="site visitor",
    store="database",
    actions=frozenset({"ask", "answer", "stop"}),
    agent="site",
    has_knowledge=True,
    budget="site",
    sees_budget=False,
    message_characters=8000,
    has_files=True,
    summaries=True,
    site_records=True,
)
"""A visitor of a website, who talks to the agent of the site."""

SITE_READER: Final = Audience(name="site reader", store="database", actions=frozenset())
"""A member of a site's team who reads the conversations of its visitors."""

AUDIENCES: Final = (MEMBER, GUEST, SITE_VISITOR, SITE_READER)
