"""deploy/compose.yaml, deploy/Containerfile and .dockerignore, without running them; `make image-check` does that."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from leaf import config
from leaf.components.page_files import of_any_address
from tests.image import compose, containerfile
from tests.image.walk import production

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load(compose.FILE.read_text())
CONTAINERFILE = (ROOT / "deploy" / "Containerfile").read_text()
IGNORED = (ROOT / ".dockerignore").read_text()
STAGES = containerfile.stages(CONTAINERFILE, {"PATH": "/usr/bin"})
IMAGE = STAGES[-1]
PARTS = {"web", "worker", "migrate"}
KNOWN = {str(field.validation_alias) for field in config.Settings.model_fields.values()}


def test_the_parts_are_there_and_only_the_web_process_is_reachable_from_this_machine_alone() -> None:
    services = COMPOSE["services"]
    assert services.keys() == PARTS | {"postgres", "redis", "nginx"}
    assert services["nginx"]["profiles"] == ["nginx"], "started by those who want it"
    ports = {name: one["ports"] for name, one in services.items() if "ports" in one}
    assert ports == {"web": [f"127.0.0.1:3000:{IMAGE.ports[0]}"]}
    for name in PARTS:
        for needed in services[name]["depends_on"]:
            assert needed in services, needed
    volumes = {volume.partition(":")[0] for one in services.values() for volume in one.get("volumes", [])}
    assert {one for one in volumes if not one.startswith(".")} == COMPOSE["volumes"].keys()
    assert services["nginx"]["volumes"][0].startswith("./nginx.conf:")
    assert (compose.FILE.parent / "nginx.conf").exists()


def test_every_variable_is_a_setting_and_no_secret_stands_in_the_file() -> None:
    for name in PARTS:
        environment = COMPOSE["services"][name]["environment"]
        assert environment.keys() <= KNOWN, environment.keys() - KNOWN
        assert environment["LEAF_ENV"] == "production"
    for one in COMPOSE["services"].values():
        for variable, value in one.get("environment", {}).items():
            assert "PASSWORD" not in variable or str(value).startswith("${POSTGRES_PASSWORD:?")


def test_the_settings_that_production_needs_are_those_of_the_file_and_of_env(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what docs/configuration.md marks in `.env`, Leaf finds no problem in the settings of any service."""
    variables = production()
    services = compose.services(variables)
    for name in PARTS:
        environment = {**IMAGE.environment, **services[name]["environment"]}
        assert not {one for one in environment if one.startswith("LEAF_")} - KNOWN
        for variable in KNOWN:
            monkeypatch.delenv(variable, raising=False)
        for variable, value in environment.items():
            monkeypatch.setenv(variable, value)
        settings = config.load()
        assert settings.port == IMAGE.ports[0]
        assert not settings.uses_sandbox
        assert variables["POSTGRES_PASSWORD"] in str(settings.database_url)
    with pytest.raises(KeyError, match="POSTGRES_PASSWORD"):
        compose.services({})


def test_containers_write_to_their_memory_alone() -> None:
    """What is lost with a container is nothing that lasts; the two that keep data have a volume for it."""
    services = COMPOSE["services"]
    for name in PARTS:
        assert services[name]["read_only"]
        assert services[name]["cap_drop"] == ["ALL"]
        assert "volumes" not in services[name]
        assert any(Path(IMAGE.environment["LEAF_DATA_DIR"]).is_relative_to(one) for one in services[name]["tmpfs"])
    assert all(services[name]["volumes"] for name in ("postgres", "redis"))


def test_redis_keeps_what_it_is_given() -> None:
    """Evicted keys would be answers that are lost, and locks that are not held."""
    command = COMPOSE["services"]["redis"]["command"]
    assert command[command.index("--appendonly") + 1] == "yes"
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"


def test_the_image_gets_what_it_copies_and_nothing_that_is_secret() -> None:
    """`.dockerignore` begins with everything and lets in what is named; the sandbox is in no image."""
    copied = {source for stage in STAGES for step in stage.steps if not step.stage for source in step.sources}
    ignored = IGNORED.splitlines()
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == copied
    for path in copied:
        assert (ROOT / path).exists(), path
    assert not copied & {".env", ".leaf", ".git", "sandbox", "tests"}


def test_a_build_is_sent_what_the_list_lets_in(tmp_path: Path) -> None:
    for name in ("leaf/leaf.py", "leaf/__pycache__/leaf.pyc", "config/mcp.toml", "config/models/default.toml", ".env"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [str(path) for path in containerfile.sent(tmp_path, IGNORED)] == [
        "config/models/default.toml",
        "leaf/leaf.py",
    ]


def test_the_image_runs_as_a_user_without_rights_and_compiles_nothing() -> None:
    assert IMAGE.user == "leaf"
    assert not any(step.user != "root" for step in IMAGE.steps), "its files belong to root"
    assert IMAGE.environment["REFLEX_BACKEND_ONLY"] == "true"
    assert IMAGE.environment["LEAF_ENV"] == "production"
    assert IMAGE.ports == (int(IMAGE.environment["PORT"]),)
    assert f"http://127.0.0.1:{IMAGE.ports[0]}/readyz" in IMAGE.health[-1]
    for stage in STAGES:
        assert not set(stage.base) & set("./"), "the host of a registry"


def test_instructions_that_are_not_understood_are_refused() -> None:
    for line in ("ADD a b", "RUN --mount=type=cache,target=/x true", "COPY *.py ./", "VOLUME /x", "CMD reflex run"):
        with pytest.raises(containerfile.NotUnderstood):
            containerfile.stages(f"FROM debian:bookworm-slim\n{line}\n", {})


def test_the_commands_are_those_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "arq jobs.worker.WorkerSettings" in readme
    assert COMPOSE["services"]["worker"]["command"] == ["arq", "jobs.worker.WorkerSettings"]
    assert "reflex run --env prod" in readme
    assert IMAGE.command == ("reflex", "run", "--env", "prod")


def test_compiled_pages_find_the_routes_where_they_come_from() -> None:
    compiled = "var e={PING:`http://localhost:3000/ping`,EVENT:`wss://leaf.example/_event`,TRANSPORT:`websocket`};"
    assert of_any_address(compiled) == (
        'var e={PING:location.origin.replace("http","http")+"/ping",'
        'EVENT:location.origin.replace("http","ws")+"/_event",TRANSPORT:`websocket`};'
    )


def test_every_setting_is_documented_once() -> None:
    """docs/configuration.md has a row for each variable that Leaf reads, and none for a variable that it does not."""
    document = (ROOT / "docs/configuration.md").read_text()
    listed = [
        name for row in re.findall(r"^\| ([^|]+) \|", document, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    ]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == KNOWN
