"""Sign-in providers: Google (or the sandbox in its place), and the OpenID Connect providers in the settings.

Each provider has one button on the landing page. The providers besides Google are those of `LEAF_SIGN_IN_PROVIDERS`.
"""

import asyncio
from dataclasses import dataclass

import httpx

from leaf import config, errors
from leaf.google import oauth

GOOGLE = "google"

_discovered: dict[str, dict[str, str]] = {}


@dataclass(frozen=True)
class ProviderInfo:
    """A provider as the landing page shows it."""

    id: str
    label: str


def listed() -> tuple[ProviderInfo, ...]:
    """The configured providers, Google first."""
    others = (ProviderInfo(provider.id, provider.label) for provider in config.current().sign_in_providers)
    return (ProviderInfo(GOOGLE, "Google"), *others)


def proving() -> frozenset[str]:
    """The ids of the providers that prove that an e-mail address belongs to its owner.

    Any provider may send `email_verified`. It counts only from Google and from providers with `verifies_email`.
    """
    return frozenset({GOOGLE, *(one.id for one in config.current().sign_in_providers if one.verifies_email)})


def google_client() -> oauth.Client:
    """Leaf's client at Google, or at the sandbox if no client is configured."""
    settings = config.current()
    if settings.uses_sandbox_google:
        base = (settings.sandbox_url or "").rstrip("/")
        return oauth.Client(
            client_id=config.SANDBOX_CLIENT_ID,
            client_secret=config.SANDBOX_CLIENT_SECRET,
            issuer=base,
            authorization_url=f"{base}/o/oauth2/v2/auth",
            token_url=f"{base}/token",
            revocation_url=f"{base}/revoke",
            jwks_url=f"{base}/oauth2/v3/certs",
        )
    return oauth.Client(
        client_id=str(settings.google_client_id),
        client_secret=str(settings.google_client_secret),
        issuer="https://accounts.google.com",
        authorization_url="https://accounts.google.com/o/oauth2/v2/auth",
        token_url="https://oauth2.googleapis.com/token",  # noqa: S106 - an address
        revocation_url="https://oauth2.googleapis.com/revoke",
        jwks_url="https://www.googleapis.com/oauth2/v3/certs",
    )


def forget() -> None:
    """Makes the next sign-in fetch discovery documents and keys again, for example after a change at a provider."""
    _discovered.clear()
    oauth.forget_keys()


async def client(provider_id: str) -> oauth.Client:
    """The OAuth client of a provider.

    Raises:
        errors.NotFound: No such provider is configured.
        errors.Unavailable: Its discovery document cannot be read.
    """
    if provider_id == GOOGLE:
        return google_client()
    for provider in config.current().sign_in_providers:
        if provider.id == provider_id:
            found = await _discover(provider.issuer)
            return oauth.Client(
                client_id=provider.client_id,
                client_secret=provider.client_secret,
                issuer=found["issuer"],
                authorization_url=found["authorization_endpoint"],
                token_url=found["token_endpoint"],
                revocation_url=found.get("revocation_endpoint", ""),
                jwks_url=found["jwks_uri"],
            )
    raise errors.NotFound("sign-in provider")


async def _discover(issuer: str) -> dict[str, str]:
    """The provider's discovery document (OpenID Connect Discovery 1.0, section 4), cached in this process.

    Raises:
        errors.Unavailable: The document cannot be fetched, is malformed, or belongs to another issuer.
    """
    if issuer not in _discovered:
        url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
        try:
            async with asyncio.timeout(oauth.TIMEOUT_SECONDS), httpx.AsyncClient() as http:
                document = (await http.get(url)).raise_for_status().json()
            wanted = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")
            if any(not isinstance(document.get(name), str) for name in wanted):
                raise ValueError(url)
            # Section 4.3: a document with another issuer must not be used.
            if document["issuer"].rstrip("/") != issuer.rstrip("/"):
                raise ValueError(document["issuer"])
        except (httpx.HTTPError, ValueError, AttributeError, TimeoutError) as error:
            raise errors.Unavailable("The sign-in service does not answer as it should. Please try again.") from error
        _discovered[issuer] = document
    return _discovered[issuer]
