"""The providers of models, and what each needs before it is enabled."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leaf.config.settings import Settings

SANDBOX = "sandbox"
SANDBOX_MODEL = "sandbox:sandbox"


@dataclass(frozen=True)
class Provider:
    """A provider of models.

    Args:
        label: What it is called.
        needs: What has to be set: for each need the settings of which one is enough, as field and variable.
    """

    label: str
    needs: tuple[tuple[tuple[str, str], ...], ...] = ()

    def missing(self, settings: "Settings") -> list[str]:
        """The variables that would have to be set; of several that serve the same, the first one."""
        return [
            need[0][1]
            for need in self.needs
            if not any(str(getattr(settings, field) or "").strip() for field, _ in need)
        ]


_OPENAI = (("openai_api_key", "OPENAI_API_KEY"),)
PROVIDERS: dict[str, Provider] = {
    SANDBOX: Provider("Sandbox"),
    "gateway": Provider("AI Gateway", ((("ai_gateway_api_key", "AI_GATEWAY_API_KEY"),),)),
    "openai": Provider("OpenAI", (_OPENAI,)),
    "openai-chat": Provider("OpenAI (Chat Completions)", (_OPENAI,)),
    "anthropic": Provider("Anthropic", ((("anthropic_api_key", "ANTHROPIC_API_KEY"),),)),
    "anthropic-vertex": Provider(
        "Anthropic on Vertex AI", ((("anthropic_vertex_project_id", "ANTHROPIC_VERTEX_PROJECT_ID"),),)
    ),
    "google": Provider(
        "Google",
        (
            (
                ("google_api_key", "GOOGLE_API_KEY"),
                ("google_generative_ai_api_key", "GOOGLE_GENERATIVE_AI_API_KEY"),
            ),
        ),
    ),
    "openai-compatible": Provider(
        "OpenAI-compatible",
        (
            (("openai_compatible_api_key", "OPENAI_COMPATIBLE_API_KEY"),),
            (("openai_compatible_base_url", "OPENAI_COMPATIBLE_API_BASE_URL"),),
        ),
    ),
    "ollama": Provider("Ollama", ((("ollama_base_url", "OLLAMA_BASE_URL"),),)),
}


def why_not(settings: "Settings", model_id: str) -> str:
    """Why a model cannot be used: empty where it can.

    Args:
        settings: What is set.
        model_id: `provider:name`.
    """
    name = model_id.partition(":")[0]
    provider = PROVIDERS.get(name)
    if provider is None:
        return f"{name!r} is no provider; there are {', '.join(PROVIDERS)}"
    if name == SANDBOX and settings.env == "production":
        return "the sandbox model is refused in production"
    missing = provider.missing(settings)
    return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set" if missing else ""
