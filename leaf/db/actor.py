"""Whom a transaction acts for."""

from dataclasses import dataclass
from typing import Literal, Self
from uuid import UUID


@dataclass(frozen=True)
class Visitor:
    """A guest: one browser without an account, and the one chat that it has."""

    id: UUID
    """What its questions are counted by."""
    chat_id: UUID
    address: str = ""
    """Where it asks from, as it is counted (`leaf.addresses.counted`); empty of a worker that answers for it."""


@dataclass(frozen=True)
class Actor:
    """Somebody on whose behalf something is done: a required argument of everything that touches the database."""

    kind: Literal["user", "worker", "administrator", "system", "guest", "visitor"]
    user_id: UUID | None
    """Whose rows are visible; none for the system, which sees no row and may call the `leaf_…` functions alone, and for
    guests, who have no transactions."""
    workspace_id: UUID | None = None
    visitor: Visitor | None = None
    """Of a guest."""

    def __post_init__(self) -> None:
        if (self.user_id is None) != (self.kind in {"system", "guest"}):
            raise ValueError(f"A {self.kind} actor {'needs a' if self.user_id is None else 'has no'} user_id.")
        if (self.visitor is not None) != (self.kind == "guest"):
            raise ValueError("A guest, and nobody else, is a visitor.")

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
    def visiting(cls, user_id: UUID, workspace_id: UUID) -> Self:
        """A visitor of a tenant's site: their row of users, and the workspace of the tenant."""
        return cls("visitor", user_id, workspace_id)

    @classmethod
    def guest(cls, visitor: Visitor) -> Self:
        """Somebody without an account, for whom the database does not exist."""
        return cls("guest", None, visitor=visitor)

    @classmethod
    def system(cls) -> Self:
        """Leaf itself, before anybody is known: signing in, looking up a session, finding unfinished runs."""
        return cls("system", None)
