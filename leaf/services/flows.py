"""The state of OAuth flows between their two halves, in an encrypted cookie of the browser.

The cookie is named after the OAuth state, so that flows in several tabs do not interfere. It expires after ten minutes
and is deleted at the end of the flow, so that a state works once and in one browser.
"""

import json
import time
from dataclasses import asdict, dataclass, field
from typing import Literal

from starlette.requests import cookie_parser

from leaf import config, errors
from leaf.callers import tokens
from leaf.google import oauth

LIFETIME_SECONDS = 600
_PATH_BYTES = 1500
"""A path longer than this would make the cookie larger than the 4 kB that browsers keep."""

Purpose = Literal["sign-in", "connect"]


@dataclass(frozen=True)
class Flow:
    """The state of a flow, which its first half leaves for the second."""

    purpose: Purpose
    provider: str
    state: str = field(repr=False)
    nonce: str = field(repr=False)
    code_verifier: str = field(repr=False)
    redirect_uri: str
    next_path: str
    expires_at: float
    user_id: str = ""
    """For `connect`: the member who started the flow. The grant is stored for no other member."""
    keeps: str = ""
    """For `sign-in`: the guest whose chat is kept, as proved by the browser's cookie at the start."""


def remember(
    begun: oauth.Begun,
    *,
    purpose: Purpose,
    provider: str,
    redirect_uri: str,
    next_path: str,
    user_id: str = "",
    keeps: str = "",
) -> tuple[str, str]:
    """The name and value of the cookie for a flow that has started."""
    flow = Flow(
        purpose=purpose,
        provider=provider,
        state=begun.state,
        nonce=begun.nonce,
        code_verifier=begun.code_verifier,
        redirect_uri=redirect_uri,
        next_path=next_path,
        expires_at=time.time() + LIFETIME_SECONDS,
        user_id=user_id,
        keeps=keeps,
    )
    return cookie_name(begun.state), config.current().sealer.seal(json.dumps(asdict(flow)))


def cookie_name(state: str) -> str:
    """The name of the cookie for a state. The state is hashed, because it may come from a stranger.

    The prefix keeps sites on sibling domains from planting their own flow, which would sign a person in as somebody
    else.
    """
    prefix = "__Host-" if config.current().secure_cookies else ""
    return f"{prefix}leaf_flow_{tokens.digest(state)[:16]}"


def recall(cookie_header: str, state: str, *, purpose: Purpose) -> Flow:
    """The flow that this browser started with this OAuth state.

    Raises:
        errors.SignInFailed: The state is wrong, used, expired, or another browser's.
    """
    failed = errors.SignInFailed(
        "This sign-in was already used, has expired or was begun elsewhere. Please start again."
    )
    sealed = cookie_parser(cookie_header).get(cookie_name(state))
    if not sealed or not state:
        raise failed
    try:
        flow = Flow(**json.loads(config.current().sealer.open(sealed)))
    except (errors.ConfigurationError, ValueError, TypeError) as error:
        raise failed from error
    if not tokens.same(flow.state, state) or flow.purpose != purpose or flow.expires_at < time.time():
        raise failed
    return flow


def safe_path(path: str | None, default: str) -> str:
    """The target after sign-in: `path` if it leads to one of Leaf's own pages, else `default`.

    Two leading slashes, or a slash and a backslash, would lead to another host. Control characters are refused, because
    browsers drop tabs and line ends anywhere in the path.
    """
    if not path or not path.startswith("/") or path.startswith("//") or len(json.dumps(path)) > _PATH_BYTES:
        return default
    if "\\" in path or any(ord(character) < 32 for character in path):
        return default
    return path
