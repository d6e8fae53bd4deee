"""The settings of tenants, whose agents answer the visitors of other sites."""

from decimal import Decimal

from pydantic import Field
from pydantic_settings import BaseSettings


class TenantSettings(BaseSettings):
    """What tenants may."""

    tenants: bool = Field(True, validation_alias="LEAF_TENANTS")
    """Whether people can make tenants, and public keys lead anywhere."""
    tenant_monthly_tokens: int | None = Field(None, ge=1, validation_alias="LEAF_TENANT_MONTHLY_TOKENS")
    """Tokens that all visitors of one tenant may use in a month (UTC), at most; a tenant may set less."""
    tenant_monthly_usd: Decimal | None = Field(None, gt=0, validation_alias="LEAF_TENANT_MONTHLY_USD")
    """US dollars that all visitors of one tenant may use in a month (UTC), at most; a tenant may set less."""
    provider_log_days: int = Field(7, ge=1, le=90, validation_alias="LEAF_PROVIDER_LOG_DAYS")
    """How long the requests to a model are kept, and its responses, of agents whose members have switched that on."""
