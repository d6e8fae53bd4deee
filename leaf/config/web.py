"""The settings of web search and of reading web pages."""

from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings

from leaf.config import addresses

SearchProvider = Literal["tavily", "brave", "exa", "searxng", "firecrawl"]
FetchProvider = Literal["jina", "tavily"]


class WebSettings(BaseSettings):
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

    def _needed_for(self, provider: str) -> tuple[str, str | None]:
        """The variable that a provider needs, and its value. Jina also reads a few pages per minute without a key."""
        return {
            "tavily": ("TAVILY_API_KEY", self.tavily_api_key),
            "brave": ("BRAVE_API_KEY", self.brave_api_key),
            "exa": ("EXA_API_KEY", self.exa_api_key),
            "firecrawl": ("FIRECRAWL_API_KEY", self.firecrawl_api_key),
            "searxng": ("SEARXNG_URL", self.searxng_url),
            "jina": ("JINA_API_KEY", self.jina_api_key),
        }[provider]

    def search_provider_for(self, kind: str) -> SearchProvider | None:
        """The provider of searches of a type (`optimized` or `general`); None if none is configured."""
        if kind == "general" and self.search_general_provider is not None:
            return self.search_general_provider
        if self.search_provider is not None:
            return self.search_provider
        providers: tuple[SearchProvider, ...] = ("tavily", "brave", "exa", "searxng", "firecrawl")
        return next((one for one in providers if self._needed_for(one)[1]), None)

    @property
    def page_reader(self) -> FetchProvider | None:
        """The service that reads pages in the mode `api`; None if none is configured."""
        if self.fetch_provider is not None:
            return self.fetch_provider
        providers: tuple[FetchProvider, ...] = ("jina", "tavily")
        return next((one for one in providers if self._needed_for(one)[1]), None)

    @property
    def web_problems(self) -> list[str]:
        """The problems of these settings, one line each."""
        named = (
            ("LEAF_SEARCH_PROVIDER", self.search_provider),
            ("LEAF_SEARCH_GENERAL_PROVIDER", self.search_general_provider),
            ("LEAF_FETCH_PROVIDER", self.fetch_provider),
        )
        problems: list[str] = []
        for setting, provider in named:
            variable, value = self._needed_for(provider) if provider else ("", "")
            if provider not in {None, "jina"} and not (value or "").strip():
                problems.append(f"{variable}: is missing; {setting}={provider} needs it")
        for name, url in (
            ("TAVILY_BASE_URL", self.tavily_base_url),
            ("BRAVE_BASE_URL", self.brave_base_url),
            ("EXA_BASE_URL", self.exa_base_url),
            ("FIRECRAWL_BASE_URL", self.firecrawl_base_url),
            ("JINA_BASE_URL", self.jina_base_url),
            ("SEARXNG_URL", self.searxng_url),
        ):
            if url and not addresses.is_web_address(url):
                problems.append(f"{name}: must be an http:// or https:// address")
        return problems
