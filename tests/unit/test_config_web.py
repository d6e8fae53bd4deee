"""Settings of web search: who is chosen, what is missing, and that no key is shown."""

import pytest

from leaf import config, errors

KEYS = ("tavily_api_key", "brave_api_key", "exa_api_key", "firecrawl_api_key", "jina_api_key")


@pytest.fixture(autouse=True)
def _nothing_set(no_environment: None) -> None:
    return


@pytest.mark.parametrize(("set_", "optimized", "general", "reader"), [
    ({}, None, None, None),
    ({"brave_api_key": "k"}, "brave", "brave", None),
    ({"brave_api_key": "k", "tavily_api_key": "k"}, "tavily", "tavily", "tavily"),
    ({"searxng_url": "http://search:8080"}, "searxng", "searxng", None),
    ({"search_provider": "exa", "exa_api_key": "k", "tavily_api_key": "k"}, "exa", "exa", "tavily"),
    ({"search_general_provider": "brave", "brave_api_key": "k", "exa_api_key": "k"}, "brave", "brave", None),
    ({"search_provider": "exa", "exa_api_key": "k", "search_general_provider": "brave", "brave_api_key": "k"},
     "exa", "brave", None),
    ({"jina_api_key": "k", "tavily_api_key": "k"}, "tavily", "tavily", "jina"),
    ({"fetch_provider": "tavily", "jina_api_key": "k", "tavily_api_key": "k"}, "tavily", "tavily", "tavily"),
    ({"fetch_provider": "jina"}, None, None, "jina"),
])  # fmt: skip
def test_who_searches_and_who_reads(
    set_: dict[str, str], optimized: str | None, general: str | None, reader: str | None
) -> None:
    """# 002-12, 002-13, 002-16"""
    settings = config.Settings(_env_file=None, **set_)
    assert settings.search_provider_for("optimized") == optimized
    assert settings.search_provider_for("general") == general
    assert settings.page_reader == reader


@pytest.mark.parametrize(("set_", "problem"), [
    ({"search_provider": "exa"}, "EXA_API_KEY: is missing; LEAF_SEARCH_PROVIDER=exa needs it"),
    ({"search_provider": "searxng"}, "SEARXNG_URL: is missing; LEAF_SEARCH_PROVIDER=searxng needs it"),
    ({"search_general_provider": "brave", "brave_api_key": " "},
     "BRAVE_API_KEY: is missing; LEAF_SEARCH_GENERAL_PROVIDER=brave needs it"),
    ({"fetch_provider": "tavily"}, "TAVILY_API_KEY: is missing; LEAF_FETCH_PROVIDER=tavily needs it"),
    ({"searxng_url": "search:8080"}, "SEARXNG_URL: must be an http:// or https:// address"),
    ({"tavily_base_url": "ftp://x"}, "TAVILY_BASE_URL: must be an http:// or https:// address"),
])  # fmt: skip
def test_what_is_missing_is_said_at_the_start(set_: dict[str, str], problem: str) -> None:
    with pytest.raises(errors.ConfigurationError) as refused:
        config.Settings(_env_file=None, **set_)
    assert refused.value.problems == [problem]


def test_an_unknown_service_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("LEAF_SEARCH_PROVIDER", "altavista")
    with pytest.raises(errors.ConfigurationError, match="LEAF_SEARCH_PROVIDER"):
        config.load()


def test_keys_are_not_shown() -> None:
    settings = config.Settings(_env_file=None, **dict.fromkeys(KEYS, "key-that-nobody-may-see"))
    assert "key-that-nobody-may-see" not in repr(settings)
