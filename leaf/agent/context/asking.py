"""How models are asked, beside what they are asked: thinking, prompt caching, and what a provider may keep."""

from uuid import UUID

from pydantic_ai.models.openai import OpenAIResponsesModelSettings
from pydantic_ai.settings import ModelSettings

from leaf import config


def settings(chat_id: UUID) -> ModelSettings:
    """The settings of a run's requests; each provider takes those that it knows.

    OpenAI keeps no responses (`store` is false): what its models have thought comes back encrypted and is sent again,
    so a conversation goes on as it would with the id of the response before.

    Args:
        chat_id: The chat. Requests of one chat begin alike, so they look for each other's cached prompts.
    """
    asked = OpenAIResponsesModelSettings(cache=True, openai_store=False, openai_prompt_cache_key=f"leaf-{chat_id}")
    thinking = config.current().thinking
    if thinking == "off":
        asked["thinking"] = False
    elif thinking != "default":
        asked["thinking"] = thinking
        # What OpenAI's models think is readable as a summary alone. It gives none to organisations that it has not
        # verified, so one is asked for only where somebody has set how much is to be thought.
        asked["openai_reasoning_summary"] = "auto"
    return asked
