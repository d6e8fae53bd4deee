"""The settings of those who run Leaf: what they see of it, what it keeps for them, and what stands in front of it."""

from pydantic import Field
from pydantic_settings import BaseSettings

from leaf import callers

_TOKEN_CHARACTERS = 16


class OperationsSettings(BaseSettings):
    """Metrics, the log of security events, and proxies."""

    metrics_token: str | None = Field(None, repr=False, validation_alias="LEAF_METRICS_TOKEN")
    """Whoever sends it as a bearer token may read `/metrics`; at least 16 characters."""
    metrics_loopback: bool = Field(False, validation_alias="LEAF_METRICS_LOOPBACK")
    """Whether this machine itself may read `/metrics` without a token, as long as no proxy is between."""
    audit_days: int = Field(180, ge=7, le=3650, validation_alias="LEAF_AUDIT_DAYS")
    """Days for which security events are kept."""
    trusted_proxies: str = Field("", validation_alias="LEAF_TRUSTED_PROXIES")
    """Networks of one's own proxies (CIDR, comma-separated), whose `X-Forwarded-For` is believed."""

    @property
    def proxies(self) -> tuple[callers.Network, ...]:
        """The networks whose `X-Forwarded-For` is believed."""
        return callers.networks(self.trusted_proxies)

    @property
    def operations_problems(self) -> list[str]:
        """What is malformed: one line per problem."""
        problems: list[str] = []
        if self.metrics_token is not None and len(self.metrics_token) < _TOKEN_CHARACTERS:
            problems.append(f"LEAF_METRICS_TOKEN: must have at least {_TOKEN_CHARACTERS} characters")
        try:
            trusted = self.proxies
        except ValueError:
            return [*problems, "LEAF_TRUSTED_PROXIES: must be networks such as 10.0.0.0/8, comma-separated"]
        if any(network.prefixlen == 0 for network in trusted):
            problems.append("LEAF_TRUSTED_PROXIES: must not be every address there is")
        return problems
