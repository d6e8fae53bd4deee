"""The settings of tools that run at the caller."""

from pydantic import Field
from pydantic_settings import BaseSettings


class ClientToolSettings(BaseSettings):
    """How long they may take, and how often they may be called back."""

    client_tool_seconds: float = Field(60, gt=0, le=86_400, validation_alias="LEAF_CLIENT_TOOL_SECONDS")
    """Seconds that one call of a tool at the caller may take; then the answer ends and says so."""
    client_run_seconds: float = Field(600, gt=0, le=86_400, validation_alias="LEAF_CLIENT_RUN_SECONDS")
    """Seconds that an answer with such tools may take, its waiting included."""
    client_lease_seconds: float = Field(15, gt=0, le=3600, validation_alias="LEAF_CLIENT_LEASE_SECONDS")
    """Seconds for which a tab that has claimed a call has it to itself, unless it claims it again."""
    tool_planner: bool = Field(True, validation_alias="LEAF_TOOL_PLANNER")
    """Whether a model chooses which of these tools are offered, and after each result whether to go on."""
    client_calls_per_minute: int = Field(240, ge=1, le=100_000, validation_alias="LEAF_CLIENT_CALLS_PER_MINUTE")
    """Claims and results of such calls that one person may send within any minute."""
