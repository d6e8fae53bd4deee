"""The parts of compose.yaml, Containerfile and nginx.conf that can be checked without running them."""

import re
from pathlib import Path
from typing import Any

import yaml

from leaf import config

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
CONTAINERFILE = (ROOT / "Containerfile").read_text()
PARTS = {"web", "worker", "migrate"}


def test_the_parts_are_there_and_only_the_web_process_is_reachable_from_this_machine_alone() -> None:
    services = COMPOSE["services"]
    assert services.keys() == PARTS | {"postgres", "redis"}
    assert {name: one.get("ports", []) for name, one in services.items() if one.get("ports")} == {
        "web": ["127.0.0.1:3000:3000"]
    }
    for name in PARTS:
        for needed in services[name]["depends_on"]:
            assert needed in services, needed
    volumes = {volume.partition(":")[0] for one in services.values() for volume in one.get("volumes", [])}
    assert volumes == COMPOSE["volumes"].keys()


def test_every_variable_is_a_setting_and_no_secret_stands_in_the_file() -> None:
    known = {str(field.validation_alias) for field in config.Settings.model_fields.values()}
    for name in PARTS:
        environment = COMPOSE["services"][name]["environment"]
        assert environment.keys() <= known, environment.keys() - known
        assert environment["LEAF_ENV"] == "production"
    for one in COMPOSE["services"].values():
        for variable, value in one.get("environment", {}).items():
            assert "PASSWORD" not in variable or str(value).startswith("${POSTGRES_PASSWORD:?")


def test_redis_keeps_what_it_is_given() -> None:
    """Evicted keys would be answers that are lost, and locks that are not held."""
    command = COMPOSE["services"]["redis"]["command"]
    assert command[command.index("--appendonly") + 1] == "yes"
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"


def test_the_image_gets_what_it_copies_and_nothing_that_is_secret() -> None:
    """`.dockerignore` begins with everything and lets in what is named."""
    copied = {
        path.removeprefix("./")
        for line in re.findall(r"^COPY --chown=leaf (.+)$", CONTAINERFILE, re.MULTILINE)
        for path in line.split()[:-1]
    }
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == copied
    for path in copied:
        assert (ROOT / path).exists(), path
    assert not copied & {".env", ".leaf", ".git"}
    assert re.search(r"^USER leaf$", CONTAINERFILE, re.MULTILINE), "not as root"


def test_the_commands_are_those_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "arq jobs.worker.WorkerSettings" in readme
    assert COMPOSE["services"]["worker"]["command"] == ["arq", "jobs.worker.WorkerSettings"]
    assert "reflex run --env prod" in readme
    assert 'CMD ["reflex", "run", "--env", "prod"' in CONTAINERFILE


def test_every_setting_is_documented_once() -> None:
    """docs/configuration.md has a row for each variable that Leaf reads, and none for a variable that it does not."""
    document = (ROOT / "docs/configuration.md").read_text()
    listed = [
        name for row in re.findall(r"^\| ([^|]+) \|", document, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    ]
    known = {str(field.validation_alias) for field in config.Settings.model_fields.values()}
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == known
