"""The summary of the earlier turns of a chat."""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID


@dataclass(frozen=True)
class Summary:
    """Replacement for the turns up to and including an answer."""

    message_id: UUID
    text: str = ""
    model: str | None = None
    """`provider:name` of the model that wrote the text. None if the text consists of first lines, because no model was
    available."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: Decimal | None = None
