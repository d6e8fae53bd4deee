"""The settings of web search and of reading web pages."""

from typing import Literal, get_args

from pydantic import Field

from leaf.config.sources import EnvironmentSettings

SearchProvider = Literal["tavily", "brave", "exa", "searxng", "firecrawl"]
FetchProvider = Literal["jina", "tavily"]
"""The first provider with a key is the default, in both lists."""


class WebSettings(EnvironmentSettings):
    """The providers of web search, and of pages that Leaf cannot read by itself."""

    search_provider: SearchProvider | None = Field(None, validation_alias="LEAF_SEARCH_PROVIDER")
    """The provider of searches; by default the first one with a key."""
    search_general_provider: SearchProvider | None = Field(None, validation_alias="LEAF_SEARCH_GENERAL_PROVIDER")
    """The provider of searches of the type `general`; by default the provider of other searches."""
    fetch_provider: FetchProvider | None = Field(None, validation_alias="LEAF_FETCH_PROVIDER")
    """The service that reads pages in the mode `api`; by default the first one with a key."""
    tavily_api_key: str | None = Field(None, repr=False, validation_alias="TAVILY_API_KEY")
    tavily_base_url: str = Field("https://api.tavily.com", validation_alias="TAVILY_BASE_URL")
    brave_api_key: str | None = Field(None, repr=False, validation_alias="BRAVE_API_KEY")
    brave_base_url: str = Field("https://api.search.brave.com", validation_alias="BRAVE_BASE_URL")
    exa_api_key: str | None = Field(None, repr=False, validation_alias="EXA_API_KEY")
    exa_base_url: str = Field("https://api.exa.ai", validation_alias="EXA_BASE_URL")
    firecrawl_api_key: str | None = Field(None, repr=False, validation_alias="FIRECRAWL_API_KEY")
    firecrawl_base_url: str = Field("https://api.firecrawl.dev", validation_alias="FIRECRAWL_BASE_URL")
    searxng_url: str | None = Field(None, validation_alias="SEARXNG_URL")
    """The address of a SearXNG server whose settings permit the format `json`."""
    jina_api_key: str | None = Field(None, repr=False, validation_alias="JINA_API_KEY")
    jina_base_url: str = Field("https://r.jina.ai", validation_alias="JINA_BASE_URL")

    def search_provider_for(self, kind: str) -> SearchProvider | None:
        """The provider of searches of a type (`optimized` or `general`); None if none is configured."""
        if kind == "general" and self.search_general_provider is not None:
            return self.search_general_provider
        if self.search_provider is not None:
            return self.search_provider
        return next((one for one in get_args(SearchProvider) if getattr(self, _needed_for(one))), None)

    @property
    def page_reader(self) -> FetchProvider | None:
        """The service that reads pages in the mode `api`; None if none is configured."""
        if self.fetch_provider is not None:
            return self.fetch_provider
        return next((one for one in get_args(FetchProvider) if getattr(self, _needed_for(one))), None)

    @property
    def web_problems(self) -> list[str]:
        """The problems of these settings, one line each."""
        problems: list[str] = []
        for setting in ("search_provider", "search_general_provider", "fetch_provider"):
            provider = getattr(self, setting)
            # Jina also reads a few pages per minute without a key.
            if provider not in {None, "jina"} and not self.has(needed := _needed_for(provider)):
                problems.append(f"{self.variable(needed)}: is missing; {self.variable(setting)}={provider} needs it")
        return problems


def _needed_for(provider: str) -> str:
    """The setting that a provider needs."""
    return "searxng_url" if provider == "searxng" else f"{provider}_api_key"
