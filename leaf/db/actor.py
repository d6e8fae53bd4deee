"""Whom a transaction acts for."""

from dataclasses import dataclass
from typing import Literal, Self
from uuid import UUID


@dataclass(frozen=True)
class Actor:
    """Somebody on whose behalf something is done: a required argument of everything that touches the database."""

    kind: Literal["user", "worker", "administrator", "system"]
    user_id: UUID | None
    """Whose rows are visible; none for the system, which sees no row and may call the `leaf_…` functions alone."""
    workspace_id: UUID | None = None

    def __post_init__(self) -> None:
        if (self.user_id is None) != (self.kind == "system"):
            raise ValueError(f"A {self.kind} actor {'needs a' if self.user_id is None else 'has no'} user_id.")

    @classmethod
    def user(cls, user_id: UUID, workspace_id: UUID | None = None) -> Self:
        """A signed-in person, in one of their workspaces."""
        return cls("user", user_id, workspace_id)

    @classmethod
    def worker_for(cls, user_id: UUID) -> Self:
        """A job that answers for the person who asked; it may do what that person may."""
        return cls("worker", user_id)

    @classmethod
    def administrator(cls, user_id: UUID) -> Self:
        """An administrator of this Leaf: may call the `leaf_admin_…` functions, and sees no more rows than before."""
        return cls("administrator", user_id)

    @classmethod
    def system(cls) -> Self:
        """Leaf itself, before anybody is known: signing in, looking up a session, finding unfinished runs."""
        return cls("system", None)
