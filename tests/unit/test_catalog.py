"""The choice of a model by mode, type and enabled providers."""

import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelResponse
from pydantic_ai.usage import RequestUsage

from leaf import config, errors
from leaf.agent import pricing
from leaf.config import catalog
from leaf.config.catalog import Kind, Mode

OLLAMA = "http://localhost:1/v1"
ROOT = Path(__file__).parents[2]
TABLE = """
default = ["google:last"]
[quick]
speed = ["gateway:qs", "openai:qs"]
quality = ["anthropic:qq"]
[adaptive]
speed = ["ollama:as"]
quality = ["openai:aq"]
[beside]
title = ["ollama:title"]
"""


def settings(tmp_path: Path, table: str = TABLE, **given: Any) -> config.Settings:
    file = tmp_path / "models.toml"
    file.write_text(table)
    return config.Settings(_env_file=None, models_file=file, **given)


@pytest.mark.parametrize(
    ("keys", "mode", "kind", "model"),
    [
        ({"openai_api_key": "k"}, Mode.QUICK, Kind.SPEED, "openai:qs"),
        ({"openai_api_key": "k", "ai_gateway_api_key": "k"}, Mode.QUICK, Kind.SPEED, "gateway:qs"),
        # The other type of the same mode comes before the other mode.
        ({"openai_api_key": "k"}, Mode.QUICK, Kind.QUALITY, "openai:qs"),
        ({"openai_api_key": "k"}, Mode.ADAPTIVE, Kind.SPEED, "openai:aq"),
        ({"anthropic_api_key": "k", "ollama_base_url": OLLAMA}, Mode.QUICK, Kind.SPEED, "anthropic:qq"),
        # Then comes the other mode, and the default is last.
        ({"anthropic_api_key": "k"}, Mode.ADAPTIVE, Kind.SPEED, "anthropic:qq"),
        ({"ollama_base_url": "http://localhost:1/v1"}, Mode.QUICK, Kind.QUALITY, "ollama:as"),
        ({"google_generative_ai_api_key": "k"}, Mode.ADAPTIVE, Kind.QUALITY, "google:last"),
        ({}, Mode.QUICK, Kind.SPEED, "sandbox:sandbox"),
    ],
)  # fmt: skip
def test_a_missing_key_falls_through(tmp_path: Path, keys: dict[str, str], mode: Mode, kind: Kind, model: str) -> None:
    """Models are tried in the documented order, and there is always one. # 002-51, 002-52"""
    assert catalog.select(settings(tmp_path, **keys), mode, kind).model == model


def test_guests_and_the_cloud_always_get_the_type_speed(tmp_path: Path) -> None:
    """# 002-07"""
    keyed = settings(tmp_path, openai_api_key="k", anthropic_api_key="k")
    assert catalog.select(keyed, Mode.QUICK, Kind.QUALITY).model == "anthropic:qq"
    guest = catalog.select(keyed, Mode.QUICK, Kind.QUALITY, speed_only=True)
    assert (guest.kind, guest.model) == (Kind.SPEED, "openai:qs")
    cloud = settings(tmp_path, openai_api_key="k", anthropic_api_key="k", cloud=True)
    assert catalog.select(cloud, Mode.QUICK, Kind.QUALITY).model == "openai:qs"
    assert catalog.offered(cloud) == ["openai:qs"], "models of other types are not offered by name either"


def test_only_models_of_enabled_providers_are_offered(tmp_path: Path) -> None:
    """A model of the table cannot be chosen by name without the key of its provider. # 002-08"""
    assert catalog.offered(settings(tmp_path, openai_api_key="k")) == ["openai:qs", "openai:aq"]
    assert catalog.offered(settings(tmp_path, anthropic_api_key="k")) == ["anthropic:qq"]
    assert catalog.offered(settings(tmp_path)) == ["sandbox:sandbox"]


def test_the_setting_model_replaces_all_models_of_the_table(tmp_path: Path) -> None:
    one = settings(tmp_path, model="openai:only", openai_api_key="k", anthropic_api_key="k")
    assert {catalog.select(one, mode, kind).model for mode in Mode for kind in Kind} == {"openai:only"}
    assert catalog.side_model(one, "title") == "openai:only"


def test_titles_and_related_questions_can_have_their_own_model(tmp_path: Path) -> None:
    """# 002-54"""
    keyed = settings(tmp_path, openai_api_key="k", ollama_base_url="http://localhost:1/v1")
    assert catalog.side_model(keyed, "title") == "ollama:title"
    assert catalog.side_model(keyed, "related") == "openai:qs"
    own = settings(tmp_path, openai_api_key="k", beside_model="openai:small")
    assert catalog.side_model(own, "related") == catalog.side_model(own, "title") == "openai:small"
    assert catalog.side_model(settings(tmp_path, model="sandbox:sandbox-fail"), "title") == "sandbox:sandbox"


def test_unknown_modes_and_types_from_a_browser_become_the_defaults() -> None:
    """# 002-06"""
    assert catalog.chosen("adaptive", "quality") == (Mode.ADAPTIVE, Kind.QUALITY)
    assert catalog.chosen("../etc", None) == (Mode.QUICK, Kind.SPEED)


@pytest.mark.parametrize(
    ("text", "problem_text"),
    [
        ("quick = 3", "quick"), ("[quick]\nspeed = ['gpt']", "quick.speed"), ("[slow]\nspeed = []", "slow"),
        ("= 1", "is not TOML"),
    ],
)  # fmt: skip
def test_errors_in_a_table_are_reported(tmp_path: Path, text: str, problem_text: str) -> None:
    with pytest.raises(errors.ConfigurationError) as refused:
        settings(tmp_path, text)
    assert all(problem.startswith("LEAF_MODELS_FILE:") for problem in refused.value.problems)
    assert any(problem_text in problem for problem in refused.value.problems)


def test_the_built_in_tables_name_known_providers() -> None:
    """# 002-53"""
    for cloud in (False, True):
        table = catalog.table(None, cloud=cloud)
        assert {model.partition(":")[0] for model in table.every} <= catalog.PROVIDERS.keys()
        assert table.quick.speed[0] == table.adaptive.speed[0] == "gateway:google/gemini-3-flash"
    assert catalog.table(None, cloud=False).quick.quality[0] == "gateway:xai/grok-4.1-fast-reasoning"
    assert not catalog.table(None, cloud=True).quick.quality


def test_every_model_of_the_tables_has_a_name_and_a_size() -> None:
    for model in catalog.table(None, cloud=False).every:
        assert catalog.facts(model).label, model
        assert catalog.context_tokens(model) >= 200_000, model
    assert catalog.context_tokens("ollama:unheard-of") == 32_000
    assert catalog.context_tokens("gateway:anthropic/claude-opus-5-5") == 1_000_000


PROVIDER_NAMES = {
    "gateway": "vercel", "google": "google", "openai": "openai", "anthropic": "anthropic",
    "anthropic-vertex": "anthropic",
}  # fmt: skip
"""The provider names in the replies of pydantic-ai's clients, by the names of providers in the table."""


@pytest.mark.parametrize(
    "model", sorted({one for cloud in (False, True) for one in catalog.table(None, cloud=cloud).every})
)
def test_every_model_of_the_tables_has_a_price(model: str) -> None:
    """A model without a price would cost an account nothing. # 002-53"""
    provider, _, name = model.partition(":")
    usage = RequestUsage(input_tokens=1_000_000, output_tokens=1_000_000)
    reply = ModelResponse(parts=[], usage=usage, model_name=name, provider_name=PROVIDER_NAMES[provider])
    price = pricing.of_response(reply, model)
    assert price is not None
    assert price > 0
    expected = {"gateway:google/gemini-3-flash": Decimal("3.5"), "gateway:xai/grok-4.1-fast-reasoning": Decimal("0.7")}
    assert price == expected.get(model, price), "US dollars per million tokens"


def printed(tmp_path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "leaf", "models"],
        env={"PYTHONPATH": str(ROOT), "LEAF_LOCAL_MODELS": "off", **variables},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_enabled_models_and_the_reasons_for_disabled_ones_are_printed(tmp_path: Path) -> None:
    """# 002-52"""
    output = printed(tmp_path, OPENAI_API_KEY="sk-a-secret-key").stdout
    assert "quick    speed    openai:gpt-6-luna" in output
    assert "adaptive quality  openai:gpt-6.1-sol" in output
    assert "off: AI_GATEWAY_API_KEY is not set" in output
    assert "openai:gpt-6-luna" in output
    assert "secret" not in output
    assert "sandbox:sandbox" in printed(tmp_path).stdout
    broken = printed(tmp_path, LEAF_MODEL="openai:x")
    assert (broken.returncode, broken.stdout) == (1, "")
    assert "OPENAI_API_KEY: is missing" in broken.stderr


def test_providers_that_the_table_does_not_name_are_printed_too(tmp_path: Path) -> None:
    """If only one of two required variables is set, the reason why the provider is off is printed. # 002-52"""
    variables = {"OPENAI_COMPATIBLE_API_KEY": "sk-a-secret-key", "OLLAMA_BASE_URL": "http://127.0.0.1:11434"}
    _, _, output = printed(tmp_path, **variables).stdout.partition("Providers of which no model is listed:")
    assert re.search(r"openai-compatible +off: OPENAI_COMPATIBLE_API_BASE_URL is not set", output)
    assert re.search(r"ollama +configured, but none of its models is listed", output)
    assert "sandbox" not in output
    assert "secret" not in output
