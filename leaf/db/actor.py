"""The party on whose behalf a transaction runs."""

from dataclasses import dataclass
from typing import Literal, Self
from uuid import UUID

from leaf import audiences, errors
from leaf.audiences import Audience


@dataclass(frozen=True)
class Guest:
    """A browser without an account, and its one chat."""

    id: UUID
    """The id by which the guest's questions are counted."""
    chat_id: UUID
    address: str = ""
    """The client's address, normalised as a key of rate limits (`leaf.callers.counted`); empty in a worker."""


@dataclass(frozen=True)
class Actor:
    """The party on whose behalf something is done. Everything that uses the database takes an actor."""

    kind: Literal["user", "worker", "administrator", "system", "guest", "site_visitor"]
    """The kind of rights in the database; `user` is a signed-in member. `audience` tells audiences apart."""
    user_id: UUID | None
    """The person whose rows are visible. It is None for the system, which sees no rows and may only call the `leaf_…`
    functions, and for guests, who have no transactions.
    """
    workspace_id: UUID | None = None
    guest_identity: Guest | None = None
    """Set only for guests."""
    audience: Audience = audiences.MEMBER

    def __post_init__(self) -> None:
        if (self.user_id is None) != (self.kind in {"system", "guest"}):
            raise ValueError(f"A {self.kind} actor {'needs a' if self.user_id is None else 'has no'} user_id.")
        if (self.guest_identity is not None) != (self.kind == "guest"):
            raise ValueError("A guest actor, and no other, has a guest_identity.")

    @property
    def asker_id(self) -> UUID:
        """The id of the member, guest or site visitor who asks.

        Raises:
            ValueError: The actor is Leaf itself.
        """
        found = self.user_id or (self.guest_identity.id if self.guest_identity is not None else None)
        if found is None:
            raise ValueError(f"A {self.kind} actor asks nothing.")
        return found

    @property
    def member_id(self) -> UUID:
        """The id of the person whose rows are visible: a member or a site visitor.

        Raises:
            errors.Unauthenticated: The actor is Leaf itself, or a guest.
        """
        if self.user_id is None:
            raise errors.Unauthenticated
        return self.user_id

    @property
    def own_workspace_id(self) -> UUID:
        """The workspace in which the person acts.

        Raises:
            errors.Unauthenticated: The actor has no workspace.
        """
        if self.workspace_id is None:
            raise errors.Unauthenticated
        return self.workspace_id

    @classmethod
    def user(cls, user_id: UUID, workspace_id: UUID | None = None) -> Self:
        """A signed-in member, in one of their workspaces."""
        return cls("user", user_id, workspace_id)

    @classmethod
    def worker_for(
        cls, user_id: UUID, workspace_id: UUID | None = None, *, audience: Audience = audiences.MEMBER
    ) -> Self:
        """A job that works for a person, with that person's rights."""
        return cls("worker", user_id, workspace_id, audience=audience)

    @classmethod
    def administrator(cls, user_id: UUID) -> Self:
        """An administrator of this Leaf, who sees only their own rows and may also call the `leaf_admin_…`
        functions.
        """
        return cls("administrator", user_id)

    @classmethod
    def site_visitor(cls, user_id: UUID, workspace_id: UUID) -> Self:
        """A visitor of a site. `user_id` is the visitor's row in `users`, and `workspace_id` the workspace of the
        site.
        """
        return cls("site_visitor", user_id, workspace_id, audience=audiences.SITE_VISITOR)

    @classmethod
    def site_reader(cls, user_id: UUID) -> Self:
        """A member of a site's team, who reads the conversations of its visitors."""
        return cls("user", user_id, audience=audiences.SITE_READER)

    @classmethod
    def guest(cls, identity: Guest) -> Self:
        """A guest, who has no access to the database."""
        return cls("guest", None, guest_identity=identity, audience=audiences.GUEST)

    @classmethod
    def system(cls) -> Self:
        """Leaf itself, for work without a known person: sign-in, session look-up, unfinished runs."""
        return cls("system", None)
