"""OAuth flows between their two halves: what a flow remembers travels in a sealed cookie of the browser that began it.

The cookie is named after the state, so flows in several tabs do not disturb each other; it lives ten minutes and is
deleted when the flow ends, so a state is good for one use, in one browser.
"""

import json
import time
from dataclasses import asdict, dataclass, field
from typing import Literal

from starlette.requests import cookie_parser

from leaf import config, errors, tokens
from leaf.google import oauth

LIFETIME_SECONDS = 600
_PATH_BYTES = 1500
"""A path longer than this would make the cookie larger than the 4 kB that browsers keep."""

Purpose = Literal["sign-in", "connect"]


@dataclass(frozen=True)
class Flow:
    """What the second half of a flow needs to know of the first."""

    purpose: Purpose
    provider: str
    state: str = field(repr=False)
    nonce: str = field(repr=False)
    code_verifier: str = field(repr=False)
    redirect_uri: str
    next_path: str
    expires_at: float
    user_id: str = ""
    """For `connect`: who began it; the answer is stored for nobody else."""
    keeps: str = ""
    """For `sign-in`: the guest whose chat it is to keep, as the browser's cookie proved it when the flow began."""


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
    """The name and value of the cookie for a flow that has begun."""
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
    """The name of the cookie for a state. The state itself may come from a stranger, so it is hashed.

    The prefix keeps sites on sibling domains from planting a flow of theirs, which would sign a person in as another.
    """
    prefix = "__Host-" if config.current().secure_cookies else ""
    return f"{prefix}leaf_flow_{tokens.digest(state)[:16]}"


def recall(cookie_header: str, state: str, *, purpose: Purpose) -> Flow:
    """The flow that this browser began with this state.

    Raises:
        errors.SignInFailed: There is none: the state is wrong, was used, has expired, or is another browser's.
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
    """A path of Leaf's own pages to go to afterwards; `default` for anything else.

    Two slashes at the start, or one with a backslash, would leave Leaf in the eyes of a browser, which also drops tabs
    and line ends wherever they stand.
    """
    if not path or not path.startswith("/") or path.startswith("//") or len(json.dumps(path)) > _PATH_BYTES:
        return default
    if "\\" in path or any(ord(character) < 32 for character in path):
        return default
    return path
