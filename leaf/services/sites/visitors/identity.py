"""Callers with a public key: the agent of the key, and the identity of the visitor."""

import logging
import re
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from leaf import config, errors, sites
from leaf.callers import tokens
from leaf.db.session import Actor, Transaction, transaction
from leaf.sites import SiteAgent

log = logging.getLogger(__name__)

PREFIX: Final = "leaf_pk_"
_LONGEST_KEY: Final = 200
SESSION: Final = re.compile(r"[A-Za-z0-9_-]{22,128}")
"""The form of a browser's session id. 22 characters of base64 have 132 bits."""

Kind = Literal["session", "trusted", "signed", "member"]


@dataclass(frozen=True)
class Keyed:
    """The agent of a public key."""

    agent: SiteAgent
    secrets: tuple[str, ...]
    """The encrypted secrets with which the site signs user tokens."""


@dataclass(frozen=True)
class Claims:
    """The identity that a request claims. Missing claims are empty."""

    session_id: str = ""
    user_id: str = ""
    user_token: str = ""


@dataclass(frozen=True)
class VisitorCaller:
    """A visitor of an agent."""

    agent: SiteAgent
    kind: Kind
    subject: str
    actor: Actor | None
    """The visitor as an actor; None for a visitor without a chat."""

    @property
    def may_list(self) -> bool:
        """Whether the visitor has proved an identity, and may therefore list chats."""
        return self.kind != "trusted"

    @property
    def has_page(self) -> bool:
        """Whether the visitor is on a page of the site that can run tools. A member of the team on a trial is not."""
        return self.kind != "member"

    def required(self) -> Actor:
        """The visitor as an actor.

        Raises:
            errors.NotFound: The visitor has begun no chat.
        """
        if self.actor is None:
            raise errors.NotFound("chat")
        return self.actor


async def agent_of(key: str) -> Keyed:
    """The agent of a public key.

    Raises:
        errors.Unauthenticated: No agent has this key (`unknown_key`).
    """
    if key.startswith(PREFIX) and len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable():
        async with transaction(Actor.system(), read_only=True) as tx:
            row = (await tx.call("leaf_public_agent", key)).one_or_none()
        if row is not None:
            return Keyed(SiteAgent.of(row.agent), tuple(row.secrets))
    raise refused("unknown_key", "This key is unknown or was revoked.")


async def is_allowed_somewhere(origin: str) -> bool:
    """Whether at least one agent allows an origin."""
    async with transaction(Actor.system(), read_only=True) as tx:
        return bool((await tx.call("leaf_origin_allowed", origin)).scalar_one())


async def identify(keyed: Keyed, claims: Claims, *, begins: bool = False) -> VisitorCaller:
    """The visitor who sends a request, by the strongest claim of the request.

    Args:
        keyed: The agent of the request's key.
        claims: The claims of the request.
        begins: Whether the request begins a chat. If so, an unknown visitor is added.

    Raises:
        errors.Unauthenticated: The request claims nothing (`identity_required`), its token is invalid
            (`invalid_user_token`), or the agent requires a token (`user_token_required`).
        errors.Invalid: A session id or user id is malformed.
    """
    kind, subject = _proven(keyed, claims)
    async with transaction(Actor.system()) as tx:
        actor = await visitor(tx, keyed.agent.id, kind, subject, adds=begins)
    return VisitorCaller(keyed.agent, kind, subject, actor)


async def visitor(tx: Transaction, agent_id: UUID, kind: str, subject: str, *, adds: bool) -> Actor | None:
    """The visitor of an agent with a kind and subject. If there is none, adds one if `adds`, else returns None."""
    row = (await tx.call("leaf_visitor", agent_id, kind, subject, adds)).one_or_none()
    return None if row is None else Actor.site_visitor(row.user_id, row.workspace_id)


def _proven(keyed: Keyed, claims: Claims) -> tuple[Kind, str]:
    session = session_subject(claims.session_id) if claims.session_id else ""
    if claims.user_id and not sites.is_user(claims.user_id):
        raise errors.Invalid("A user id has 1-255 printable characters.", field="userId")
    identity = keyed.agent.identity
    if claims.user_token:
        token = sites.verified(claims.user_token, _opened(keyed))
        if token is None:
            raise refused("invalid_user_token", "This user token is not valid, or has expired. Ask for a new one.")
        if claims.user_id and claims.user_id != token.user_id:
            raise refused("invalid_user_token", "This user token is another user's.")
        return "signed", token.user_id
    if identity == "signed" or (claims.user_id and identity == "proven"):
        raise refused("user_token_required", "This site has to prove who you are: it sends no user token.")
    if claims.user_id:
        return "trusted", claims.user_id
    if session:
        return "session", session
    raise refused("identity_required", "Send a session id, a user id or a user token.")


def _opened(keyed: Keyed) -> list[str]:
    """The decrypted secrets of an agent's site. Secrets whose key is no longer configured are left out."""
    sealer, found = config.current().sealer, list[str]()
    for sealed in keyed.secrets:
        try:
            found.append(sealer.open(sealed))
        except errors.ConfigurationError:
            log.warning("a signing secret of site %s cannot be opened: make a new one", keyed.agent.site_id)
    return found


def session_subject(session_id: str) -> str:
    """The stored form of a session id. It is a hash, because the session id is a secret of its browser.

    Raises:
        errors.Invalid: The session id is malformed.
    """
    if not SESSION.fullmatch(session_id):
        raise errors.Invalid("A session id has 22-128 characters of A-Z, a-z, 0-9, - and _.", field="sessionId")
    return tokens.digest(session_id)


def refused(code: str, message: str) -> errors.Unauthenticated:
    """The error that refuses a caller, with a code for programs."""
    error = errors.Unauthenticated(message)
    error.code = code
    return error
